// SPDX-License-Identifier: Apache-2.0
// Native GPU steps whose launches overlap: look_ahead, priorities and narrow_tiles, and the order
// of launches that the steps after them share.
#pragma once

#include <memory>

#include "variants/cuda_graph.cuh"
#include "variants/gauss/cuda/close.cuh"
#include "variants/gauss/cuda/solve.cuh"

namespace portcost::gauss {

// A run of panel in which the next tile is closed early, and its cross solved while the rest is
// taken. Without priorities the rest is two launches, and the next tile is closed beside the
// second.
//
// Round k on `ahead`: the next tile over the columns of k, in the smallest tiles, that tile closed
// (close(k + 1)), and its cross (cross(k + 1)). On `side`, meanwhile: its row and column over the
// columns of k. On `rest`: all other tiles over these (take(k, region)). `count` tiles are closed.
template <bool priorities, class T, class Next, class Close, class Cross, class Take>
void enqueue(const System<T>& s, const ThreeStreams& on, int count, const Next& next,
             const Close& close, const Cross& cross, const Take& take) {
  const Tiles tiles(s.n, panel_tile);
  [[maybe_unused]] const int wave = wave_of<T>(processors(Place::device));
  if (count == 0) return;
  close(0);
  cross(0);
  for (int k = 0; k + 1 < count; ++k) {
    on.rest_waits();
    on.side_waits();
    if constexpr (priorities) {
      take(k, rest_around(tiles, k));
      next(k);
    } else {
      next(k);
      for (const Region& part : in_waves(rest_around(tiles, k), wave)) take(k, part);
    }
    on.rest_ends();
    close(k + 1);
    on.ahead_waits_for_side();
    cross(k + 1);
    on.ahead_waits();
  }
}

template <bool priorities, class T, class Close, class Cross, class Take>
void enqueue(const System<T>& s, const ThreeStreams& on, int count, const Close& close,
             const Cross& cross, const Take& take) {
  enqueue<priorities>(
      s, on, count,
      [&](int k) {
        launch_product<SmallestShape>(s, next_tile(k), on.ahead);
        launch_product<SmallShape>(s, next_cross(s.n, k), on.side);
      },
      close, cross, take);
}

// The cross of tile (k, k).
template <class T>
void launch_cross(const System<T>& s, const ThreeStreams& on, int k, T* transposed = nullptr) {
  const Tiles tiles(s.n, panel_tile);
  launch_solve<panel_tile>(s, k, tiles.cross(k, tiles.of(k)), on.ahead, transposed);
}

// The first `count` tiles as in look_ahead.
template <bool priorities, class T>
void enqueue(const System<T>& s, const ThreeStreams& on, int count) {
  enqueue<priorities>(
      s, on, count, [&](int k) { launch_close(s, k, on.ahead); },
      [&](int k) { launch_cross(s, on, k); },
      [&](int, const Region& region) { launch_product<PanelShape<T>>(s, region, on.rest); });
}

template <bool priorities, class T>
std::unique_ptr<Execution> look_ahead(const System<T>& s, const Stream& stream) {
  return std::make_unique<ThreeStreamGraph>(stream, priorities, [&](const ThreeStreams& on) {
    enqueue<priorities>(s, on, tiles_of(s.n, panel_tile));
  });
}

// look_ahead, whose last tiles are narrow ones, each closed by who takes its products first.
template <class T>
std::unique_ptr<Execution> narrow_tiles(const System<T>& s, const Stream& stream) {
  return std::make_unique<ThreeStreamGraph>(stream, false, [&](const ThreeStreams& on) {
    const Tiles tiles(s.n, narrow_tile);
    const auto cross = [&](int k) {
      launch_solve<narrow_tile>(s, k, tiles.cross(k, tiles.of(k)), on.ahead);
    };
    const int wide = wide_tiles(s.n);
    Columns taken{};
    if (wide > 0) {
      enqueue<false>(s, on, wide);
      taken = Tiles(s.n, panel_tile).of(wide - 1);
    } else {
      launch_close_narrow(s, 0, taken, on.ahead);
      cross(0);
      taken = tiles.of(0);
    }
    for (int k = taken.end / narrow_tile; k < tiles.rows; ++k) {
      on.rest_waits();
      on.side_waits();
      launch_close_narrow(s, k, taken, on.ahead);
      launch_product<SmallShape>(s, narrow_cross(s.n, taken), on.side);
      launch_product<SmallShape>(s, narrow_line(s.n, taken), on.rest);
      launch_product<PanelShape<T>>(s, narrow_rest(s.n, taken), on.rest);
      on.rest_ends();
      on.ahead_waits_for_side();
      cross(k);
      on.ahead_waits();
      taken = tiles.of(k);
    }
  });
}

}  // namespace portcost::gauss
