// SPDX-License-Identifier: Apache-2.0
// Boxes in pieces that fit into a buffer: arithmetic alone.
#pragma once

#include <vector>

#include "src/distributed/box.hpp"

namespace portcost::distributed {

/// What is held of an array at a time where the whole of a part would be too much: little memory of
/// the host for a device's part, and a number of bytes that MPI's int counts.
inline constexpr std::int64_t slab_bytes = std::int64_t{1} << 26;

/// A box in pieces of at most slab_bytes, in order, each a stretch of the box's points: planes,
/// rows of one plane, or a piece of one row.
std::vector<Box> slabs_of(const Box& box, std::int64_t element_bytes);

}  // namespace portcost::distributed
