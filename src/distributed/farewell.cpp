// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/farewell.hpp"

#include <exception>

#include "src/distributed/path.hpp"
#include "src/distributed/requests.hpp"

namespace portcost::distributed {

namespace {

constexpr int tag = 0;

}  // namespace

struct Farewell::Impl {
  OwnedComm comm;
  std::vector<int> partners;
};

Farewell::Farewell() = default;
Farewell::~Farewell() = default;

void Farewell::meet(const Communicator& ranks, std::vector<int> partners) {
  auto made = std::make_unique<Impl>();
  const WaitsForOthers now;
  mpi_check(MPI_Comm_dup(comm_of(ranks), made->comm.fresh()));
  mpi_check(MPI_Comm_set_errhandler(made->comm.get(), MPI_ERRORS_RETURN));
  made->partners = std::move(partners);
  impl_ = std::move(made);
}

void Farewell::part() noexcept {
  if (!impl_) return;
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
