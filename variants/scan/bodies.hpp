// SPDX-License-Identifier: Apache-2.0
// What a lane does with its packs, shared by CUDA and the tuned form. A warp (Kokkos: a thread of a
// team) has `lanes` rows of `packs` packs. A lane loads and stores every `lanes`-th pack of these
// rows, but scans one row; the tile in shared memory exchanges the two.
#pragma once

#include "variants/scan/problem.hpp"

namespace portcost::scan {

/// The packs from a row to the next in shared memory: an odd number, so that lanes that access
/// their rows have no bank conflicts.
template <Place place>
inline constexpr unsigned pitch = shape_in(place).packs | 1;
/// Where a pack of the tile lies in shared memory.
template <Place place>
PORTCOST_FORCEINLINE constexpr unsigned padded(unsigned pack) {
  return pack + pack / shape_in(place).packs * (pitch<place> - shape_in(place).packs);
}
/// The k-th pack that a lane loads and stores: neighbouring lanes have neighbouring packs.
template <Place place>
PORTCOST_FORCEINLINE constexpr unsigned pack_of(unsigned warp, unsigned k, unsigned lane) {
  return (warp * shape_in(place).packs + k) * shape_in(place).lanes + lane;
}

/// A lane's packs of a tile with `count` numbers at `in`; numbers past the end are 0.
template <class T, Place place>
PORTCOST_FORCEINLINE void load_packs(const T* in, std::uint64_t count, unsigned warp, unsigned lane,
                                     Pack<T, place>* loaded) {
  constexpr unsigned packs = shape_in(place).packs, width = pack_width<T, place>;
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    const unsigned at = pack_of<place>(warp, k, lane);
    if (count >= tile_size<T, place>) {
      loaded[k] = reinterpret_cast<const Pack<T, place>*>(in)[at];
    } else {
#pragma unroll
      for (unsigned j = 0; j < width; ++j) {
        loaded[k].at[j] = at * width + j < count ? in[at * width + j] : T(0);
      }
    }
  }
}
/// The sum of the numbers that load_packs loaded.
template <class T, Place place>
PORTCOST_FORCEINLINE T sum_of(const Pack<T, place>* loaded) {
  T sum = 0;
#pragma unroll
  for (unsigned k = 0; k < shape_in(place).packs; ++k) {
#pragma unroll
    for (unsigned j = 0; j < pack_width<T, place>; ++j) sum += loaded[k].at[j];
  }
  return sum;
}
/// Loads a lane's packs to `tile` in shared memory, and returns their sum.
template <class T, Place place>
PORTCOST_FORCEINLINE T stage_packs(const T* in, std::uint64_t count, unsigned warp, unsigned lane,
                                   Pack<T, place>* tile) {
  constexpr unsigned packs = shape_in(place).packs;
  Pack<T, place> loaded[packs];
  load_packs(in, count, warp, lane, loaded);
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    tile[padded<place>(pack_of<place>(warp, k, lane))] = loaded[k];
  }
  return sum_of(loaded);
}

/// Adds a row to `sum`. With `writes` each number becomes the sum up to it.
template <class T, Place place>
PORTCOST_FORCEINLINE void scan_row(Pack<T, place>* row, T& sum, bool writes) {
#pragma unroll
  for (unsigned k = 0; k < shape_in(place).packs; ++k) {
    Pack<T, place> pack = row[k];
#pragma unroll
    for (unsigned j = 0; j < pack_width<T, place>; ++j) pack.at[j] = sum += pack.at[j];
    if (writes) row[k] = pack;
  }
}

/// Stores a lane's packs of a scanned tile with `count` numbers at `out`, `base` added.
template <class T, Place place>
PORTCOST_FORCEINLINE void store_packs(const Pack<T, place>* tile, T* out, std::uint64_t count,
                                      unsigned warp, unsigned lane, T base) {
  constexpr unsigned packs = shape_in(place).packs, width = pack_width<T, place>;
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    const unsigned at = pack_of<place>(warp, k, lane);
    Pack<T, place> pack = tile[padded<place>(at)];
#pragma unroll
    for (unsigned j = 0; j < width; ++j) pack.at[j] += base;
    if (count >= tile_size<T, place>) {
      reinterpret_cast<Pack<T, place>*>(out)[at] = pack;
    } else {
#pragma unroll
      for (unsigned j = 0; j < width; ++j) {
        if (at * width + j < count) out[at * width + j] = pack.at[j];
      }
    }
  }
}

}  // namespace portcost::scan
