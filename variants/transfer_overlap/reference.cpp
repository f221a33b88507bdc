// SPDX-License-Identifier: Apache-2.0
#include "variants/transfer_overlap/problem.hpp"

namespace portcost::transfer_overlap {

Rungs reference_rungs() {
  return {rung(works, "sequential", []<class T>(const Overlap<T>& s, const Stream&) {
    for (std::int64_t i = 0; i < s.cut.n; ++i) s.a[i] = increased(s.a[i], static_cast<T>(i));
    if (s.host_works) s.room->work_of_host();
  })};
}

}  // namespace portcost::transfer_overlap
