// SPDX-License-Identifier: Apache-2.0
// On which multiprocessors a GPU puts the blocks of a launch.
#pragma once

#include <vector>

#include "src/memory/stream.hpp"

namespace portcost::test {

struct Spread {
  std::vector<int> multiprocessors;  // of each block
  bool together = false;             // all blocks were there at the same time
};

/// Of blocks with in_flight's threads and launch bounds, which stay until all are there, or 20 ms.
Spread spread_of(int blocks, const Stream& stream);

}  // namespace portcost::test
