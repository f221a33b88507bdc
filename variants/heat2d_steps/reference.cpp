// SPDX-License-Identifier: Apache-2.0
#include "variants/heat2d_steps/problem.hpp"

namespace portcost::heat2d_steps {

Rungs reference_rungs() {
  return {rung(works, "one_step", []<class T>(const Run<T>& run, const Stream&) {
    for_passes(
        run, [](int) { return 1; },
        [](const Pass<T>& s, int) {
          for (int y = 0; y < s.ny; ++y) {
            for (int x = 0; x < s.nx; ++x) {
              const T* const at = s.row_in(y) + x;
              s.row_out(y)[x] = s.on_edge(x, y) ? *at
                                                : heat_step(s.c, *at, at[-1], at[1],
                                                            *(at - s.pitch), at[s.pitch]);
            }
          }
        });
  })};
}

}  // namespace portcost::heat2d_steps
