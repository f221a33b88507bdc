// SPDX-License-Identifier: Apache-2.0
// For the checks of algorithms that eliminate without pivoting: the precision in which factors are
// multiplied, and how far their product may be from the matrix.
//
// N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, theorem 9.3: however
// its products are ordered, elimination that runs to its end leaves |L U - A| <= gamma_n |L||U|,
// element by element (gamma_of, src/files/equations.hpp).
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "src/contract/truth.hpp"
#include "src/files/equations.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost {

/// What `products` products may lose where they are too small for the type.
template <class T>
double lost(std::int64_t products) {
  return static_cast<double>(products) * std::numeric_limits<T>::denorm_min();
}

/// The sign of column j in the sum of a row.
inline double sign_of(std::uint64_t seed, std::int64_t j) {
  return random_bits(seed ^ 0x5151, static_cast<std::uint64_t>(j)) >> 63 == 0 ? 1 : -1;
}

/// L (U x) for x of drawn signs, row by row, and |L||U||x|, which is what the rows are worth.
template <class T>
class Image {
 public:
  explicit Image(std::uint64_t seed) : seed_(seed) {}
  /// The next row of the factors.
  void take(const T* row, std::size_t columns) {
    const std::size_t k = value.size();
    Wide<T> above = 0, above_worth = 0, sum = 0, more = 0;
    for (std::size_t j = k; j < columns; ++j) {
      above += Wide<T>{row[j]} * sign_of(seed_, static_cast<std::int64_t>(j));
      above_worth += std::fabs(Wide<T>{row[j]});
    }
    above_.push_back(above);
    above_worth_.push_back(above_worth);
    for (std::size_t m = 0; m < k; ++m) {
      sum += Wide<T>{row[m]} * above_[m];
      more += std::fabs(Wide<T>{row[m]}) * above_worth_[m];
    }
    value.push_back(sum + above);
    worth.push_back(more + above_worth);
  }

  std::vector<Wide<T>> value, worth;

 private:
  std::uint64_t seed_;
  std::vector<Wide<T>> above_, above_worth_;  // U x and |U||x|
};

/// Two answers that refuse pivots of different columns. `which`: "" or "[7]".
inline Disagreement pivots_differ(std::uint64_t at, const std::string& which, int one, int other) {
  return {1,
          "bad_pivot",
          at,
          static_cast<double>(one),
          static_cast<double>(other),
          fmt::format("bad_pivot{}: {} against {}", which, one, other)};
}

}  // namespace portcost
