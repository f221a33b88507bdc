// SPDX-License-Identifier: Apache-2.0
// The kernels between transforms by OpenMP.
#pragma once

#include "variants/shared/fft.hpp"

namespace portcost::fft::by_openmp {

/// Replaces each mode of a spectrum by glue.at(row, mode).
template <class Glue>
void for_modes(const Glue& glue) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < glue.rows; ++row) {
    auto* const modes = glue.spectrum + std::int64_t{row} * glue.modes;
#pragma omp simd
    for (int k = 0; k < glue.modes; ++k) modes[k] = glue.at(row, k);
  }
}

inline constexpr auto scale = []<class T>(T* out, std::int64_t count, T by, const Stream&) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) out[i] *= by;
};

}  // namespace portcost::fft::by_openmp
