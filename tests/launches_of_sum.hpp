// SPDX-License-Identifier: Apache-2.0
// The launches of sum's ladder, for tests that hand them memory of their own.
#pragma once

#include <string>
#include <vector>

#include "variants/sum/problem.hpp"

namespace portcost::test {

template <class T>
struct LaunchOfSum {
  std::string name;
  sum::Launch<T> launch;
};

/// Every launch of the ladder that runs in `place`, by its name.
template <class T>
std::vector<LaunchOfSum<T>> launches_of_sum(Place place) {
  using namespace sum;
  std::vector<LaunchOfSum<T>> result;
  if (place == Place::host) {
    result = {{"openmp stretches", openmp::stretches<T>},
              {"openmp wide_loads", openmp::wide_loads<T>},
              {"openmp single_pass", openmp::single_pass<T>}};
  }
#if PORTCOST_HAS_CUDA
  if (place == Place::device) {
    result = {{"cuda interleaved", cuda::interleaved<T>}, {"cuda strided", cuda::strided<T>},
              {"cuda sequential", cuda::sequential<T>},   {"cuda first_add", cuda::first_add<T>},
              {"cuda warp_finish", cuda::warp_finish<T>}, {"cuda wide_loads", cuda::wide_loads<T>},
              {"cuda single_pass", cuda::single_pass<T>}};
  }
#else
  result.push_back({"kokkos stretches", sum::kokkos::stretches<T>});
#endif
  if ((place == Place::device) == PORTCOST_HAS_CUDA) {
    result.insert(result.end(), {{"kokkos interleaved", sum::kokkos::interleaved<T>},
                                 {"kokkos strided", sum::kokkos::strided<T>},
                                 {"kokkos sequential", sum::kokkos::sequential<T>},
                                 {"kokkos first_add", sum::kokkos::first_add<T>},
                                 {"kokkos warp_finish", sum::kokkos::warp_finish<T>},
                                 {"kokkos wide_loads", sum::kokkos::wide_loads<T>},
                                 {"kokkos single_pass", sum::kokkos::single_pass<T>}});
  }
  return result;
}

}  // namespace portcost::test
