// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the steps of one launch a vertex, launches that overlap, all rounds in one
// launch, and the table of all steps.
#include <memory>

#include "src/memory/buffer.hpp"
#include "variants/floyd_warshall/cuda/tiles.cuh"
#include "variants/floyd_warshall/schedule.hpp"
#include "variants/shared/cuda_graph.cuh"

namespace portcost::floyd_warshall {

namespace {

// Stores vertex k in `negative` if it lies on a negative cycle; no path over it is relaxed.
template <class T>
__device__ bool negative_at(const Graph<T>& g, int k) {
  if (!(g.row(k)[k] < 0)) return false;
  if (blockIdx.x == 0 && blockIdx.y == 0 && *g.negative < 0) *g.negative = k;
  return true;
}

// A launch a vertex, an element a thread.
template <bool paths, class T>
__global__ void __launch_bounds__(lanes* naive_warps) naive_2d_kernel(Graph<T> g, int k) {
  if (negative_at(g, k)) return;
  const int i = blockIdx.y * naive_warps + threadIdx.x / lanes;
  const int j = blockIdx.x * lanes + threadIdx.x % lanes;
  if (i < g.n && j < g.n) relax_element<paths>(g, i, j, k, g.row(i)[k], g.row(k)[j]);
}

// A launch a vertex; the tile's parts of the vertex's row and column are staged in shared memory.
template <bool paths, class T>
__global__ void __launch_bounds__(flat_threads) block_2d_kernel(Graph<T> g, int k) {
  __shared__ T column[2 * flat_tile];
  if (negative_at(g, k)) return;
  const int i0 = blockIdx.y * flat_tile, j0 = blockIdx.x * flat_tile;
  const T* const row = column + flat_tile;
  const int item = threadIdx.x;
  if (item < 2 * flat_tile) {
    const int at = item % flat_tile;
    column[item] = item < flat_tile ? g.row(i0 + at)[k] : g.row(k)[j0 + at];
  }
  __syncthreads();
  const int x = item % flat_tile, y = item / flat_tile;
  const T from = row[x];
#pragma unroll 4
  for (int r = y; r < flat_tile; r += flat_rows_apart) {
    relax_element<paths>(g, i0 + r, j0 + x, k, column[r], from);
  }
}

constexpr auto naive_2d = []<class T>(const Graph<T>& g, const Stream& stream) {
  const dim3 grid = grid_of(ceil_div(g.n, lanes), ceil_div(g.n, naive_warps));
  with_paths(g, [&](auto paths) {
    for (int k = 0; k < g.n; ++k) {
      naive_2d_kernel<paths.value><<<grid, lanes * naive_warps, 0, stream.native()>>>(g, k);
      cuda_check(cudaGetLastError());
    }
  });
};

constexpr auto block_2d = []<class T>(const Graph<T>& g, const Stream& stream) {
  const dim3 grid = grid_of(ceil_div(g.n, flat_tile), ceil_div(g.n, flat_tile));
  with_paths(g, [&](auto paths) {
    for (int k = 0; k < g.n; ++k) {
      block_2d_kernel<paths.value><<<grid, flat_threads, 0, stream.native()>>>(g, k);
      cuda_check(cudaGetLastError());
    }
  });
};

// A step on cubes of a shape; depth(graph, tile): tiles a round.
template <template <bool> class ShapeOf, bool async = false, class Depth>
auto on_cubes(const Depth& depth) {
  return [depth](const auto& g, const Stream& stream) {
    with_paths(g, [&](auto paths) {
      using Shape = ShapeOf<paths.value>;
      rounds(
          g, Shape::tile, depth(g, Shape::tile),
          [&](int k) { launch_close<Shape, paths.value>(g, k, stream.native()); },
          [&](const Region& region) {
            launch_product<Shape, async, paths.value>(g, region, stream.native());
          });
    });
  };
}
template <bool>
using Block3d = Block3dShape;
template <bool>
using Staged = StagedShape<staged_teams_cuda>;

// register_tile with look-ahead: the next pivot tile and its cross are relaxed during the
// remainder. Without priorities the remainder is two launches, and the next pivot tile goes beside
// the second.
//
// Round k on `ahead`: relaxes the next tile's row and column over the vertices of k, then the next
// pivot tile and its cross. Meanwhile on `rest`: all other tiles over the vertices of k. The two
// streams share only tiles in row or column k, which both read and neither writes.
template <bool priorities, bool paths, class T>
void enqueue(const Graph<T>& g, const GraphStreams& on) {
  using Shape = RegisterShape<paths>;
  const int tiles = tiles_of(g.n, Shape::tile);
  const auto take = [&](const Region& region, cudaStream_t stream) {
    launch_product<Shape, false, paths>(g, region, stream);
  };
  launch_close<Shape, paths>(g, 0, on.ahead);
  take(cross_of(tiles, 0), on.ahead);
  for (int k = 0; k + 1 < tiles; ++k) {
    on.rest.waits();
    if constexpr (priorities) {
      take(rest_around(tiles, k), on.rest);
      on.rest.ends();
      take(next_cross(tiles, k), on.ahead);
    } else {
      take(next_cross(tiles, k), on.ahead);
      for (const Region& part : in_two(rest_around(tiles, k))) take(part, on.rest);
      on.rest.ends();
    }
    launch_close<Shape, paths>(g, k + 1, on.ahead);
    take(cross_of(tiles, k + 1), on.ahead);
    on.rest.joins();
  }
  if (tiles > 1) take(rest_of(tiles, tiles - 1, 1), on.ahead);
}

template <bool priorities, class T>
std::unique_ptr<Execution> look_ahead(const Graph<T>& g, const Stream& stream) {
  return std::make_unique<StreamGraph>(stream, priorities, [&](const GraphStreams& on) {
    with_paths(g, [&](auto paths) { enqueue<priorities, paths.value>(g, on); });
  });
}

// ---- All rounds in one launch, native: blocks draw tickets and spin on the counters of the tiles
// that their tile depends on.

// The work of a block's first thread: it draws tickets, spins and increments counters. Its state
// lies in shared memory, because a tile needs all registers.
template <class T>
class Tickets {
 public:
  __device__ Tickets(const Graph<T>& g, const Flow& flow) : g_(g), flow_(flow) {}

