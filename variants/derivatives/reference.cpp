// SPDX-License-Identifier: Apache-2.0
#include "variants/derivatives/problem.hpp"

namespace portcost::derivatives {

namespace {

template <Kind kind, class T>
void serial(const Field<T>& s) {
  for (int z = 0; z < s.nz; ++z) {
    for (int y = 0; y < s.ny; ++y) {
      for (int x = 0; x < s.nx; ++x) {
        T f[3][nine] = {};
        for (int k = 0; k < nine; ++k) {
          f[0][k] = s.f[s.at({wrapped(x + k - reach, s.nx), y, z})];
          f[1][k] = s.f[s.at({x, wrapped(y + k - reach, s.ny), z})];
          f[2][k] = s.f[s.at({x, y, wrapped(z + k - reach, s.nz)})];
        }
        store<kind>(s, {x, y, z}, f);
      }
    }
  }
}

}  // namespace

Rungs reference_rungs() {
  return {rung(works, "naive",
               of_kind([](auto kind, const auto& s, const Stream&) { serial<kind.value>(s); }))};
}

}  // namespace portcost::derivatives
