// SPDX-License-Identifier: Apache-2.0
// block_vote: what each tile of 1024 consecutive elements says of itself. Plain C++.
//
//   for t:  out[t] = {count of non_zero(x), any is_nan(x), all in_range(x)} over x in tile t
#pragma once

#include <cstdint>
#include <limits>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "src/support/host_device.hpp"
#include "variants/block_vote/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::block_vote {

/// Elements of a tile, and numbers it is described by.
inline constexpr unsigned tile_size = 1024, numbers = 3;

/// The problem as every variant receives it: n elements, 256-byte aligned, the last tile cut short
/// where n is no multiple of a tile. Three numbers a tile in `out`.
template <class T>
struct Field {
  const T* in;
  std::uint64_t n;
  int* out;

  PORTCOST_HOST_DEVICE unsigned tiles() const {
    return static_cast<unsigned>((n + tile_size - 1) / tile_size);
  }
  PORTCOST_HOST_DEVICE const T* elements(unsigned tile) const {
    return in + std::uint64_t{tile} * tile_size;
  }
  /// How many elements tile `tile` has.
  PORTCOST_HOST_DEVICE unsigned size(unsigned tile) const {
    const std::uint64_t left = n - std::uint64_t{tile} * tile_size;
    return left < tile_size ? static_cast<unsigned>(left) : tile_size;
  }
  PORTCOST_HOST_DEVICE int* numbers_of(unsigned tile) const {
    return out + std::uint64_t{tile} * numbers;
  }
};

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

inline constexpr unsigned lanes = 32;

/// barrier_vote, warp_vote, packed_vote: a tile a team.
inline constexpr unsigned team_warps = 4, team_threads = lanes * team_warps;
/// Elements of a thread, one a round.
inline constexpr unsigned rounds = tile_size / team_threads;
/// barrier_vote: voters of a round, each with the same number of elements. On a host one, because
/// its vectors are in its compiler.
PORTCOST_HOST_DEVICE constexpr unsigned voters(Place place) {
  return place == Place::device ? team_threads : 1;
}

/// 16 bytes that are loaded as one.
template <class T>
inline constexpr unsigned pack_width = 16 / sizeof(T);
template <class T>
struct alignas(16) Pack {
  T at[pack_width<T>];
};
/// packed_vote: packs of a thread, all in flight together.
template <class T>
inline constexpr unsigned team_packs = tile_size / team_threads / pack_width<T>;

/// warp_tile: a tile a warp; warps of a team, each by itself; packs a lane has in flight.
inline constexpr unsigned tile_warps = 4, warp_loads = 8;
template <class T>
inline constexpr unsigned warp_packs = tile_size / lanes / pack_width<T>;
static_assert(warp_packs<float> % warp_loads == 0 && warp_packs<double> % warp_loads == 0);

/// warp_tile: tiles of a team, and lanes that share one. A host's lane has a tile to itself,
/// because the vectors of a host are in its compiler. It adds votes up by half tiles, which the ten
/// bits of a field can hold.
struct TileShape {
  unsigned tiles, lanes;
};
PORTCOST_HOST_DEVICE constexpr TileShape tile_shape(Place place) {
  return place == Place::device ? TileShape{tile_warps, lanes} : TileShape{16, 1};
}
inline constexpr unsigned half_tile = tile_size / 2;

// ---- Inputs.

/// Element i: a function of its arguments alone, the same from every compiler. Half of the tiles
/// are empty; of the others some are full, some hold NaN, some what is out of range.
template <class T>
T element_of(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t tile = random_bits(~seed, i / tile_size), r = random_bits(seed, i);
  if ((tile & 1) != 0) return T(0);
  const T fraction = static_cast<T>(static_cast<double>((r >> 40) + 1) * 0x1p-24);  // in (0, 1]
  const bool rare = (r & 63) == 0;
  switch (tile >> 1 & 7) {
    case 0:
      return fraction;
    case 1:
      return rare ? std::numeric_limits<T>::quiet_NaN() : T(0);
    case 2:
      return rare ? -fraction : fraction;
    case 3:
      return rare ? 1 + fraction : T(0);
    case 4:
      return rare ? std::numeric_limits<T>::quiet_NaN() : -fraction;
    default:  // sparse; zeros of both signs
      return (r & 3) == 0 ? fraction : (r & 4) == 0 ? T(0) : -T(0);
  }
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Field<float>, Field<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::block_vote
