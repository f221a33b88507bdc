// SPDX-License-Identifier: Apache-2.0
// Native GPU variants.
#include "variants/heat2d/bodies.hpp"
#include "variants/shared/cuda_attributes.cuh"
#include "variants/shared/cuda_bands.cuh"
#include "variants/shared/cuda_texture.cuh"

namespace portcost::heat2d {

namespace {

// Lecture 1: each thread fetches its five nodes by itself (by Read, of cuda_texture.cuh).
template <class T, class Read>
__global__ void __launch_bounds__(lanes* naive_shape(Place::device).warps)
    naive_kernel(Step<T> s, int first, Read read) {
  const int x = blockIdx.x * lanes + threadIdx.x;
  const int y = (first + blockIdx.y) * naive_shape(Place::device).y + threadIdx.y;
  if (x >= s.nx || y >= s.ny) return;
  const T* const row = s.row_in(y) + x;
  T next = read(row);
  if (!s.on_edge(x, y))
    next = heat_step(s.c, next, read(row - 1), read(row + 1), read(row - s.pitch),
                     read(row + s.pitch));
  s.row_out(y)[x] = next;
}

// Lecture 2: all threads load the tile with its halo as one array of 34 x 18.
template <bool inside, class T>
__device__ void full_halo_tile(const Step<T>& s, T* tile, int x0, int y0) {
  const int thread = threadIdx.y * lanes + threadIdx.x;
  load_with_halo<inside>(s, tile, thread, x0, y0);
  __syncthreads();
  const int lx = threadIdx.x, ly = threadIdx.y * rows_a_thread;
  compute_from_tile<inside>(s, tile + (ly + 1) * halo_x + lx + 1, x0 + lx, y0 + ly);
}

template <class T>
__global__ void __launch_bounds__(tile_threads) full_halo_kernel(Step<T> s, int first) {
  __shared__ T tile[halo_nodes];
  const int x0 = blockIdx.x * tile_x, y0 = (first + blockIdx.y) * tile_y;
  if (s.holds(x0, y0, tile_x, tile_y)) {
    full_halo_tile<true>(s, tile, x0, y0);
  } else {
    full_halo_tile<false>(s, tile, x0, y0);
  }
}

// Lecture 3: all threads load the inner nodes, then some load the rim: warp 0 the row above, warp 1
// the row below, warp 2 half a column on each side.
template <bool inside, class T>
__device__ void inner_halo_tile(const Step<T>& s, T* tile, int x0, int y0) {
  const int thread = threadIdx.y * lanes + threadIdx.x;
  const int lx = threadIdx.x, ly = threadIdx.y * rows_a_thread;
  const int x = bounded<inside>(x0 + lx, s.nx);
  T loaded[rows_a_thread];
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) {
    loaded[r] = s.row_in(bounded<inside>(y0 + ly + r, s.ny))[x];
  }
  if (thread < rim_nodes) {
    const RimNode rim = rim_node(thread);
    tile[(rim.y + 1) * halo_x + rim.x + 1] =
        s.row_in(bounded<inside>(y0 + rim.y, s.ny))[bounded<inside>(x0 + rim.x, s.nx)];
  }
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) tile[(ly + r + 1) * halo_x + lx + 1] = loaded[r];
  __syncthreads();
  compute_from_tile<inside>(s, tile + (ly + 1) * halo_x + lx + 1, x0 + lx, y0 + ly);
}

template <class T>
__global__ void __launch_bounds__(tile_threads) inner_halo_kernel(Step<T> s, int first) {
  __shared__ T tile[halo_nodes];
  const int x0 = blockIdx.x * tile_x, y0 = (first + blockIdx.y) * tile_y;
  if (s.holds(x0, y0, tile_x, tile_y)) {
    inner_halo_tile<true>(s, tile, x0, y0);
  } else {
    inner_halo_tile<false>(s, tile, x0, y0);
  }
}

// Lecture 4: a block slides its tile along a stretch of a strip of rows. Each slide computes 32
// columns from the ring and loads 32 further on into it; the columns between stay.
template <bool inside, class T>
__device__ void slide(const Step<T>& s, T* ring, int x0, int y0, int end) {
  const int lx = threadIdx.x, ly = threadIdx.y * rows_a_thread;
  const int x_next = x0 + 2 * tile_x + lx;
  const bool wanted = x_next <= end;  // the last node computed has a neighbour at `end`
  T loaded[slide_loads];
  if (wanted) {
    const int x_read = inside ? x_next : min(x_next, s.nx - 1);
#pragma unroll
    for (int k = 0; k < slide_loads; ++k) {
      const int row = min(static_cast<int>(threadIdx.y) + k * tile_warps, halo_y - 1);
      loaded[k] = s.row_in(bounded<inside>(y0 - 1 + row, s.ny))[x_read];
    }
  }
  compute_from_ring<inside>(s, ring + ly * ring_x, x0 + lx, y0 + ly);
  if (wanted) {
#pragma unroll
    for (int k = 0; k < slide_loads; ++k) {
      const int row = threadIdx.y + k * tile_warps;
      if (row < halo_y) ring[row * ring_x + ring_slot(x_next)] = loaded[k];
    }
  }
}

