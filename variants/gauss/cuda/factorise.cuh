// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of panel and the steps after it: factorising the pivot tile.
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// What whole_tile's factorisation stores besides the tile: L transposed, and the pivots'
// reciprocals.
struct Beside {
  static constexpr int lower = 0, inverse = panel_tile * panel_tile, size = inverse + panel_tile;
};

// Factorises tile (k, k); records name the kernel close_kernel. `takes`: first updates the tile by
// the pivots in `before`, if there are any.
template <class Shape, bool takes, class T>
__global__ void __launch_bounds__(Shape::threads, 1)
    close_kernel(System<T> s, int k, [[maybe_unused]] Columns before) {
  using Body = FactorisingTile<Shape, T>;
  using At = typename Body::At;
  constexpr int size = takes && Shape::scratch > At::size ? Shape::scratch : At::size;
  __shared__ alignas(pack_bytes<T>) T scratch[size];
  if (s.stopped()) return;
  const Body body{s, k, before};
  const int item = threadIdx.x, x = Shape::x_of(item), y = Shape::y_of(item);
  alignas(pack_bytes<T>) T own[Shape::rows][Shape::cols];
  if (takes && before.end > before.first) {
    load_less_products<Shape>(own, s, {k, k}, x, y, before, scratch);
  } else {
    load_tile<Shape>(own, s, {k, k}, x, y);
  }
#pragma unroll 1
  for (int pivot = 0; pivot < Shape::tile; pivot += At::width) {
    T* const turn = scratch + At::of(pivot);
    Body::publish(own, item, pivot, turn);
    __syncthreads();
    body.solve_lines(item, pivot, turn);
    __syncthreads();
    if (const int bad = static_cast<int>(turn[At::bad]); bad < At::width) {
      if (item == 0) *s.bad_pivot = k * Shape::tile + pivot + bad;
      return;
    }
    Body::take_products(own, item, pivot, turn);
  }
}

template <class T>
void launch_factorise(const System<T>& s, int k, cudaStream_t stream) {
  using Shape = PanelShape<T>;
  close_kernel<Shape, false><<<1, Shape::threads, 0, stream>>>(s, k, Columns{});
  cuda_check(cudaGetLastError());
}
// For narrow_tiles. before: the columns of the round before, or none.
template <class T>
void launch_narrow(const System<T>& s, int k, Columns before, cudaStream_t stream) {
  close_kernel<NarrowShape, true><<<1, NarrowShape::threads, 0, stream>>>(s, k, before);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
