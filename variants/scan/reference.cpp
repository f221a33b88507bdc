// SPDX-License-Identifier: Apache-2.0
#include "variants/scan/problem.hpp"

namespace portcost::scan {

Rungs reference_rungs() {
  return {rung(works, "serial", []<class T>(const Sequence<T>& s, const Stream&) {
    T sum = 0;
    for (std::uint64_t i = 0; i < s.n; ++i) s.out[i] = sum += s.in[i];
  })};
}

}  // namespace portcost::scan
