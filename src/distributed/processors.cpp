// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/processors.hpp"

#include <cstring>

#include "src/support/error.hpp"

namespace portcost::distributed {

Processors::Processors(const Communicator& ranks, std::span<const Processor> mine)
    : ranks_(ranks), mine_(mine.begin(), mine.end()) {
  ranks.together([&] {
    if (mine.empty()) throw UsageError("a rank has no processor");
  });
  std::string weights;
  for (const Processor& processor : mine) {
    weights.append(reinterpret_cast<const char*>(&processor.weight), sizeof processor.weight);
  }
  const std::vector<std::string> all = ranks.gathered(weights);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const std::string& its = all[static_cast<std::size_t>(rank)];
    if (rank == ranks.rank()) first_mine_ = count();
    for (std::size_t at = 0; at < its.size(); at += sizeof(double)) {
      double weight;
      std::memcpy(&weight, its.data() + at, sizeof weight);
      weights_.push_back(weight);
      rank_of_.push_back(rank);
    }
  }
}

}  // namespace portcost::distributed
