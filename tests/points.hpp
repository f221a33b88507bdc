// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/distributed/box.hpp"

namespace portcost::test {

/// f(point) for every point of a box, columns the fastest.
template <class F>
void for_points(const distributed::Box& box, const F& f) {
  for (std::int64_t p = box.begin[0]; p < box.end[0]; ++p) {
    for (std::int64_t r = box.begin[1]; r < box.end[1]; ++r) {
      for (std::int64_t c = box.begin[2]; c < box.end[2]; ++c) f(distributed::Index{p, r, c});
    }
  }
}

}  // namespace portcost::test