  // Draws the next ticket and spins until its tile can be relaxed; or no ticket is left. `section`
  // is the section of the previous ticket.
  __device__ Task next(int& section) const {
    const int ticket = atomicAdd(flow_.state + Flow::ticket, 1);
    while (flow_.sections[section + 1].first_ticket <= ticket) ++section;
    const Section& now = flow_.sections[section];
    if (now.region.depth == 0) return Task::none();
    const Task task = Task::of(now, ticket);
    if (!there({Flow::panel, now.panel_parts})) return Task::none();
    if (now.touches && !there(flow_.before(now.round, task.at))) return Task::none();
    __threadfence();  // what has been counted is read after its count
    return task;
  }

  __device__ void done(const Task& task) const {
    if (task.closes && stopped()) return;
    __threadfence();  // what is counted was written before
    if (task.round < 0) {
      atomicAdd(flow_.state + Flow::panel, 1);
    } else {
      atomicExch(flow_.state + flow_.tile(task.at), task.round + 1);
      atomicAdd(flow_.state + flow_.row(task.round, task.at.row), 1);
      atomicAdd(flow_.state + flow_.col(task.round, task.at.col), 1);
    }
  }

 private:
  // Spins on a counter; returns false where there is a negative cycle, which stops all counters.
  __device__ bool there(Awaited awaited) const {
    const volatile int* const count = flow_.state + awaited.place;
    while (!stopped()) {
      if (*count >= awaited.least) return true;
    }
    return false;
  }
  __device__ bool stopped() const { return *static_cast<const volatile int*>(g_.negative) >= 0; }

