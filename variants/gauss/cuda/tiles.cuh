// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of panel and the steps after it. Threads keep their elements in registers;
// slices that others need lie in shared memory.
#pragma once

#include "src/memory/cuda_check.hpp"
#include "variants/gauss/bodies.hpp"
#include "variants/shared/cuda_tiles.cuh"

namespace portcost::gauss {

// ---- Native GPU launches that begin before the launches they depend on have ended: CUDA's
// programmatic dependent launch.

// For a kernel that is launched early. let_next_begin() allows the next launch to begin;
// wait_for_before() waits until all earlier launches have ended and their writes are visible.
__device__ __forceinline__ void let_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ __forceinline__ void wait_for_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
// `early`: the launch may begin when all blocks of the launch before it on the stream have allowed
// it. In a graph this applies to its other dependencies, too: the kernel must spin on a flag
// (spin_until) before it reads their data ahead of wait_for_before().
template <class... Parameters, class... Arguments>
void launch(bool early, void (*kernel)(Parameters...), unsigned blocks, unsigned threads, int bytes,
            cudaStream_t stream, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  cuda_check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

// Flags in global memory, which are 0 when a run begins: a launch publishes its progress in them
// before it ends, and another launch spins on them. All threads of a block call these.
__device__ __forceinline__ void publish(int* word, int add) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // the writes precede the flag
  atomicAdd(word, add);
}
__device__ __forceinline__ void spin_until(const int* word, int least) {
  if (threadIdx.x == 0) {
    while (*static_cast<const volatile int*>(word) < least) {
    }
    __threadfence();  // the reads follow the flag
  }
  __syncthreads();
}

// Loads a thread's elements of a tile to registers, or stores them.
template <class Shape, class T>
__device__ __forceinline__ void load_tile(T (&own)[Shape::rows][Shape::cols], const System<T>& s,
                                          Tile at, int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const T* const row = s.row(at.row * Shape::tile + Shape::row_of(y, r)) + at.col * Shape::tile;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += Shape::group_x) {
      copy_pack<Shape::group_x>(own[r] + c, row + Shape::col_of(x, c));
    }
  }
}
template <class Shape, class T>
__device__ __forceinline__ void store_tile(const T (&own)[Shape::rows][Shape::cols],
                                           const System<T>& s, Tile at, int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    T* const row = s.row(at.row * Shape::tile + Shape::row_of(y, r)) + at.col * Shape::tile;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += Shape::group_x) {
      copy_pack<Shape::group_x>(row + Shape::col_of(x, c), own[r] + c);
    }
  }
}

// Loads a thread's elements of a tile and updates them by the pivots in `columns`, at least one
// slice of them. scratch: Shape::scratch elements, free for another use at the end.
template <class Shape, class T>
__device__ __forceinline__ void load_less_products(T (&own)[Shape::rows][Shape::cols],
                                                   const System<T>& s, Tile at, int x, int y,
                                                   Columns columns, T* scratch) {
  const auto left = [&](int buffer) { return scratch + buffer * Shape::left_slice; };
  const auto right = [&](int buffer) {
    return scratch + 2 * Shape::left_slice + buffer * Shape::right_slice;
  };
  const int steps = (columns.end - columns.first) / Shape::slice;
  Loads<Shape, T> loads(s, at, columns.first);
  loads.fetch();
  load_tile<Shape>(own, s, at, x, y);
  loads.publish(left(0), right(0));
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int now = step & 1, later = now ^ 1;
    const bool more = step + 1 < steps;
    if (more) loads.fetch();
    take_slice<Shape>(own, x, y, left(now), right(now));
    if (more) loads.publish(left(later), right(later));
    __syncthreads();
  }
}

// What an update's launch does besides: nothing; it begins early and lets the next launch begin
// early; or it counts the blocks that have ended.
enum class Also { nothing, begins_early, counts };

