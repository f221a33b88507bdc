// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/processors.hpp"

#include "src/support/error.hpp"

namespace portcost::distributed {

Processors::Processors(const Communicator& ranks, std::span<const Processor> mine)
    : ranks_(ranks), mine_(mine.begin(), mine.end()) {
  ranks.together([&] {
    if (mine.empty()) throw UsageError("a rank has no processor");
  });
  const std::vector<std::vector<Processor>> all = gathered_values(ranks, mine_);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank == ranks.rank()) first_mine_ = count();
    for (const Processor& one : all[static_cast<std::size_t>(rank)]) {
      weights_.push_back(one.weight);
      places_.push_back(one.place);
      rank_of_.push_back(rank);
    }
  }
}

}  // namespace portcost::distributed