template <class T>
__global__ void __launch_bounds__(tile_threads, strip_teams<T>)
    sliding_strip_kernel(Step<T> s, int first) {
  __shared__ T ring[ring_nodes];
  const int begin = blockIdx.x * stretch_x, end = min(s.nx - begin, stretch_x) + begin;
  const int y0 = (first + blockIdx.y) * tile_y;
  // What the first slide reads and the second reads further on: columns begin - 1 to begin + 63.
  for (int node = threadIdx.y * lanes + threadIdx.x; node < filled_nodes; node += tile_threads) {
    const int row = node / filled_x, x = begin - 1 + node - row * filled_x;
    ring[row * ring_x + ring_slot(x)] =
        s.row_in(bounded<false>(y0 - 1 + row, s.ny))[bounded<false>(x, s.nx)];
  }
  __syncthreads();
  for (int x0 = begin; x0 < end; x0 += tile_x) {
    if (s.holds(x0, y0, 3 * tile_x, tile_y)) {
      slide<true>(s, ring, x0, y0, end);
    } else {
      slide<false>(s, ring, x0, y0, end);
    }
    __syncthreads();
  }
}

// Beyond the lecture: no tile.
template <class T>
__global__ void __launch_bounds__(march_threads) register_march_kernel(Step<T> s, int first) {
  march(s, (blockIdx.x * lanes + threadIdx.x) * march_columns<T>,
        ((first + blockIdx.y) * march_warps + threadIdx.y) * march_rows);
}

void five_reads(const auto& s, const Stream& stream, const auto& read) {
  constexpr NaiveShape shape = naive_shape(Place::device);
  for_bands(ceil_div(s.nx, shape.x), ceil_div(s.ny, shape.y), [&](dim3 grid, int first) {
    naive_kernel<<<grid, dim3(lanes, shape.warps), 0, stream.native()>>>(s, first, read);
  });
}
template <class Read>
constexpr auto naive = [](const auto& s, const Stream& on) { five_reads(s, on, Read()); };

// A texture of each grid; the grids swap after each step.
constexpr auto texture = []<class T>(const Step<T>& s, const Stream&) -> Launch<Step<T>> {
  const auto front = texture_of(s.in, s.offset(s.ny)), back = texture_of<T>(s.out, s.offset(s.ny));
  return [=](const Step<T>& now, const Stream& on) {
    five_reads(now, on, now.in == front->first ? *front : *back);
  };
};
std::string_view no_texture(const Problem& p) {
  const int most = gpu_attribute(cudaDevAttrMaxTexture1DLinearWidth);
  const bool fits = most == 0 || (p.size.at("nx") + 31) * p.size.at("ny") <= most;
  return fits ? "" : "a texture of this GPU has fewer numbers";
}

constexpr auto full_halo = [](const auto& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, tile_x), ceil_div(s.ny, tile_y), [&](dim3 grid, int first) {
    full_halo_kernel<<<grid, dim3(lanes, tile_warps), 0, stream.native()>>>(s, first);
  });
};

constexpr auto inner_halo = [](const auto& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, tile_x), ceil_div(s.ny, tile_y), [&](dim3 grid, int first) {
    inner_halo_kernel<<<grid, dim3(lanes, tile_warps), 0, stream.native()>>>(s, first);
  });
};

constexpr auto sliding_strip = [](const auto& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, stretch_x), ceil_div(s.ny, tile_y), [&](dim3 grid, int first) {
    sliding_strip_kernel<<<grid, dim3(lanes, tile_warps), 0, stream.native()>>>(s, first);
  });
};

constexpr auto register_march = []<class T>(const Step<T>& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, lanes * march_columns<T>), ceil_div(s.ny, march_warps * march_rows),
            [&](dim3 grid, int first) {
              register_march_kernel<<<grid, dim3(lanes, march_warps), 0, stream.native()>>>(s,
                                                                                            first);
            });
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "naive", naive<Plain>),
          rung(works, "read_only", naive<ReadOnly>),
          rung(works, "texture", texture).unless(no_texture),
          rung(works, "full_halo", full_halo),
          rung(works, "inner_halo", inner_halo),
          rung(works, "sliding_strip", sliding_strip),
          rung(works, "register_march", register_march)};
}

}  // namespace portcost::heat2d
