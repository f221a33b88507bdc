// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer, in twice as many bits and with a test for missing edges.
#include <limits>
#include <type_traits>
#include <vector>

#include "variants/floyd_warshall/problem.hpp"

namespace portcost::floyd_warshall {

Rungs reference_rungs() {
  return {rung(works, "naive_2d", []<class T>(const Graph<T>& g, const Stream&) {
    using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
    constexpr Wide none = std::numeric_limits<Wide>::max();
    const auto n = static_cast<std::size_t>(g.n);
    std::vector<Wide> a(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      const T* const row = g.row(static_cast<int>(i));
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] = is_no_path(row[j]) ? none : Wide{row[j]};
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (a[k * n + k] < 0) {
        if (*g.negative < 0) *g.negative = static_cast<int>(k);
        continue;
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (a[i * n + k] == none) continue;
        for (std::size_t j = 0; j < n; ++j) {
          if (a[k * n + j] == none) continue;
          const Wide over = a[i * n + k] + a[k * n + j];
          if (over >= a[i * n + j]) continue;
          a[i * n + j] = over;
          if (g.next != nullptr) {
            int* const next = g.next_row(static_cast<int>(i));
            next[j] = next[k];
          }
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      T* const row = g.row(static_cast<int>(i));
      for (std::size_t j = 0; j < n; ++j) {
        row[j] = a[i * n + j] == none ? no_edge<T> : static_cast<T>(a[i * n + j]);
      }
    }
  })};
}

}  // namespace portcost::floyd_warshall
