// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/farewell.hpp"

#include <exception>

#include "src/distributed/path.hpp"
#include "src/distributed/requests.hpp"

namespace portcost::distributed {

struct Farewell::Impl {
  OwnedComm comm;
  std::vector<int> partners;
};

Farewell::Farewell() = default;
Farewell::~Farewell() = default;

void Farewell::meet(const Communicator& ranks, std::vector<int> partners) {
  impl_ = std::make_unique<Impl>(Impl{duplicate_of(ranks), std::move(partners)});
}

void Farewell::part() noexcept {
  if (!impl_) return;
  constexpr int tag = 0;
  Requests requests;
  const MPI_Comm comm = impl_->comm.get();
  try {
    for (const int one : impl_->partners) {
      mpi_check(MPI_Irecv(nullptr, 0, MPI_BYTE, one, tag, comm, requests.fresh()));
    }
    for (const int one : impl_->partners) {
      mpi_check(MPI_Isend(nullptr, 0, MPI_BYTE, one, tag, comm, requests.fresh()));
    }
  } catch (const std::exception&) {  // MPI has failed: what is under way is waited for
  }
  const WaitsForOthers now;
  requests.wait_at_most(std::uncaught_exceptions() > 0 ? 0 : gpu_patience_s);
  impl_.reset();
}

}  // namespace portcost::distributed