  const Graph<T>& g_;
  const Flow& flow_;
};

template <class Shape, bool paths, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams) flow_kernel(Graph<T> g, Flow flow) {
  static_assert(Shape::close_scratch + 2 * Shape::tile <= Shape::scratch && sizeof(T) == 4);
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
  __shared__ Task shared_task;
  __shared__ int section;
  const Tickets<T> tickets(g, flow);
  if (threadIdx.x == 0) section = 0;
  for (;;) {
    if (threadIdx.x == 0) shared_task = tickets.next(section);
    __syncthreads();
    const Task task = shared_task;
    if (task.depth == 0) return;
    if (task.closes) {
      close_tile<Shape, paths>(g, task.k, scratch,
                               reinterpret_cast<int*>(scratch + Shape::close_scratch));
    } else {
      take_tile<Shape, false, paths>(g, task.at, task.k, task.depth, scratch);
    }
    __syncthreads();
    if (threadIdx.x == 0) tickets.done(shared_task);
  }
}

// A run resets the counters and launches as many blocks as the GPU has threads for. Blocks that do
// not fit at first find no work when they start.
template <class T>
class Dataflow final : public Execution {
 public:
  Dataflow(const Graph<T>& g, const Stream& stream) : g_(g), stream_(stream.native()) {
    int device = 0, multiprocessors = 0, threads = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    with_paths(g, [&](auto paths) {
      using Shape = RegisterShape<paths.value>;
      flow_.tiles = tiles_of(g.n, Shape::tile);
      flow_.depth = flow_depth(flow_.tiles);
      blocks_ =
          flow_teams_of(flow_.tiles, multiprocessors * (threads / Shape::threads), multiprocessors);
    });
    const std::vector<Section> sections = flow_sections(flow_.tiles, flow_.depth);
    sections_ = Buffer<Section>(sections.size(), Place::device);
    sections_.upload(sections, stream);
    state_ = Buffer<int>(Flow::state_size(flow_.tiles, flow_.depth), Place::device);
    flow_.sections = sections_.data();
    flow_.state = state_.data();
  }

  void run(int) override {
    cuda_check(cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream_));
    with_paths(g_, [&](auto paths) {
      using Shape = RegisterShape<paths.value>;
      flow_kernel<Shape, paths.value><<<blocks_, Shape::threads, 0, stream_>>>(g_, flow_);
    });
    cuda_check(cudaGetLastError());
  }

 private:
  Graph<T> g_;
  cudaStream_t stream_;
  Flow flow_{};
  Buffer<Section> sections_;
  Buffer<int> state_;
  int blocks_ = 0;
};

constexpr auto dataflow = []<class T>(const Graph<T>& g, const Stream& stream) {
  return std::make_unique<Dataflow<T>>(g, stream);
};

}  // namespace

Rungs cuda_rungs() {
  return {
      rung(works, "naive_2d", naive_2d),
      rung(works, "block_2d", block_2d),
      rung(works, "block_3d", on_cubes<Block3d>(one_tile)),
      rung(works, "staged", on_cubes<Staged>(one_tile)),
      rung(works, "deep_k", on_cubes<Staged>(tiles_of_r1)),
      rung(shared_works, "register_tile", on_cubes<RegisterShape>(tiles_by_size<Place::device>)),
      rung(works, "async_copies", on_cubes<RegisterShape, true>(tiles_by_size<Place::device>)),
      rung(works, "look_ahead",
           [](const auto& g, const Stream& on) { return look_ahead<false>(g, on); }),
      rung(works, "priorities",
           [](const auto& g, const Stream& on) { return look_ahead<true>(g, on); }),
      rung(works, "dataflow", dataflow)};
}

}  // namespace portcost::floyd_warshall
