// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/requests.hpp"

#include <chrono>
#include <thread>

#include "src/support/clock.hpp"

namespace portcost::distributed {

MPI_Request* Requests::fresh() {
  requests_.push_back(MPI_REQUEST_NULL);
  return &requests_.back();
}

bool Requests::test() {
  int done = 0;
  mpi_check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                        MPI_STATUSES_IGNORE));
  return done != 0;
}

void Requests::wait() {
  const WaitsForOthers now;
  const int code =
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  mpi_check(code);
}

bool Requests::wait_at_most(double seconds) noexcept {
  const Clock clock;
  bool all = false;
  for (;;) {
    int done = 0;
    const int count = static_cast<int>(requests_.size());
    const bool asked = MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE) == 0;
    all = asked && done != 0;
    if (all || !asked || clock.seconds() > seconds) break;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  for (MPI_Request& one : requests_) {
    if (one == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&one);
    MPI_Request_free(&one);
  }
  requests_.clear();
  return all;
}

}  // namespace portcost::distributed
