// SPDX-License-Identifier: Apache-2.0
#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

Rungs reference_rungs() {
  return {rung(works, "naive", []<class T>(const System<T>& s, const Stream&) {
    for (int k = 0; k < s.n; ++k) {
      const T* const from = s.row(k);
      const T pivot = from[k];
      if (s.refuses(k, pivot)) {
        *s.bad_pivot = k;
        return;
      }
      for (int i = k + 1; i < s.n; ++i) {
        T* const row = s.row(i);
        row[k] = multiplier(row[k], pivot);
        for (int j = k + 1; j <= s.n; ++j) row[j] = eliminate(row[j], row[k], from[j]);
      }
    }
  })};
}

}  // namespace portcost::gauss
