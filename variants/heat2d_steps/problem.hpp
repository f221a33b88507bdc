// SPDX-License-Identifier: Apache-2.0
// heat2d_steps: many time steps of the heat equation on nx by ny nodes with fixed edges, several of
// them in one pass over memory. Plain C++.
//
//   for step:  for y, x:  next[y][x] = edge(y, x) ? now[y][x] : heat_step(now[y][x], ...)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "src/support/error.hpp"
#include "variants/shared/heat_input.hpp"
#include "variants/shared/heat_rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::heat2d_steps {

/// One pass over memory, from grid `in` to grid `out`. nx, ny >= 1, nx at most 2^30; a row's start
/// is computed in 64 bits.
template <class T>
struct Pass {
  const T* in;
  T* out;
  int nx, ny;
  std::uint32_t pitch;
  Coefficients<T> c;

  PORTCOST_HOST_DEVICE std::uint64_t offset(int y) const {
    return std::uint64_t{static_cast<std::uint32_t>(y)} * pitch;
  }
  PORTCOST_HOST_DEVICE const T* row_in(int y) const { return in + offset(y); }
  PORTCOST_HOST_DEVICE T* row_out(int y) const { return out + offset(y); }
  PORTCOST_HOST_DEVICE int near_y(int y) const { return y < 0 ? 0 : y < ny ? y : ny - 1; }
  PORTCOST_HOST_DEVICE bool on_edge(int x, int y) const {
    return x <= 0 || y <= 0 || x >= nx - 1 || y >= ny - 1;
  }
};

/// The most steps a pass of any step, and stream_y's.
inline constexpr int most_depth = 16, stream_depth = 8;

/// A run as every variant receives it: `pass.in`, which stays as it is, after `steps` steps in
/// `pass.out`. `depth`: the most steps a pass; 0: the step's own choice.
template <class T>
struct Run {
  Pass<T> pass;
  T* spare;
  int steps, depth;
};

/// Calls f(pass, depth) for each pass of a run. next(left): the depth of the next pass, at most
/// `left`. The two grids alternate so that the last pass writes to the run's.
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // f and next may be host or device functions
#endif
template <class T, class Next, class F>
PORTCOST_HOST_DEVICE void for_passes(const Run<T>& run, const Next& next, const F& f) {
  int passes = 0;
  for (int left = run.steps; left > 0; left -= next(left)) ++passes;
  Pass<T> pass = run.pass;
  for (int left = run.steps; left > 0;) {
    const int depth = next(left);
    pass.out = --passes % 2 == 0 ? run.pass.out : run.spare;
    f(pass, depth);
    pass.in = pass.out;
    left -= depth;
  }
}

/// one_step: a step's function with a step a pass.
template <class F>
auto of_single_steps(const F& f) {
  return [f]<class T>(Run<T> run, const Stream& stream) {
    run.depth = 1;
    f(run, stream);
  };
}

/// Calls launch<depth>(pass) for each pass of stream_y, of the most steps that are compiled.
template <class T, class F>
void for_stream_passes(const Run<T>& run, const F& launch) {
  const int most = run.depth == 0 ? stream_depth : run.depth;
  const auto next = [=](int left) {
    return static_cast<int>(
        std::bit_floor(static_cast<unsigned>(std::min({left, most, stream_depth}))));
  };
  for_passes(run, next, [&](const Pass<T>& pass, int depth) {
    if (depth == stream_depth) return launch.template operator()<stream_depth>(pass);
    if (depth == 4) return launch.template operator()<4>(pass);
    if (depth == 2) return launch.template operator()<2>(pass);
    launch.template operator()<1>(pass);
  });
}

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

inline constexpr int lanes = 32;
/// Elements of 16 bytes, which are loaded and stored as one.
template <class T>
inline constexpr int piece = 16 / sizeof(T);
template <class T>
struct alignas(16) Wide {
  T at[piece<T>];
};

/// stream_y on a GPU: a warp walks down a strip of 32 lanes with 16 bytes each, of which it stores
/// all but a halo on each side.
template <class T>
inline constexpr int stream_width = lanes* piece<T>;
/// Rows loaded ahead, and rows that are unrolled, so that rows keep their registers.
inline constexpr int ahead = 3;
template <class T, int depth>
struct StreamShape {
  static constexpr int halo = ceil_div(depth, piece<T>) * piece<T>;
  static constexpr int columns = stream_width<T> - 2 * halo;
  /// Warps that a multiprocessor is to hold, and how often they are replaced during a pass.
  static constexpr int warps = depth == 8 ? 16 : 20, waves = 3;
};
/// Rows of a band: as many bands as give `slots` teams work, but none so low that the redundant
/// rows, 2 * depth a band, dominate.
constexpr int band_rows(int ny, int strips, int slots) {
  return std::max(std::min(ny, 32), ceil_div(ny, std::max(1, slots / strips)));
}

/// The teams of `strips` times `bands` tiles. Throws Failure where a launch does not take as many.
inline int league(int strips, int bands) {
  require(std::int64_t{strips} * bands <= 1 << 30, "more tiles than a launch can hold");
  return strips * bands;
}

/// overlapped: a tile with its halo in scratch, 128 by 32 nodes (f64: 64 by 32), twice. A thread
/// advances 16 bytes of four rows a step. cluster: the tiles of `clustered` blocks, one below the
/// other, are one tile of 128 rows.
inline constexpr int tile_warps = 8, tile_threads = tile_warps * lanes, tile_y = 32, tile_rows = 4;
inline constexpr int clustered = 4;
template <class T>
inline constexpr int tile_x = lanes* piece<T>;
inline constexpr int most_tile_depth = 12;
constexpr int tile_depth(int asked, int left, int own = 4) {
  return std::min({asked == 0 ? own : asked, most_tile_depth, left});
}

/// The tiles of a pass of `depth` steps. Each stores its `rows` by tile_x nodes without `depth`
/// rows and `halo` columns at each side.
template <class T>
struct TilesOf {
  int depth, rows, halo, strips, bands;

  PORTCOST_HOST_DEVICE TilesOf(const Pass<T>& s, int depth_, int rows_ = tile_y)
      : depth(depth_),
        rows(rows_),
        halo(ceil_div(depth_, piece<T>) * piece<T>),
        strips(ceil_div(s.nx, tile_x<T> - 2 * halo)),
        bands(ceil_div(s.ny, rows_ - 2 * depth_)) {}
  PORTCOST_HOST_DEVICE int x0(int strip) const { return strip * (tile_x<T> - 2 * halo) - halo; }
  PORTCOST_HOST_DEVICE int y0(int band) const { return band * (rows - 2 * depth) - depth; }
};

/// persistent: teams that a multiprocessor holds at once.
inline constexpr int persistent_teams = 4;

/// On a host a thread walks down a chunk of columns; three rows of each level stay in its core's
/// own cache.
inline constexpr int chunk_columns = 1024, chunk_margin = most_depth + 1;
inline constexpr int chunk_row = chunk_columns + 2 * chunk_margin;
inline constexpr int bands_a_thread = 2;
inline int host_depth(int asked, int left) {
  return std::min(asked == 0 ? stream_depth : asked, left);
}

/// What a variant is given.
inline constexpr Works<Run<float>, Run<double>> works;

/// Compares an answer with values recomputed from the inputs (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::heat2d_steps
