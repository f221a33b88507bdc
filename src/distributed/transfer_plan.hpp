// SPDX-License-Identifier: Apache-2.0
// Transfers carried out: MPI's derived types where memory is the host's, packed buffers where it is
// a device's, copies where both ends are this rank's. For the files of this folder.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "src/distributed/array.hpp"
#include "src/distributed/exchange.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/staging.hpp"

namespace portcost::distributed {

class TransferPlan {
 public:
  /// `transfers` concern this rank; those between two ranks have the same order on both.
  /// Collective.
  TransferPlan(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
               Path path);
  ~TransferPlan();

  void run(const ArrayBase& from, const ArrayBase& to, const Stream* on);
  void begin(const ArrayBase& from, const ArrayBase& to, const Stream* on);
  bool test();
  void end();

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
  struct Bound;
  struct Copies;

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
  End out_, in_, local_;
  OwnedComm graph_;
  std::map<std::vector<std::byte*>, std::unique_ptr<Bound>> bound_;
  // Of the exchange that goes on:
  Bound* bound_now_ = nullptr;
  const Stream* stream_now_ = nullptr;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// The part of this rank with a number.
const Part& part_of(const ArrayBase& array, int number);

}  // namespace portcost::distributed
