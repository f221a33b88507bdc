// SPDX-License-Identifier: Apache-2.0
// Native GPU steps whose launches overlap: look_ahead, priorities, narrow_tiles and
// delayed_updates, and the order of launches that the steps after them share.
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
// For tile k, over the columns of those closed in the round before, on `ahead`: tile k, in the
// smallest tiles, then closed (close(k)), and its cross (cross(k)). On `side`, meanwhile: its row
// and column (both by next(k, columns)). On `rest`: all other tiles (take(region)). Tiles first ..
// end - 1 are closed; `taken`: the columns of the round before the first, if any.
template <bool priorities, class T, class Next, class Close, class Cross, class Take>
void enqueue(const System<T>& s, const GraphStreams& on, int first, int end, Columns taken,
             const Next& next, const Close& close, const Cross& cross, const Take& take) {
  const Tiles tiles(s.n, panel_tile);
  [[maybe_unused]] const int wave = wave_of<T>(processors(Place::device));
  for (int k = first; k < end; ++k) {
    const bool waits = taken.end > 0;
    if (waits) {
      const Region rest = tiles.rest(k + 1, taken);
      on.rest.waits();
      on.side.waits();
      if constexpr (priorities) {
        take(rest);
        next(k, taken);
      } else {
        next(k, taken);
        for (const Region& part : in_waves(rest, wave)) take(part);
      }
      on.side.ends();
      on.rest.ends();
    }
    close(k);
    if (waits) on.side.joins();
    cross(k);
    if (waits) on.rest.joins();
    taken = tiles.of(k);
  }
}

template <bool priorities, class T, class Close, class Cross, class Take>
void enqueue(const System<T>& s, const GraphStreams& on, int count, const Close& close,
             const Cross& cross, const Take& take) {
  enqueue<priorities>(
      s, on, 0, count, Columns{},
      [&](int k, Columns columns) {
        launch_product<SmallestShape>(s, tile_alone(k, columns), on.ahead);
        launch_product<SmallShape>(s, cross_alone(s.n, k, columns), on.side);
      },
      close, cross, take);
}

// The cross of tile (k, k).
template <class T>
void launch_cross(const System<T>& s, const GraphStreams& on, int k, T* transposed = nullptr) {
  const Tiles tiles(s.n, panel_tile);
  launch_solve<panel_tile>(s, k, tiles.cross(k, tiles.of(k)), on.ahead, transposed);
}

// The first `count` tiles as in look_ahead.
template <bool priorities, class T>
void enqueue(const System<T>& s, const GraphStreams& on, int count) {
  enqueue<priorities>(
      s, on, count, [&](int k) { launch_close(s, k, on.ahead); },
      [&](int k) { launch_cross(s, on, k); },
      [&](const Region& region) { launch_product<PanelShape<T>>(s, region, on.rest); });
}

template <bool priorities, class T>
std::unique_ptr<Execution> look_ahead(const System<T>& s, const Stream& stream) {
  return std::make_unique<StreamGraph>(stream, priorities, [&](const GraphStreams& on) {
    enqueue<priorities>(s, on, tiles_of(s.n, panel_tile));
  });
}

// The same with two tiles a round, `count` tiles, an even number. When both are closed and their
// crosses solved, the first of the next two takes the products of both on `ahead`, and its row and
// column on `side`; so does on `soon` what the second has beside, which is then to take only those
// of the first, and on `rest` all others. take(region, stream).
template <bool priorities, class T, class Close, class Cross, class Take>
void enqueue_two(const System<T>& s, const GraphStreams& on, int count, const Close& close,
                 const Cross& cross, const Take& take) {
  const Tiles tiles(s.n, panel_tile);
  [[maybe_unused]] const int wave = wave_of<T>(processors(Place::device));
  // Tile k less the products over `columns`, and its cross.
  const auto eliminate_tile = [&](int k, Columns columns) {
    launch_product<SmallestShape>(s, tile_alone(k, columns), on.ahead);
    launch_product<SmallShape>(s, cross_alone(s.n, k, columns), on.side);
    on.side.ends();
    close(k);
    on.side.joins();
    cross(k);
  };
  for (int first = 0; first < count; first += 2) {
    if (first == 0) {
      close(0);
      cross(0);
    } else {
      const Columns before = columns_of_two(first - 2);
      const Region line = second_line(tiles, first, before);
      const Region rest = rest_around_both(tiles, first, before);
      on.side.waits();
      on.soon.waits();
      on.rest.waits();
      if constexpr (priorities) {
        take(rest, on.rest);
        take(line, on.soon);
      }
      eliminate_tile(first, before);
      if constexpr (!priorities) {
        take(line, on.soon);
        for (const Region& part : in_waves(rest, wave_beside(wave, line))) take(part, on.rest);
      }
      on.rest.ends();
      on.soon.ends();
      on.soon.joins();
    }
    on.side.waits();
    eliminate_tile(first + 1, tiles.of(first));
    if (first > 0) on.rest.joins();
  }
}

// The rounds after `taken`, those of tiles of panel_tile, of narrow ones, each closed by who takes
// its products first.
template <class T>
void enqueue_narrow(const System<T>& s, const GraphStreams& on, Columns taken) {
  const Tiles tiles(s.n, narrow_tile);
  const auto cross = [&](int k) {
    launch_solve<narrow_tile>(s, k, tiles.cross(k, tiles.of(k)), on.ahead);
  };
  if (taken.end == 0) {
    launch_close_narrow(s, 0, taken, on.ahead);
    cross(0);
    taken = tiles.of(0);
  }
  for (int k = taken.end / narrow_tile; k < tiles.rows; ++k) {
    on.rest.waits();
    on.side.waits();
    launch_close_narrow(s, k, taken, on.ahead);
    launch_product<SmallShape>(s, narrow_cross(s.n, taken), on.side);
    launch_product<SmallShape>(s, narrow_line(s.n, taken), on.rest);
    launch_product<PanelShape<T>>(s, narrow_rest(s.n, taken), on.rest);
    on.side.ends();
    on.rest.ends();
    on.side.joins();
    cross(k);
    on.rest.joins();
    taken = tiles.of(k);
  }
}

template <class T>
std::unique_ptr<Execution> narrow_tiles(const System<T>& s, const Stream& stream) {
  return std::make_unique<StreamGraph>(stream, false, [&](const GraphStreams& on) {
    const int wide = wide_tiles(s.n);
    enqueue<false>(s, on, wide);
    enqueue_narrow(s, on, wide > 0 ? Tiles(s.n, panel_tile).of(wide - 1) : Columns{});
  });
}

template <class T>
std::unique_ptr<Execution> delayed_updates(const System<T>& s, const Stream& stream) {
  return std::make_unique<StreamGraph>(stream, false, [&](const GraphStreams& on) {
    const int wide = delayed_tiles(s.n);
    enqueue_two<false>(
        s, on, wide, [&](int k) { launch_close(s, k, on.ahead); },
        [&](int k) { launch_cross(s, on, k); },
        [&](const Region& region, cudaStream_t to) {
          launch_product<PanelShape<T>>(s, region, to);
        });
    enqueue_narrow(s, on, columns_of_two(wide - 2));
  });
}

}  // namespace portcost::gauss
