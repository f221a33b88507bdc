// SPDX-License-Identifier: Apache-2.0
// The launches of histogram, for tests that hand them keys of their own.
#pragma once

#include <string>
#include <vector>

#include "variants/histogram/problem.hpp"

namespace portcost::test {

struct LaunchOfHistogram {
  std::string name;
  histogram::Launch launch;
};

/// Every launch that runs in `place`, by its name.
inline std::vector<LaunchOfHistogram> launches_of_histogram(Place place) {
  using namespace histogram;
  std::vector<LaunchOfHistogram> result;
  if (place == Place::host) {
    result = {{"reference global_atomics", histogram::reference::global_atomics},
              {"openmp global_atomics", openmp::global_atomics},
              {"openmp scratch_atomics", openmp::scratch_atomics},
              {"openmp wide_loads", openmp::wide_loads},
              {"openmp warp_private", openmp::warp_private},
              {"openmp lane_striped", openmp::lane_striped}};
  }
#if PORTCOST_HAS_CUDA
  if (place == Place::device) {
    result = {{"cuda global_atomics", cuda::global_atomics},
              {"cuda scratch_atomics", cuda::scratch_atomics},
              {"cuda wide_loads", cuda::wide_loads},
              {"cuda warp_private", cuda::warp_private},
              {"cuda warp_aggregated", cuda::warp_aggregated},
              {"cuda lane_striped", cuda::lane_striped},
              {"cuda lane_private", cuda::lane_private}};
  }
#endif
  if ((place == Place::device) == PORTCOST_HAS_CUDA) {
    result.insert(result.end(), {{"kokkos global_atomics", histogram::kokkos::global_atomics},
                                 {"kokkos scratch_atomics", histogram::kokkos::scratch_atomics},
                                 {"kokkos wide_loads", histogram::kokkos::wide_loads},
                                 {"kokkos warp_private", histogram::kokkos::warp_private},
                                 {"kokkos lane_striped", histogram::kokkos::lane_striped},
                                 {"kokkos lane_private", histogram::kokkos::lane_private}});
  }
  return result;
}

}  // namespace portcost::test
