// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer: one step after another.
#include "variants/heat2d_steps/problem.hpp"

namespace portcost::heat2d_steps {

Rungs reference_rungs() {
  return {rung(works, "one_step", []<class T>(const Steps<T>& s, const Stream&) {
    for_passes(s, 1, any_depth, [](const Pass<T>& p, int) {
      for (int y = 0; y < p.ny; ++y) {
        const T* const row = p.row_in(y);
        for (int x = 0; x < p.nx; ++x) {
          p.row_out(y)[x] = p.on_edge(x, y) ? row[x]
                                            : heat_step(p.c, row[x], row[x - 1], row[x + 1],
                                                        *(row + x - p.pitch), *(row + x + p.pitch));
        }
      }
    });
  })};
}

}  // namespace portcost::heat2d_steps
