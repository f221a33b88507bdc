// SPDX-License-Identifier: Apache-2.0
// Which GPU a rank takes: arithmetic alone, without MPI.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portcost::distributed {

/// For each rank of a computer the GPU that it takes, by the number that it has for the rank
/// itself. `seen` are the addresses of the GPUs that each of them sees, in its order: all the same
/// ones, or some for each where a launcher shares them out. A rank takes the first that no rank
/// before it has; where none is left, none, or one of those that the fewest have, if GPUs may be
/// `shared`.
inline std::vector<std::optional<int>> gpus_of_ranks(
    const std::vector<std::vector<std::string>>& seen, bool shared) {
  std::map<std::string, int> taken;
  std::vector<std::optional<int>> result;
  for (const std::vector<std::string>& gpus : seen) {
    const auto one = std::ranges::min_element(
        gpus, {}, [&](const std::string& address) { return taken[address]; });
    const bool can = one != gpus.end() && (shared || taken[*one] == 0);
    result.push_back(can ? std::optional(static_cast<int>(one - gpus.begin())) : std::nullopt);
    if (can) ++taken[*one];
  }
  return result;
}

}  // namespace portcost::distributed
