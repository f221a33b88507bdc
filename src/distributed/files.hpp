// SPDX-License-Identifier: Apache-2.0
// Distributed arrays in files (MPI-IO): the whole array in one file, row by row, whoever wrote it;
// and in the memory of one process.
#pragma once

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

/// Copies all points of the array, without ghost points, to `to` of rank 0, row by row (dense), in
/// host memory; complete on return. Other ranks pass null. Collective.
void collect_bytes(const ArrayBase& array, std::byte* to);
template <class T>
void collect(const Array<T>& array, T* to) {
  collect_bytes(array, reinterpret_cast<std::byte*>(to));
}

}  // namespace portcost::distributed
