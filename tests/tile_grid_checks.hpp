// SPDX-License-Identifier: Apache-2.0
// What the Kokkos test source offers to the others, which see neither Kokkos nor its compiler.
#pragma once

#include <cstdint>

namespace portcost::test {

/// The first rank whose row or column differs from what division gives; -1 when none was found
/// among the first ranks, random rows and the last rows.
std::int64_t first_misplaced_tile(int columns, int rows);

/// Whether streams that are used in turns keep an execution space each.
bool streams_keep_their_spaces();

}  // namespace portcost::test
