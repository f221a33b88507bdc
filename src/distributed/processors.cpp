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
  // Of each its weight, then its place.
  constexpr std::size_t said = sizeof(double) + 1;
  std::string text;
  for (const Processor& processor : mine) {
    text.append(reinterpret_cast<const char*>(&processor.weight), sizeof processor.weight);
    text += static_cast<char>(processor.place);
  }
  const std::vector<std::string> all = ranks.gathered(text);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const std::string& its = all[static_cast<std::size_t>(rank)];
    if (rank == ranks.rank()) first_mine_ = count();
    for (std::size_t at = 0; at < its.size(); at += said) {
      double weight;
      std::memcpy(&weight, its.data() + at, sizeof weight);
      weights_.push_back(weight);
      places_.push_back(static_cast<Place>(its[at + sizeof weight]));
      rank_of_.push_back(rank);
    }
  }
}

}  // namespace portcost::distributed
