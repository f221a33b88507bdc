// SPDX-License-Identifier: Apache-2.0
// Messages that are under way. For the files of this folder.
#pragma once

#include <vector>

#include "src/distributed/mpi_calls.hpp"

namespace portcost::distributed {

class Requests {
 public:
  bool empty() const { return requests_.empty(); }
  /// Where MPI writes a new one, which is used before the next is asked for.
  MPI_Request* fresh();
  bool test();
  void wait();
  /// As long as that takes, or so many seconds: what has not ended then is given up, so that its
  /// memory may go. True: all have ended.
  bool wait_at_most(double seconds) noexcept;

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace portcost::distributed
