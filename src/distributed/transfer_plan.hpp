// SPDX-License-Identifier: Apache-2.0
// Transfers carried out: MPI's derived types where memory is the host's, packed buffers where it is
// a device's, a DevicePath from device to device or a PutPath between hosts where it is chosen,
// copies where both ends are this rank's. For the files of this folder.
#pragma once

#include "src/distributed/device_path.hpp"
#include "src/distributed/mpi_calls.hpp"

namespace portcost::distributed {

/// `bytes` bytes, of which an array's elements consist.
OwnedType element_type(std::int64_t bytes);

/// A box of an array that has the points `within`, in rows of `pitch` elements; not committed.
OwnedType subarray(const Box& box, const Box& within, std::int64_t pitch, MPI_Datatype element);

/// What one neighbour gets or sends: pieces of memory at absolute addresses, in the order of the
/// transfers, as one type.
class Pieces {
 public:
  void add(const Part& part, const Box& box, std::int64_t element_bytes);
  /// The same points, dense.
  void add(const std::byte* dense, const Box& box, std::int64_t element_bytes);
  /// All of them; committed.
  OwnedType together() const;

 private:
  void add(const void* address, OwnedType type);
  std::vector<OwnedType> types_;
  std::vector<MPI_Aint> addresses_;
};

/// One side of a neighbourhood collective, as MPI wants its arguments. They live as long as a
/// request.
struct Side {
  explicit Side(const std::map<int, Pieces>& of_ranks);

  std::vector<OwnedType> types;
  std::vector<MPI_Datatype> handles;
  std::vector<int> counts;
  std::vector<MPI_Aint> offsets;
};

/// Dense memory of the host into which a kernel packs over the link and from which MPI sends, and
/// the reverse.
class Staging {
 public:
  /// Takes so many bytes more. Returns where they begin.
  std::size_t reserve(std::int64_t bytes) {
    constexpr std::size_t line = 256;
    const std::size_t at = size_;
    size_ += (static_cast<std::size_t>(bytes) + line - 1) / line * line;
    return at;
  }
  void allocate() {
    if (size_ > 0) memory_ = HostMemory(size_, HostKind::mapped);
  }
  /// The addresses at which MPI (or the host) and the device find it.
  std::byte* of_mpi(std::size_t at) const { return memory_.data() + at; }
  std::byte* of_device(std::size_t at) const { return memory_.on_device() + at; }

 private:
  std::size_t size_ = 0;
  HostMemory memory_;
};

struct OwnedGroup : Owned<MPI_Group, MPI_Group_free> {
  OwnedGroup() : Owned(MPI_GROUP_NULL) {}
};

/// Transfers by MPI_Put (path `one_sided`): the sender writes to its neighbours' arrays in host
/// memory. (put_path.cpp)
class PutPath : Uncopied {
 public:
  /// `transfers` go to other ranks, `targets`; `sources` send to this one. All parts lie on hosts.
  /// The arrays, which are not kept, are of the shapes of all that will be exchanged. Collective.
  PutPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
          const std::vector<int>& sources, const std::vector<int>& targets);
  ~PutPath();

  /// At first sight of `to`, all ranks tell each other where its parts lie. Collective.
  void bind(const ArrayBase& to);
  /// Lets the source ranks write to the array that was bound last, and writes to the target ranks'.
  /// May wait until the target ranks have begun, too.
  void begin(const ArrayBase& from);
  /// Whether all source ranks have written.
  bool test();
  void end();

 private:
  struct Put {
    int from, to, rank;
    OwnedType source, target;  // relative to a part's first ghost point
  };
  enum class State { idle, writing, exposed, failed };
  void complete();

  const Communicator& ranks_;
  std::size_t element_bytes_;
  std::vector<Put> puts_;
  OwnedGroup sources_, targets_;
  MPI_Win window_ = MPI_WIN_NULL;
  // Of each array, by its identity, for each rank the addresses of the parts.
  std::map<std::uint64_t, std::vector<std::vector<MPI_Aint>>> addresses_;
  const std::vector<std::vector<MPI_Aint>>* bound_ = nullptr;
  std::vector<const std::byte*> attached_;
  State state_ = State::idle;
};

class TransferPlan {
 public:
  /// `transfers` concern this rank; those between two ranks have the same order on both. `path` has
  /// been chosen (chosen_path). Collective.
  TransferPlan(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
               Path path, const PathSettings& settings);
  ~TransferPlan();

  void run(const ArrayBase& from, const ArrayBase& to, const Stream* on);
  void begin(const ArrayBase& from, const ArrayBase& to, const Stream* on);
  bool test();
  void end();
  Path path() const { return path_; }
  bool is_only_enqueued() const {
    return device_path_ && device_path_->is_only_enqueued() && !has_messages_ && !is_staged_;
  }

 private:
  /// A transfer, and where its points lie in a staging buffer if a device's end needs one.
  struct Planned {
    Transfer transfer;
    std::size_t staged = 0;
  };
  /// Transfers to (or from) other ranks; the ranks, sorted, are its neighbours in the graph.
  struct End {
    int Transfer::*mine = nullptr;
    int Transfer::*other = nullptr;
    Box Transfer::*box = nullptr;
    std::vector<Planned> planned = {};
    std::vector<int> ranks = {};
    Staging staging = {};
  };
  /// What moves between two arrays with their addresses.
  struct Bound {
    Side sent, received;
    BoxCopies packs, unpacks;  // by the device: before the messages and after them
    BoxCopies to_link, rest;   // by the host: the same
  };
  struct Copies;

  void sort(const std::vector<Transfer>& transfers, const PathSettings& settings,
            std::vector<Transfer>& crossing);
  void allocate(const ArrayBase& from, const ArrayBase& to);
  void reserve(End& end, const ArrayBase& array);
  void make_graph();
  Bound& bind(const ArrayBase& from, const ArrayBase& to, const Stream* stream);
  std::unique_ptr<Bound> bound_to(const ArrayBase& from, const ArrayBase& to,
                                  const Stream* stream) const;
  std::map<int, Pieces> pieces_of(const End& end, const ArrayBase& array, const Processors& others,
                                  std::vector<BoxCopy>& copies) const;
  void bind_local(const Planned& planned, const ArrayBase& from, const ArrayBase& to,
                  Copies& copies) const;
  void pack(const ArrayBase& from, const ArrayBase& to, const Stream* on);
  void unpack();

  const Processors& senders_;
  const Processors& receivers_;
  std::int64_t element_bytes_;
  Path path_;
  // What MPI carries, and what stays with this rank.
  End out_{&Transfer::from, &Transfer::to, &Transfer::source};
  End in_{&Transfer::to, &Transfer::from, &Transfer::target}, local_;
  bool has_messages_ = false;  // of any rank, by MPI
  bool is_staged_ = false;     // the host has to do with what a device packs or unpacks
  std::unique_ptr<DevicePath> device_path_;
  std::unique_ptr<PutPath> puts_;
  OwnedComm graph_;
  std::map<std::vector<std::byte*>, std::unique_ptr<Bound>> bound_;
  // Of the exchange that goes on:
  Bound* bound_now_ = nullptr;
  const Stream* stream_now_ = nullptr;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace portcost::distributed
