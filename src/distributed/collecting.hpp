// SPDX-License-Identifier: Apache-2.0
// A whole array in the memory of one process.
#pragma once

#include "src/distributed/array.hpp"

namespace portcost::distributed {

/// Copies all points of the array, without ghost points, to `to` of rank 0, row by row (dense), in
/// host memory; complete on return. Other ranks pass null. Collective.
void collect_bytes(const ArrayBase& array, std::byte* to);
template <class T>
void collect(const Array<T>& array, T* to) {
  collect_bytes(array, reinterpret_cast<std::byte*>(to));
}

}  // namespace portcost::distributed
