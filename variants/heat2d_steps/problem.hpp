// SPDX-License-Identifier: Apache-2.0
// heat2d_steps: many time steps of heat2d, several of them in one pass over memory. Plain C++.
//
//   out = `steps` times: next[y][x] = edge(y, x) ? now[y][x] : heat_step(now[y][x], its neighbours)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "src/contract/rung.hpp"
#include "src/memory/buffer.hpp"
#include "variants/heat2d_steps/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::heat2d_steps {

/// The input: node y * nx + x at first, in [0, 1), whatever the pitch.
constexpr double temperature(std::uint64_t seed, std::uint64_t node) {
  return static_cast<double>(random_bits(seed, node) >> 40) * 0x1p-24;
}

/// Rows start every `pitch` elements, a multiple of 128 bytes. Elements from nx to pitch may be
/// read and hold no meaning.
template <class T>
constexpr std::int64_t pitch_of(std::int64_t nx) {
  constexpr std::int64_t line = 128 / sizeof(T);
  return (nx + line - 1) / line * line;
}

/// One pass: some steps from `in` to `out`. nx, ny >= 1, each below 2^31.
template <class T>
struct Pass {
  const T* in;
  T* out;
  int nx, ny;
  std::uint32_t pitch;
  Coefficients<T> c;

  /// Elements before row y: 32 by 32 to 64 bits without a sign, one instruction on a GPU.
  PORTCOST_HOST_DEVICE std::uint64_t offset(int y) const {
    return std::uint64_t{static_cast<std::uint32_t>(y)} * pitch;
  }
  PORTCOST_HOST_DEVICE const T* row_in(int y) const { return in + offset(y); }
  PORTCOST_HOST_DEVICE T* row_out(int y) const { return out + offset(y); }
  PORTCOST_HOST_DEVICE bool on_edge(int x, int y) const {
    return x <= 0 || y <= 0 || x >= nx - 1 || y >= ny - 1;
  }
};

/// All steps, as a variant receives them. `spare` is a grid for its use.
template <class T>
struct Steps {
  const T* in;
  T *out, *spare;
  int nx, ny;
  std::uint32_t pitch;
  int steps, depth;  // depth: the most steps of a pass
  Coefficients<T> c;
};

inline constexpr int most_depth = 8;
/// The steps of the next pass, of `left`, where a pass may have any number of steps.
constexpr int any_depth(int left, int most) { return std::min(left, most); }
/// The same where a pass has 1, 2, 4 or 8: kernels that have the number at compile time.
constexpr int power_depth(int left, int most) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::min(left, most))));
}

/// Calls f(pass, steps of it) for each pass. Passes write `out` and `spare` in turn, `out` last.
template <class T, class Next, class F>
void for_passes(const Steps<T>& s, int most, const Next& next, const F& f) {
  int passes = 0;
  for (int left = s.steps; left > 0; left -= next(left, most)) ++passes;
  const T* from = s.in;
  for (int left = s.steps; left > 0; --passes) {
    const int steps = next(left, most);
    T* const to = passes % 2 == 1 ? s.out : s.spare;
    f(Pass<T>{from, to, s.nx, s.ny, s.pitch, s.c}, steps);
    from = to;
    left -= steps;
  }
}

// ---- Shapes, which both sides of a pair read here.

inline constexpr int lanes = 32;
/// 16 bytes that are loaded and stored as one.
template <class T>
inline constexpr int piece = 16 / sizeof(T);
template <class T>
struct alignas(16) Wide {
  T at[piece<T>];
};

/// overlapped: a tile in scratch, twice, of which each step leaves one more line on each side
/// behind. A GPU's item has a piece of `rows` rows. On a host a tile fills a core's cache, and an
/// item has a row.
struct TileShape {
  int width, height, rows, warps;  // width in bytes
};
PORTCOST_HOST_DEVICE constexpr TileShape tile_shape(Place place) {
  return place == Place::device ? TileShape{512, 40, 8, 5} : TileShape{4096, 96, 1, 1};
}
/// Beyond four steps a GPU's tile gains nothing.
PORTCOST_HOST_DEVICE constexpr int tile_depth(Place place) {
  return place == Place::device ? 4 : most_depth;
}
/// Columns at each side of a tile or a strip that hold the halo of `steps` steps, whole pieces.
template <class T>
PORTCOST_HOST_DEVICE constexpr int halo_of(int steps) {
  return (steps + piece<T> - 1) / piece<T> * piece<T>;
}

/// stream_y: a warp walks down a strip; a lane has `own` columns of it, and three rows of each of
/// its time levels in registers. Lanes exchange columns by shuffles, so that nothing waits for a
/// barrier.
inline constexpr int own = 4;
inline constexpr int ahead = 3;  // rows of the input that are loaded before they are needed
template <class T, int steps>
inline constexpr int strip = lanes* own - 2 * halo_of<T>(steps);
/// Teams that a multiprocessor is to hold: the second launch bound.
template <class T>
inline constexpr int stream_teams = sizeof(T) == 8 ? 8 : 16;
/// Rows of a team's stretch of a strip: enough teams for three times those that a large GPU holds,
/// but no stretch shorter than twice the rows that it computes for itself alone.
constexpr int stretch_of(std::int64_t strips, int ny, int steps) {
  constexpr std::int64_t teams = 6336;
  const std::int64_t rows = (std::int64_t{ny} * strips + teams - 1) / teams;
  return static_cast<int>(std::clamp<std::int64_t>(rows, 4 * steps, std::max(ny, 4 * steps)));
}

/// What a variant is given.
inline constexpr Works<Steps<float>, Steps<double>> works;

/// Compares an answer with values recomputed from the inputs (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::heat2d_steps
