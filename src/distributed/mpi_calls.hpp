// SPDX-License-Identifier: Apache-2.0
// MPI itself, for files of this folder alone: its handles with owners, its errors as exceptions.
#pragma once

#include <mpi.h>

#include "src/distributed/communicator.hpp"

namespace portcost::distributed {

std::string mpi_error(int code);

/// Throws Failure unless an MPI call has succeeded. Of this rank alone: where others may go on,
/// Communicator::together.
inline void mpi_check(int code, std::source_location where = std::source_location::current()) {
  if (code != MPI_SUCCESS) throw Failure("MPI: " + mpi_error(code), where);
}

void sign_of_life();

/// While one lives, this rank waits for other ranks (waits_for_others).
class WaitsForOthers : Uncopied {
 public:
  WaitsForOthers();
  ~WaitsForOthers();
};

/// An MPI handle that is freed with its owner.
template <class Handle, int (*release)(Handle*)>
class Owned {
 public:
  explicit Owned(Handle null) : handle_(null), null_(null) {}
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, other.null_)), null_(other.null_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Handle get() const { return handle_; }
  /// Where MPI writes a new handle.
  Handle* fresh() {
    reset();
    return &handle_;
  }

 private:
  void reset() {
    if (handle_ != null_) release(&handle_);
    handle_ = null_;
  }
  Handle handle_, null_;
};

struct OwnedType : Owned<MPI_Datatype, MPI_Type_free> {
  OwnedType() : Owned(MPI_DATATYPE_NULL) {}
};
struct OwnedComm : Owned<MPI_Comm, MPI_Comm_free> {
  OwnedComm() : Owned(MPI_COMM_NULL) {}
};

class NcclGroup;

struct Communicator::Impl {
  OwnedComm comm;
  mutable std::map<std::vector<int>, std::shared_ptr<NcclGroup>> nccl_groups = {};  // by members
  int rank = 0, size = 1;
  int on_this_node = 0;  // 0: not asked for yet
};

inline MPI_Comm comm_of(const Communicator& ranks) { return ranks.impl().comm.get(); }

/// What call(), which waits for other ranks, returns.
template <class F>
int waiting(const F& call) {
  const WaitsForOthers now;
  return call();
}

/// Messages that are under way.
class Requests {
 public:
  bool empty() const { return requests_.empty(); }
  /// Where MPI writes a new request, which is used before the next one is asked for.
  MPI_Request* fresh();
  /// An empty message to a rank, or from a rank.
  void tell(const Communicator& ranks, int rank, int tag);
  void hear(const Communicator& ranks, int rank, int tag);
  bool test();
  void wait();
  /// Waits as long as the messages take, or so many seconds: a message that has not ended then is
  /// given up, so that its memory may go. True: all have ended.
  bool wait_at_most(double seconds) noexcept;

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace portcost::distributed
