// SPDX-License-Identifier: Apache-2.0
// strides: copies whose elements do not follow each other from the start of a line. Plain C++.
//
//   reads:        for i < n:            b[i]                   = a[offset + i * stride]
//   writes:       for i < n:            b[offset + i * stride] = a[i]
//   both:         for i < n:            b[offset + i * stride] = a[offset + i * stride]
//   packed_rows:  for r < rows, c < columns:  b[r * columns + c] = a[r * columns + c]
//   padded_rows:  the same, rows a multiple of 64 bytes apart
//   gather, gather_read_only, gather_texture:
//                 for i < n:            b[i] = a[picked(i)], of the first `columns` elements
//   scaled_alike, scaled_apart:  for i < n:  b[i] = a[i] * coefficient(i / 32 % 32), (i % 32)
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::strides {

inline constexpr std::int64_t most_elements = std::int64_t{1} << 30;
inline constexpr int most_offset = 33, most_stride = 64, most_columns = 1 << 20;

/// The arrays as every variant receives them; both are 256-byte aligned. On return `b` has what
/// the step copies, and nothing else of it is changed.
template <class T>
struct Copies {
  const T* a;
  T* b;
  int n, offset, stride;
  int rows, columns;
  int pitch;  // elements between the starts of padded rows

  /// Where the i-th element of a strided side lies, in 64 bits.
  PORTCOST_HOST_DEVICE std::uint64_t strided(int i) const {
    return static_cast<std::uint32_t>(offset) + times(i, stride);
  }
  /// Where row r begins.
  PORTCOST_HOST_DEVICE std::uint64_t packed_row(int r) const { return times(r, columns); }
  PORTCOST_HOST_DEVICE std::uint64_t padded_row(int r) const { return times(r, pitch); }

 private:
  // 32 by 32 to 64 bits without a sign, one instruction on a GPU.
  PORTCOST_HOST_DEVICE static std::uint64_t times(int i, int apart) {
    return std::uint64_t{static_cast<std::uint32_t>(i)} * static_cast<std::uint32_t>(apart);
  }
};

/// Which side of a copy is strided.
enum class Side { reads, writes, both };

/// Where the i-th element is read, and written.
template <Side side, class T>
PORTCOST_HOST_DEVICE std::uint64_t source(const Copies<T>& s, int i) {
  return side == Side::writes ? static_cast<std::uint32_t>(i) : s.strided(i);
}
template <Side side, class T>
PORTCOST_HOST_DEVICE std::uint64_t target(const Copies<T>& s, int i) {
  return side == Side::reads ? static_cast<std::uint32_t>(i) : s.strided(i);
}
/// Where row r begins, on both sides.
template <bool padded, class T>
PORTCOST_HOST_DEVICE std::uint64_t row_of(const Copies<T>& s, int r) {
  return padded ? s.padded_row(r) : s.packed_row(r);
}

/// gather: which of the first `columns` elements becomes the i-th, in no order (Fibonacci hashing,
/// Knuth).
template <class T>
PORTCOST_HOST_DEVICE std::uint32_t picked(const Copies<T>& s, int i) {
  const std::uint32_t hash = static_cast<std::uint32_t>(i) * 0x9E3779B9u;
  return static_cast<std::uint32_t>(std::uint64_t{hash} * static_cast<std::uint32_t>(s.columns) >>
                                    32);
}

/// scaled_*: constants, and which of them the i-th element has: the same along a warp, or another
/// in each lane.
template <class T>
struct Coefficients {
  static constexpr int count = 32;
  T at[count];

  constexpr Coefficients() : at() {
    for (int k = 0; k < count; ++k) at[k] = 1 + static_cast<T>(k) / count;
  }
  PORTCOST_HOST_DEVICE const T& operator()(int k) const { return at[k]; }
};
template <bool alike>
PORTCOST_HOST_DEVICE constexpr int which(int i) {
  return (alike ? i / 32 : i) % 32;
}

/// Elements between the starts of rows that Kokkos pads where a View is allocated with
/// AllowPadding: a multiple of 64 bytes, unless a row is no longer than that (KOKKOS_MEMORY_
/// ALIGNMENT of Kokkos 3.4 to 4.6; kokkos/usual.cpp compares it with Kokkos's own).
constexpr int pitch_of(int columns, int element_bytes) {
  const int line = 64 / element_bytes;
  return columns <= line ? columns : ceil_div(columns, line) * line;
}

/// The input: element `at` of `a`, in [0, 1).
template <class T>
constexpr T element(std::uint64_t seed, std::uint64_t at) {
  return in_unit<T>(random_bits(seed, at));
}

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

inline constexpr int lanes = 32, warps = 8, threads = lanes * warps;
/// Elements of a thread. Neighbours of a warp are neighbours of the copy.
inline constexpr int loads = 4;
/// reads, writes, both: a team's elements. A team of a host is one thread, with a longer stretch.
PORTCOST_HOST_DEVICE constexpr int stretch(Place place) {
  return place == Place::device ? threads * loads : 1 << 14;
}
/// Rows: a team's tile. A warp has 32 columns of one row, a thread four rows.
struct TileShape {
  int columns, rows;
};
PORTCOST_HOST_DEVICE constexpr TileShape tile_shape(Place place) {
  return place == Place::device ? TileShape{lanes, warps * loads} : TileShape{1 << 14, 1};
}

// ---- The problem.

/// Rows of the row steps: as many as n elements need, the last one whole.
std::int64_t rows_of(const Problem& p);
/// Elements of each array: enough for every step.
std::int64_t length_of(const Problem& p);

/// Why the row steps do not take a problem; empty where they do.
inline std::string_view no_rows(const Problem& p) {
  if (p.size.at("offset") == 0 && p.size.at("stride") == 1) return {};
  return "rows have neither offset nor stride here: offset=0,stride=1";
}

/// Sectors of 32 bytes, the unit in which a GPU's caches and memory move data.
struct Sectors {
  double loads = 0, stores = 0;  // requested by warps: each sector once a warp's instruction
  double read = 0, written = 0;  // of memory: each sector once
};
/// What theory says of a team kernel of `step` on a GPU (plain arithmetic on
/// addresses): a warp's 32 neighbours ask for the sectors that they lie in, each once.
Sectors sectors(const Problem& p, std::string_view step);
/// The same, by the names of the counters of perf/portcost explain.
std::vector<Prediction> predicted(const Problem& p, const Variant& variant);

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Copies<float>, Copies<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::strides
