// SPDX-License-Identifier: Apache-2.0
#include "variants/block_vote/problem.hpp"

namespace portcost::block_vote {

Rungs reference_rungs() {
  return {rung(works, "barrier_vote", []<class T>(const Field<T>& s, const Stream&) {
    for (unsigned tile = 0; tile < s.tiles(); ++tile) {
      int count = 0;
      bool nan = false, all = true;
      for (unsigned i = 0; i < s.size(tile); ++i) {
        const T x = s.elements(tile)[i];
        count += non_zero(x);
        nan = nan || is_nan(x);
        all = all && in_range(x);
      }
      int* const out = s.numbers_of(tile);
      out[0] = count;
      out[1] = nan;
      out[2] = all;
    }
  })};
}

}  // namespace portcost::block_vote
