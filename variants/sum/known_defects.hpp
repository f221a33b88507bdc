// SPDX-License-Identifier: Apache-2.0
// Known defects of sum's peers, each with a small program that shows it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "variants/sum/problem.hpp"

namespace portcost::sum {

/// More than 2^32 numbers whose count, cut to 32 bits, fits an int.
inline bool counted_in_32_bits(const Problem& problem) {
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const auto kept = static_cast<std::uint32_t>(n);
  return n != kept && kept < static_cast<std::uint32_t>(std::numeric_limits<int>::max());
}

inline constexpr std::array known_defects{KnownDefect{
    .step = "kokkos_blas",
    .place = Place::device,
    .concerns = counted_in_32_bits,
    .library = "kokkos_kernels",
    .first_version = "4.6.1",
    .last_version = "4.6.1",
    .what = "KokkosBlas::sum with CUDA adds only the first n mod 2^32 of n >= 2^32 numbers where "
            "that remainder is less than 2^31 - 1",
    .reason = "blas/impl/KokkosBlas1_sum_spec.hpp, line 120, takes the View's length into its "
              "size_type, which is unsigned int for CudaSpace (Kokkos, "
              "core/src/Cuda/Kokkos_CudaSpace.hpp, line 66), so that line 122 finds few enough "
              "numbers for an int, which KokkosBlas1_sum_impl.hpp, line 103, counts them in",
    .reproducer = "variants/sum/reproducers/kokkosblas_sum"}};

}  // namespace portcost::sum
