// SPDX-License-Identifier: Apache-2.0
// The obvious serial answers: the transposed matrices, which are also what peers must produce, and
// a copy of the matrices.
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

Rungs reference_rungs() {
  return {rung(works, "naive",
               [](const auto& s, const Stream&) {
                 for (int m = 0; m < s.batch; ++m) {
                   for (int i = 0; i < s.ny; ++i) {
                     for (int j = 0; j < s.nx; ++j) s.row_of_b(m, j)[i] = s.row_of_a(m, i)[j];
                   }
                 }
               }),
          rung(works, "copy", [](const auto& s, const Stream&) {
            for (int m = 0; m < s.batch; ++m) {
              for (int i = 0; i < s.ny; ++i) {
                for (int j = 0; j < s.nx; ++j) s.row_of_copy(m, i)[j] = s.row_of_a(m, i)[j];
              }
            }
          })};
}

}  // namespace portcost::transpose