// Updates the tiles of a region by its columns, a tile a block. ended: the count of blocks.
template <class Shape, Also also, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams)
    product_kernel(System<T> s, Region region, [[maybe_unused]] int* ended) {
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
  if constexpr (also == Also::begins_early) {
    let_next_begin();
    wait_for_before();
  }
  if (s.stopped()) {
    if constexpr (also == Also::counts) publish(ended, 1);
    return;
  }
  const Tile at = region.at(blockIdx.x);
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  T own[Shape::rows][Shape::cols];
  load_less_products<Shape>(own, s, at, x, y, region.columns, scratch);
  store_tile<Shape>(own, s, at, x, y);
  if constexpr (also == Also::counts) publish(ended, 1);
}

template <class Shape, Also also = Also::nothing, class T>
void launch_product(const System<T>& s, const Region& region, cudaStream_t stream,
                    int* ended = nullptr) {
  if (region.count() == 0) return;
  launch(also == Also::begins_early, product_kernel<Shape, also, T>,
         static_cast<unsigned>(region.count()), Shape::threads, 0, stream, s, region, ended);
}

// ---- Native GPU kernel of panel and the steps after it: factorising the pivot tile.

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

// ---- Native GPU kernel of panel and the steps after it: solving for the pivot tile's cross.

// Solves for a part of a tile's lines (bodies.hpp). transposed: receives a second copy of the
// multipliers, transposed; or null.
template <bool beside, int tile, class T>
__device__ __forceinline__ void solve_lines_of(const SolvingCross<tile, T>& cross, Tile at,
                                               int part, T* scratch, T* transposed) {
  using Cross = SolvingCross<tile, T>;
  constexpr int chunk = Cross::chunk, lines = Cross::lines;
  const unsigned item = threadIdx.x;
  const int own = item / lines, at_line = part * lines + item % lines;
  T* const known = scratch + Cross::Shape::known + item % lines;
  T* const inverse = scratch + Cross::Shape::inverse;
  typename Cross::Blocks blocks;
  cross.template fetch<beside>(blocks, item, 0);
  alignas(pack_bytes<T>) T line[chunk];
  T* const place = cross.template place<beside>(at, at_line, item);
  cross.template load<beside>(line, place);
  if constexpr (!beside) cross.invert(inverse, item);
  cross.template publish<beside>(blocks, scratch, item, 0);
  __syncthreads();
#pragma unroll 1
  for (int c = 0; c < Cross::chunks; ++c) {
    if (own == c) {
      cross.template solve_chunk<beside>(line, scratch, inverse + c * chunk);
#pragma unroll
      for (int e = 0; e < chunk; ++e) known[e * lines] = line[e];
    }
    if (c + 1 == Cross::chunks) break;
    cross.template fetch<beside>(blocks, item, c + 1);
    __syncthreads();
    if (own > c) cross.take(line, known, scratch + (own - c) * Cross::Shape::block);
    __syncthreads();
    cross.template publish<beside>(blocks, scratch, item, c + 1);
    __syncthreads();
  }
  cross.template store<beside>(line, place);
  if constexpr (!beside) {
    if (transposed == nullptr) return;
#pragma unroll
    for (int e = 0; e < chunk; ++e) {
      transposed[cross.s.offset(own * chunk + e) + at.row * tile + at_line] = line[e];
    }
  }
}

// Solves for the cross of tile (k, k), a part of a tile a block.
template <int tile, class T>
__global__ void __launch_bounds__(SolveShape<tile>::items, 1)
    solve_kernel(System<T> s, Region region, int k, T* transposed) {
  using Shape = SolveShape<tile>;
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
  if (s.stopped()) return;
  const Tile at = region.at(blockIdx.x / Shape::parts);
  const int part = blockIdx.x % Shape::parts;
  const SolvingCross<tile, T> cross{s, region, k};
  if (at.row == k) {
    solve_lines_of<true>(cross, at, part, scratch, transposed);
  } else {
    solve_lines_of<false>(cross, at, part, scratch, transposed);
  }
}

template <int tile, class T>
void launch_solve(const System<T>& s, int k, const Region& region, cudaStream_t stream,
                  T* transposed = nullptr) {
  using Shape = SolveShape<tile>;
  if (region.count() == 0) return;
  solve_kernel<tile>
      <<<static_cast<unsigned>(region.count() * Shape::parts), Shape::items, 0, stream>>>(
          s, region, k, transposed);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
