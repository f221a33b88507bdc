// SPDX-License-Identifier: Apache-2.0
#include "src/contract/names.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace portcost {

bool glob_match(std::string_view pattern, std::string_view text) {
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), FNM_NOESCAPE) == 0;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string nearest_name(std::string_view text, const std::vector<std::string>& known) {
  const auto closest = std::ranges::min_element(
      known, {}, [&](const std::string& one) { return edit_distance(text, one); });
  return closest == known.end() ? std::string() : *closest;
}

}  // namespace portcost
