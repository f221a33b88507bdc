// SPDX-License-Identifier: Apache-2.0
// Native GPU steps whose launches overlap: look_ahead, priorities, narrow_tiles and
// delayed_updates, and the functions that later steps share.
#pragma once

#include <memory>

#include "variants/gauss/cuda/factorise.cuh"
#include "variants/gauss/cuda/solve.cuh"
#include "variants/gauss/schedule.hpp"
#include "variants/shared/cuda_graph.cuh"

namespace portcost::gauss {

template <class T>
int wave_of_device() {
  return wave_of<T>(processors(Place::device));
}

// The next updates that tile k needs, by `columns`: of itself, and of its row and column.
template <class T>
void launch_next(const System<T>& s, const GraphStreams& on, int k, Columns columns) {
  launch_product<SmallestShape>(s, tile_alone(k, columns), on.ahead);
  launch_product<SmallShape>(s, cross_alone(s.n, k, columns), on.side);
}

template <class T>
void launch_cross(const System<T>& s, const GraphStreams& on, int k, T* transposed = nullptr) {
  const Tiles tiles(s.n, panel_tile);
  launch_solve<panel_tile>(s, k, tiles.cross(k, tiles.of(k)), on.ahead, transposed);
}

// The first `count` pivot tiles in order_ahead.
template <bool priorities, class T, class Factorise, class Cross, class Take>
void enqueue(const System<T>& s, const GraphStreams& on, int count, const Factorise& factorise,
             const Cross& cross, const Take& take) {
  order_ahead<priorities>(
      s.n, wave_of_device<T>(), on, 0, count, Columns{},
      [&](int k, Columns columns) { launch_next(s, on, k, columns); }, factorise, cross, take);
}
template <bool priorities, class T>
void enqueue(const System<T>& s, const GraphStreams& on, int count) {
  enqueue<priorities>(
      s, on, count, [&](int k) { launch_factorise(s, k, on.ahead); },
      [&](int k) { launch_cross(s, on, k); },
      [&](const Region& region) { launch_product<PanelShape<T>>(s, region, on.rest); });
}

template <bool priorities, class T>
std::unique_ptr<Execution> look_ahead(const System<T>& s, const Stream& stream) {
  return std::make_unique<StreamGraph>(stream, priorities, [&](const GraphStreams& on) {
    enqueue<priorities>(s, on, tiles_of(s.n, panel_tile));
  });
}

// The first `count` pivot tiles in order_of_two.
template <bool priorities, class T, class Cross, class Take>
void enqueue_two(const System<T>& s, const GraphStreams& on, int count, const Cross& cross,
                 const Take& take) {
  order_of_two<priorities>(
      s.n, wave_of_device<T>(), on, count,
      [&](int k, Columns columns) { launch_next(s, on, k, columns); },
      [&](int k) { launch_factorise(s, k, on.ahead); }, cross, take);
}

template <class T>
void enqueue_narrow(const System<T>& s, const GraphStreams& on, Columns taken) {
  const Tiles tiles(s.n, narrow_tile);
  order_narrow(
      s.n, on, taken, [&](int k, Columns columns) { launch_narrow(s, k, columns, on.ahead); },
      [&](int k) { launch_solve<narrow_tile>(s, k, tiles.cross(k, tiles.of(k)), on.ahead); },
      [&](Columns columns) { launch_product<SmallShape>(s, narrow_cross(s.n, columns), on.side); },
      [&](Columns columns) {
        launch_product<SmallShape>(s, narrow_line(s.n, columns), on.rest);
        launch_product<PanelShape<T>>(s, narrow_rest(s.n, columns), on.rest);
      });
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
        s, on, wide, [&](int k) { launch_cross(s, on, k); },
        [&](const Region& region, cudaStream_t to) {
          launch_product<PanelShape<T>>(s, region, to);
        });
    enqueue_narrow(s, on, columns_of_two(wide - 2));
  });
}

}  // namespace portcost::gauss
