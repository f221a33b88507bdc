// SPDX-License-Identifier: Apache-2.0
// heat2d: nx by ny nodes, fixed (Dirichlet) edges, two grids swapped after each step. Plain C++.
//
//   for y, x:  out[y][x] = edge(y, x) ? in[y][x] : heat_step(in[y][x], in[y][x-1], in[y][x+1],
//   in[y-1][x], in[y+1][x])
#pragma once

#include <cstdint>

#include "src/contract/rung.hpp"
#include "src/memory/buffer.hpp"
#include "variants/shared/heat_input.hpp"
#include "variants/shared/heat_rule.hpp"

namespace portcost::heat2d {

/// Physical constants: diffusivity, time step, node distances (any consistent units).
struct Physics {
  double alpha = 1, dt = 0.2, dx = 1, dy = 1;
};

/// alpha dt / dx^2 and alpha dt / dy^2. Throws UsageError, naming the value and the largest dt
/// allowed, unless all are positive and finite and the scheme is stable: alpha dt (1/dx^2 + 1/dy^2)
/// <= 1/2.
Coefficients<double> coefficients(const Physics& physics);
/// The same of a problem.
Coefficients<double> coefficients_of(const Problem& problem);

/// One step as every variant receives it. nx, ny >= 1 and each below 2^31; nx * ny may pass it, so
/// a row's start is computed in 64 bits, and 32-bit offsets are used only within a row and within a
/// tile.
template <class T>
struct Step {
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
  /// True when `columns` by `rows` nodes from (x, y) and the halo around them lie in the grid, so
  /// that none of them is on its edge: most tiles are, and need no clamping and no questions.
  PORTCOST_HOST_DEVICE bool holds(int x, int y, int columns, int rows) const {
    return x > 0 && y > 0 && x < nx - columns && y < ny - rows;
  }
  PORTCOST_HOST_DEVICE bool on_edge(int x, int y) const {
    return x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
  }
  /// Keeps the nodes i < max(nx, ny) of the outer rows and columns.
  PORTCOST_HOST_DEVICE void keep_edge(int i) const {
    const auto keep = [this](int x, int y) { row_out(y)[x] = row_in(y)[x]; };
    if (i < nx) {
      keep(i, 0);
      keep(i, ny - 1);
    }
    if (i > 0 && i < ny - 1) {
      keep(0, i);
      keep(nx - 1, i);
    }
  }
};

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

/// Threads of a team: 32 lanes along x times `warps` along y.
inline constexpr int lanes = 32;

/// naive: a node a thread, 32 x 8 threads. On a host a team is one thread, and takes a stretch of
/// one row.
struct NaiveShape {
  int x, y, warps;
};
PORTCOST_HOST_DEVICE constexpr NaiveShape naive_shape(Place place) {
  return place == Place::device ? NaiveShape{lanes, 8, 8} : NaiveShape{1 << 14, 1, 1};
}

/// split_border's second kernel.
inline constexpr int edge_threads = 256;

/// The lecture's tile, of full_halo and inner_halo: 32 x 16 nodes, by 32 x 4 threads with four rows
/// each. (The lecture's one node a thread leaves one load in flight a thread, which starves a
/// processor of today.)
inline constexpr int tile_x = lanes, tile_y = 16;
inline constexpr int tile_warps = 4;
inline constexpr int tile_threads = lanes * tile_warps;
inline constexpr int rows_a_thread = tile_y / tile_warps;
/// The tile with its halo: 34 x 18.
inline constexpr int halo_x = tile_x + 2, halo_y = tile_y + 2;
inline constexpr int halo_nodes = halo_x * halo_y;
/// Nodes each thread loads where the team distributes the loads of the halo tile.
inline constexpr int halo_loads = (halo_nodes + tile_threads - 1) / tile_threads;
/// Nodes around the tile, corners apart: a row above, a row below, a column on each side.
inline constexpr int rim_nodes = 2 * tile_x + 2 * tile_y;
struct RimNode {
  int x, y;  // from the tile's first node
};
PORTCOST_HOST_DEVICE constexpr RimNode rim_node(int i) {
  if (i < 2 * tile_x) return {i % tile_x, i < tile_x ? -1 : tile_y};
  return {i < 2 * tile_x + tile_y ? -1 : tile_x, (i - 2 * tile_x) % tile_y};
}

/// sliding_strip: the same tile, by as many threads. Its columns lie in a ring, so that a slide
/// moves nothing: room for the 32 columns being computed, their neighbours in the 32 to each side,
/// and the 32 being loaded, so that loading and computing never meet and one barrier a slide is
/// enough. All loads start at a multiple of 32 columns. A strip is cut into stretches of 32 slides:
/// the lecture's one team a strip would leave most of a processor of today without work.
inline constexpr int ring_x = 4 * tile_x;
inline constexpr int ring_nodes = ring_x * halo_y;
/// Loaded before the first slide: its columns, the 32 after them and one before.
inline constexpr int filled_x = 2 * tile_x + 1, filled_nodes = filled_x * halo_y;
inline constexpr int stretch_x = 32 * tile_x;
inline constexpr int slide_loads = (halo_y + tile_warps - 1) / tile_warps;
/// Teams a multiprocessor is to hold, the second launch bound: all its threads with 32 registers
/// each; in double precision, whose nodes take two, fewer threads with 48.
template <class T>
inline constexpr int strip_teams = sizeof(T) == 8 ? 10 : 16;
PORTCOST_HOST_DEVICE constexpr int ring_slot(int x) { return x & (ring_x - 1); }

/// register_march: each thread takes 16 bytes along x and marches down march_rows rows.
inline constexpr int march_warps = 4;
inline constexpr int march_rows = 4;
inline constexpr int march_threads = lanes * march_warps;
template <class T>
inline constexpr int march_columns = 16 / sizeof(T);

/// 16 bytes that are loaded and stored as one.
template <class T>
struct alignas(16) Wide {
  T at[march_columns<T>];
};

/// blocked (host): blocks of this many nodes stay in a core's own cache while their rows are swept.
inline constexpr int block_x = 4096, block_y = 16;

/// What a variant is given.
inline constexpr Works<Step<float>, Step<double>> works;

/// Compares an answer with values recomputed from the inputs (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::heat2d
