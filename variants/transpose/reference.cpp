// SPDX-License-Identifier: Apache-2.0
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

Rungs reference_rungs() {
  const auto answer = [](std::string_view step, const auto& put) {
    return rung(works, step, [=](const auto& s, const Stream&) {
      for (int m = 0; m < s.batch; ++m) {
        for (int i = 0; i < s.ny; ++i) {
          for (int j = 0; j < s.nx; ++j) put(s, m, i, j);
        }
      }
    });
  };
  return {answer("naive",
                 [](auto& s, int m, int i, int j) { s.row_of_b(m, j)[i] = s.row_of_a(m, i)[j]; }),
          answer("copy", [](auto& s, int m, int i, int j) {
            s.row_of_copy(m, i)[j] = s.row_of_a(m, i)[j];
          })};
}

}  // namespace portcost::transpose
