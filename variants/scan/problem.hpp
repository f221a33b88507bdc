// SPDX-License-Identifier: Apache-2.0
// scan: the inclusive scan of n numbers, n >= 0. Plain C++.
//
//   out[i] = in[0] + in[1] + ... + in[i], for i < n
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "src/contract/rung.hpp"
#include "src/support/error.hpp"
#include "src/support/host_device.hpp"
#include "variants/scan/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::scan {

/// The scan that every variant receives. `in`, which nothing writes, and `out` are 256-byte
/// aligned, as every Buffer is.
template <class T>
struct Sequence {
  const T* in;
  std::uint64_t n;
  T* out;
  T* totals;              // one per tile: sums that one launch passes to the next
  std::uint64_t* states;  // State<T>::words a tile, for look_back; a run leaves its own flags
  unsigned* counters;     // look_back's ticket, 0 between runs, and its number of runs before
  int processors;         // host threads (openmp.cpp)
};
/// The elements of `counters`.
inline constexpr int ticket = 0, runs = 1;

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// A tile: each lane has `packs` packs of `bytes`. A multiprocessor holds `teams` teams (a launch
/// bound), whose tiles are in flight together. A warp looks back at a window of `lanes` tiles at a
/// time. On a host one lane does a team's work.
struct Shape {
  unsigned warps, lanes, packs, bytes, teams;
  PORTCOST_HOST_DEVICE constexpr unsigned threads() const { return warps * lanes; }
};
PORTCOST_HOST_DEVICE constexpr Shape shape_in(Place place) {
  return place == Place::device ? Shape{8, 32, 8, 16, 5} : Shape{1, 1, 512, 64, 1};
}
template <class T, Place place>
inline constexpr unsigned pack_width = shape_in(place).bytes / sizeof(T);
template <class T, Place place>
struct alignas(shape_in(place).bytes) Pack {
  T at[pack_width<T, place>];
};
/// Numbers in a tile, which has 32 KiB.
template <class T, Place place>
inline constexpr unsigned tile_size = shape_in(place).threads() *
                                      shape_in(place).packs* pack_width<T, place>;

/// The tiles of n numbers; the last one may be a remainder.
template <class T, Place place>
unsigned tiles_of(std::uint64_t n) {
  const std::uint64_t count = ceil_div(n, std::uint64_t{tile_size<T, place>});
  require(count <= std::numeric_limits<int>::max(), "more tiles than a launch can count");
  return static_cast<unsigned>(count);
}

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Sequence<Word>, Sequence<float>, Sequence<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::scan
