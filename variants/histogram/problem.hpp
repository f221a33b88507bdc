// SPDX-License-Identifier: Apache-2.0
// histogram: how many of n keys fall into each bin. Plain C++.
//
//   for i: ++out[in[i]]
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::histogram {

/// Counts are 32-bit, and are compared as i32, so n stays below this.
inline constexpr std::int64_t most_keys = (std::int64_t{1} << 31) - 1;
/// The possible numbers of bins.
inline constexpr unsigned few_bins = 64, some_bins = 256, many_bins = 4096;

/// The problem that every variant receives: keys in [0, bins), 256-byte aligned. `out` is not
/// initialised; the run zeroes it. `processors`: multiprocessors of the device, or the host's
/// threads.
struct Keys {
  const unsigned* in;
  unsigned n;
  unsigned* out;
  unsigned bins;
  unsigned processors;
};

/// Calls action(std::integral_constant<unsigned, bins>): a kernel knows the number of bins at
/// compile time, so that the address of a counter costs one instruction.
template <class Action>
void with_bins(unsigned bins, const Action& action) {
  if (bins == few_bins) action(std::integral_constant<unsigned, few_bins>());
  if (bins == some_bins) action(std::integral_constant<unsigned, some_bins>());
  if (bins == many_bins) action(std::integral_constant<unsigned, many_bins>());
}

// ---- Shapes. They define a step, so both sides of a pair read them here.

inline constexpr unsigned lanes = 32;

/// A team's threads, and the 16-byte packs that each has in flight. On a host a team is one thread
/// with one lane. `teams`: the teams that a multiprocessor holds (a launch bound). A launch has no
/// more teams than that, with grid-stride loops, so that copies are zeroed and merged once each.
struct Shape {
  unsigned warps, lanes, loads, teams;
  PORTCOST_HOST_DEVICE constexpr unsigned threads() const { return warps * lanes; }
};
/// global_atomics, scratch_atomics: a key at a time.
PORTCOST_HOST_DEVICE constexpr Shape plain_shape(Place place) {
  return place == Place::device ? Shape{8, lanes, 1, 8} : Shape{1, 1, 1, 1};
}
/// wide_loads and all later steps except lane_private.
PORTCOST_HOST_DEVICE constexpr Shape wide_shape(Place place) {
  return place == Place::device ? Shape{8, lanes, 4, 5} : Shape{1, 1, 4, 1};
}
/// lane_private, in every place: an item counts in a column of its own.
inline constexpr Shape private_shape{4, lanes, 4, 6};

/// 16 bytes that are loaded at once.
inline constexpr unsigned pack_width = 4;
struct alignas(16) Pack {
  unsigned at[pack_width];
};

/// The owner of a copy of the counters: the team; each warp; or each lane of a group of
/// `lane_copies`, whatever its warp. On a host, where a team is one lane, the owner is a position
/// in a pack, so that equal keys in a row need not wait for one counter.
enum class Split { team, warp, lane };
/// With 32 copies, one a lane, a small problem pays more for zeroing and merging than it saves;
/// with 4, lanes with the same bin wait for each other.
inline constexpr unsigned lane_copies = 8;
/// The most counters in a team's scratch: 32 KiB, because Kokkos offers at most 48 of level 0.
inline constexpr unsigned most_counters = 8192;

/// The copies of a team: one for each warp, lane or position in a pack if they fit, else as many as
/// fit. With 8 warps: 8 by warp and by lane for 64 and 256 bins; two for 4096 bins, shared by the
/// even and by the odd warps or lanes.
template <Split split, unsigned bins, Place place>
inline constexpr unsigned copies = split == Split::team
                                       ? 1u
                                       : std::min(most_counters / bins,
                                                  place == Place::host   ? pack_width
                                                  : split == Split::warp ? wide_shape(place).warps
                                                                         : lane_copies);

/// The copy in which item `id` of a team counts the key at position `j` of a pack.
template <Split split, unsigned bins, Place place>
PORTCOST_HOST_DEVICE constexpr unsigned copy_of(unsigned id, unsigned j) {
  const unsigned who = place == Place::host ? j : split == Split::warp ? id / lanes : id;
  return who % copies<split, bins, place>;
}

/// The place of a bin's counter. Copies follow each other; but by lane the copies of a bin are
/// neighbours, in banks of their own, so that only every eighth lane can have a bank conflict,
/// whatever the keys.
template <Split split, unsigned bins, Place place>
PORTCOST_HOST_DEVICE constexpr unsigned counter_of(unsigned bin, unsigned copy) {
  return split == Split::lane ? bin * copies<split, bins, place> + copy : copy * bins + bin;
}

/// lane_private: a column of byte counters a thread, in words of four bins. Word w of column c is
/// word w * threads + c, so that each lane stays in its own bank. A byte holds 255, so columns are
/// added up every `trips` tiles. This needs `threads` columns to fit, which they do not with 4096
/// bins; the step then uses lane's copies.
template <unsigned bins>
struct Columns {
  static constexpr unsigned threads = private_shape.threads();
  static constexpr unsigned words = bins / 4;
  static constexpr bool fit = words * threads <= most_counters;
  static constexpr unsigned trips = 254 / (private_shape.loads * pack_width);  // and one left over
  /// Item `id` adds up word id % words of the columns from id / words * span.
  static constexpr unsigned span = fit ? threads / (threads / words) : 1;
  static constexpr unsigned counters = words * threads;
  static_assert(!fit || (threads % words == 0 && span * 255 < 1 << 16));

  PORTCOST_HOST_DEVICE static constexpr unsigned byte_of(unsigned key, unsigned id) {
    return (key & ~3u) * threads + (key & 3u) + 4 * id;
  }
  /// Word i of the words that item `id` adds up. Lanes start at different words, so that they have
  /// no bank conflicts.
  PORTCOST_HOST_DEVICE static constexpr unsigned word_of(unsigned id, unsigned i) {
    return id % words * threads + id / words * span + (i + id) % span;
  }
};

/// The partition of n keys: full packs in tiles of `loads` a thread; the first team counts the keys
/// past the last pack. The last tile may be a remainder.
struct Plan {
  unsigned packs;
  unsigned full;   // leading tiles with all their packs
  unsigned tiles;  // all
  unsigned teams;
};
inline Plan plan(const Keys& s, const Shape& shape) {
  const unsigned packs = s.n / pack_width, tile = shape.threads() * shape.loads;
  const unsigned tiles = ceil_div(packs, tile);
  return {packs, packs / tile, tiles, std::clamp(tiles, 1u, s.processors * shape.teams)};
}
/// The teams of steps that read a key at a time.
inline unsigned plain_teams(const Keys& s, const Shape& shape) {
  return std::clamp(ceil_div(s.n, shape.threads()), 1u, s.processors * shape.teams);
}

/// A team's part of `count` tiles or keys: first, first + step, ... below end. On a device the part
/// is grid-stride; a host's thread has a contiguous chunk.
struct Turns {
  unsigned first, step, end;
};
template <Place place>
PORTCOST_HOST_DEVICE constexpr Turns turns_of(unsigned count, unsigned team, unsigned teams) {
  if (place == Place::device) return {team, teams, count};
  const auto part = [&](unsigned i) {
    return static_cast<unsigned>(std::uint64_t{count} * i / teams);
  };
  return {part(team), 1, part(team + 1)};
}

// ---- Inputs.

/// The distribution of keys; the parameter `skew`: uniform over the bins, or nine keys of ten in
/// bin 0 and the others Zipf-like.
enum class Skew { none, heavy };
inline constexpr std::array<std::string_view, 2> skew_names{"none", "heavy"};
inline Skew skew_of(const Problem& problem) {
  return static_cast<Skew>(problem.parameters.number_of("skew", skew_names));
}
inline unsigned key_of(Skew skew, std::uint64_t seed, std::uint64_t i, unsigned bins) {
  const std::uint64_t r = random_bits(seed, i);
  const auto low = static_cast<unsigned>(r >> 40);  // 24 random bits
  if (skew == Skew::none) return low % bins;
  if (static_cast<unsigned>(r) % 10 != 0) return 0;
  // Zipf-like: the octaves [2^k, 2^(k+1)) of bins are equally likely, so that a bin's probability
  // falls as one over its number.
  const auto octaves = static_cast<unsigned>(std::bit_width(bins)) - 1;
  const unsigned first = 1u << (static_cast<unsigned>(r) / 10 % octaves);
  return first + low % first;
}

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Keys> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::histogram
