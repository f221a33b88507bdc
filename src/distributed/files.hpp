// SPDX-License-Identifier: Apache-2.0
// Distributed arrays in files (MPI-IO): the whole array in one file, row by row, whoever wrote it.
#pragma once

#include <string>
#include <string_view>

#include "src/distributed/array.hpp"

namespace portcost::distributed {

/// Writes the array without ghost points: `header`, then the elements of all planes and rows in
/// order, without gaps, as they lie in memory. The bytes do not depend on processes or shares.
/// `header` (npy_header(), say) is rank 0's. Collective.
///
/// The file is there complete or not at all: it is written as PATH.part and renamed. Throws
/// SharedUsageError where it cannot be created, SharedFailure where the file system is full or
/// takes no file of this length; then nothing is left.
void gather(const ArrayBase& array, const std::string& path, std::string_view header = {});

/// Fills the array from such a file, whose elements begin after `header_bytes` bytes. Ghost points
/// stay. Collective. Throws SharedUsageError, which names the bytes, where the file cannot be read
/// or has another length than the array.
void scatter(ArrayBase& array, const std::string& path, std::int64_t header_bytes = 0);

}  // namespace portcost::distributed
