// SPDX-License-Identifier: Apache-2.0
// Transfers carried out: MPI's derived types where memory is the host's, packed buffers where it is
// a device's, a DevicePath from device to device where one is chosen, copies where both ends are
// this rank's. For the files of this folder.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "src/distributed/array.hpp"
#include "src/distributed/box_copies.hpp"
#include "src/distributed/device_path.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/pieces.hpp"
#include "src/distributed/staging.hpp"

namespace portcost::distributed {

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
    std::vector<Planned> planned;
    std::vector<int> ranks;
    Staging staging;
  };
  /// What moves between two arrays with their addresses.
  struct Bound {
    Side sent, received;
    BoxCopies packs, unpacks;  // by the device: before the messages and after them
    BoxCopies to_link, rest;   // by the host: the same
  };
  struct Copies;

  bool crosses(const Transfer& transfer, const PathSettings& settings) const;
  void sort(const std::vector<Transfer>& transfers, const PathSettings& settings,
            std::vector<Transfer>& crossing);
  void allocate(const ArrayBase& from, const ArrayBase& to);
  void reserve(End& end, const ArrayBase& array, int Transfer::*part);
  void make_graph();
  Bound& bind(const ArrayBase& from, const ArrayBase& to, const Stream* stream);
  std::unique_ptr<Bound> bound_to(const ArrayBase& from, const ArrayBase& to,
                                  const Stream* stream) const;
  void bind_local(const Planned& planned, const ArrayBase& from, const ArrayBase& to,
                  Copies& copies) const;
  void pack(const ArrayBase& from, const ArrayBase& to, const Stream* on);
  void unpack();

  const Processors& senders_;
  const Processors& receivers_;
  std::int64_t element_bytes_;
  Path path_;
  End out_, in_, local_;       // what MPI carries, and what stays with this rank
  bool has_messages_ = false;  // of any rank, by MPI
  bool is_staged_ = false;     // the host has to do with what a device packs or unpacks
  std::unique_ptr<DevicePath> device_path_;
  OwnedComm graph_;
  std::map<std::vector<std::byte*>, std::unique_ptr<Bound>> bound_;
  // Of the exchange that goes on:
  Bound* bound_now_ = nullptr;
  const Stream* stream_now_ = nullptr;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace portcost::distributed
