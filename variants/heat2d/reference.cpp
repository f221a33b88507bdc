// SPDX-License-Identifier: Apache-2.0
#include "variants/heat2d/problem.hpp"

namespace portcost::heat2d {

Rungs reference_rungs() {
  return {rung(works, "naive", []<class T>(const Step<T>& s, const Stream&) {
    for (int y = 0; y < s.ny; ++y) {
      const T* const row = s.row_in(y);
      T* const out = s.row_out(y);
      for (int x = 0; x < s.nx; ++x) {
        out[x] = s.on_edge(x, y) ? row[x]
                                 : heat_step(s.c, row[x], row[x - 1], row[x + 1],
                                             *(row + x - s.pitch), *(row + x + s.pitch));
      }
    }
  })};
}

}  // namespace portcost::heat2d
