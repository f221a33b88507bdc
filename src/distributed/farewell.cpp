// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/farewell.hpp"

#include <exception>

#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/path.hpp"

namespace portcost::distributed {

void Farewell::meet(const Communicator& ranks, std::vector<int> partners) {
  ranks_ = ranks.split(0);
  partners_ = std::move(partners);
}

void Farewell::part() noexcept {
  if (!ranks_) return;
  constexpr int tag = 0;
  Requests requests;
  try {
    for (const int one : partners_) requests.hear(*ranks_, one, tag);
    for (const int one : partners_) requests.tell(*ranks_, one, tag);
  } catch (const std::exception&) {  // MPI has failed: what is under way is waited for
  }
  const WaitsForOthers now;
  requests.wait_at_most(std::uncaught_exceptions() > 0 ? 0 : gpu_patience_s);
  ranks_.reset();
}

}  // namespace portcost::distributed
