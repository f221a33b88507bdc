// SPDX-License-Identifier: Apache-2.0
// The bodies of CUDA and Kokkos: what an index does with its number.
#pragma once

#include "variants/divergence/problem.hpp"

namespace portcost::divergence {

struct Branch {
  PORTCOST_HOST_DEVICE float operator()(const Work& s, unsigned lane, float x) const {
    if (lane < s.diverging) {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = else_stretch(x);
    } else {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

struct Loop {
  PORTCOST_HOST_DEVICE float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
#pragma unroll 1
    for (unsigned t = 0; t < trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

// All lanes make all trips, and keep what theirs have left.
struct UniformLoop {
  PORTCOST_HOST_DEVICE float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
    float result = x;
#pragma unroll 1
    for (unsigned t = 0; t < most_trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
      result = t < trips ? x : result;
    }
    return result;
  }
};

}  // namespace portcost::divergence
