// SPDX-License-Identifier: Apache-2.0
#include "src/contract/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace portcost {

std::vector<std::uint64_t> drawn(std::uint64_t count, std::size_t most, std::uint64_t seed) {
  std::vector<std::uint64_t> result;
  if (count <= most) {
    result.resize(count);
    std::iota(result.begin(), result.end(), std::uint64_t{0});
    return result;
  }
  if (most >= 4) result = {0, 1, count - 2, count - 1};
  std::mt19937_64 random(seed);
  while (result.size() < most) result.push_back(random() % count);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::string shape_fault(const Array& array, ElementType type, std::uint64_t count) {
  if (array.type == type && array.count() == count) return {};
  return fmt::format("{} has {} {}, where {} {} are expected", array.name, array.count(),
                     name(array.type), count, name(type));
}

std::string wrong_element(const Array& array, std::uint64_t index, const std::string& found,
                          const std::string& right) {
  return fmt::format("{}{} is {}, where {} is right", array.name, array.index_text(index), found,
                     right);
}

}  // namespace portcost
