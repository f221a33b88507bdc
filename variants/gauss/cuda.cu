// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the steps of one launch a column and of blocks in scratch, launches that
// overlap, and the table of all steps.
#include <algorithm>
#include <memory>
#include <string>

#include "src/memory/buffer.hpp"
#include "variants/gauss/cuda/async.cuh"
#include "variants/gauss/cuda/tiles.cuh"
#include "variants/gauss/cuda/whole_tile.cuh"
#include "variants/gauss/schedule.hpp"
#include "variants/shared/cuda_attributes.cuh"
#include "variants/shared/cuda_graph.cuh"

namespace portcost::gauss {

namespace {

// A launch a column; a thread updates four elements of a column. Column k keeps its elements, since
// all threads of a row still divide its element by the pivot; multipliers_kernel divides it at the
// end.
template <class T>
__global__ void __launch_bounds__(lanes* naive_warps) naive_kernel(System<T> s, int k) {
  if (s.stopped()) return;
  const T* const from = s.row(k);
  const T pivot = from[k];
  if (s.refuses(k, pivot)) {
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *s.bad_pivot = k;
    return;
  }
  const int i = k + 1 + blockIdx.y * column_tile_rows + threadIdx.x / lanes;
  const int j = k + 1 + blockIdx.x * lanes + threadIdx.x % lanes;
  if (j > s.n) return;
  take_column(s, k, i, j, from[j], reciprocal(pivot));
}

// Divides the elements below the diagonal by their pivots, a thread an element.
template <class T>
__global__ void __launch_bounds__(lanes* naive_warps) multipliers_kernel(System<T> s) {
  if (s.stopped()) return;
  const int i = blockIdx.y * naive_warps + threadIdx.x / lanes;
  const int j = blockIdx.x * lanes + threadIdx.x % lanes;
  if (i >= s.n || j >= i) return;
  s.row(i)[j] = multiplier(s.row(i)[j], s.row(j)[j]);
}

constexpr auto naive = []<class T>(const System<T>& s, const Stream& stream) {
  constexpr int threads = lanes * naive_warps;
  constexpr FlatTile tile = column_tile(Place::device);
  for (int k = 0; k < s.n; ++k) {
    // At least one block, since the launch always checks the pivot.
    const dim3 grid =
        grid_of(ceil_div(s.n - k, tile.cols), std::max(1, ceil_div(s.n - 1 - k, tile.rows)));
    naive_kernel<<<grid, threads, 0, stream.native()>>>(s, k);
    cuda_check(cudaGetLastError());
  }
  const dim3 grid = grid_of(ceil_div(s.n, lanes), ceil_div(s.n, naive_warps));
  multipliers_kernel<<<grid, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};

// Calls f(row, column, element in scratch) for a thread's elements, all of one column. The loop
// does not begin at the thread's row, so that the compiler knows the trip count.
template <class T, class F>
__device__ void each(T* staged, const F& f) {
  const int x = threadIdx.x % flat_tile, y = threadIdx.x / flat_tile;
  T* element = staged + threadIdx.x;
#pragma unroll 4
  for (int r = 0; r < flat_tile; r += flat_rows_apart) {
    f(y + r, x, *element);
    element += flat_rows_apart * flat_tile;
  }
}

// Factorises or solves for a tile in scratch that has the pivots' rows (`beside`), their columns
// (`below`), or both.
template <bool beside, bool below, class T>
__device__ void take_cross(const System<T>& s, T* staged, int i0, int j0, Columns columns) {
  constexpr int tile = flat_tile;
  for (int p = columns.first; p < columns.end; ++p) {
    const T* const from = beside ? staged + (p - i0) * tile : s.row(p) + j0;
    const int row = beside ? p - i0 : -1, column = below ? p - j0 : -1;
    __syncthreads();
    if constexpr (below) {
      const T pivot = from[column];
      if (beside && s.refuses(p, pivot)) {
        if (threadIdx.x == 0) *s.bad_pivot = p;
        return;
      }
      const int r = threadIdx.x;
      if (r > row && r < tile) {
        staged[r * tile + column] = multiplier(staged[r * tile + column], pivot);
      }
      __syncthreads();
    }
    each(staged, [&](int r, int x, T& element) {
      if (r <= row || x <= column) return;
      const T factor = below ? staged[r * tile + column] : s.row(i0 + r)[p];
      element = eliminate(element, factor, from[x]);
    });
  }
  __syncthreads();
  each(staged, [&](int r, int x, T& element) { s.row(i0 + r)[j0 + x] = element; });
}

// Updates the tiles of a region, each in scratch, by the region's columns. `k`: the pivot tile;
// tiles in its row have the pivots' rows, tiles in its column the pivots' columns.
template <class T>
__global__ void __launch_bounds__(flat_threads) block_r1_kernel(System<T> s, Region region, int k) {
  constexpr int tile = flat_tile;
  __shared__ T staged[tile * tile];
  if (s.stopped()) return;
  const Tile at = region.at(blockIdx.x);
  const int i0 = at.row * tile, j0 = at.col * tile;
  each(staged, [&](int r, int x, T& element) { element = s.row(i0 + r)[j0 + x]; });
  if (at.row == k && at.col == k) {
    take_cross<true, true>(s, staged, i0, j0, region.columns);
  } else if (at.row == k) {
    take_cross<true, false>(s, staged, i0, j0, region.columns);
  } else if (at.col == k) {
    take_cross<false, true>(s, staged, i0, j0, region.columns);
  } else {  // threads do not depend on each other
    const T* left = s.row(i0 + threadIdx.x / tile) + region.columns.first;
    const std::uint64_t apart = s.offset(flat_rows_apart);
    for (int p = region.columns.first; p < region.columns.end; ++p) {
      const T* factor = left++;
      const T from = s.row(p)[j0 + threadIdx.x % tile];
      each(staged, [&](int, int, T& element) {
        element = eliminate(element, *factor, from);
        factor += apart;
      });
    }
    each(staged, [&](int r, int x, T& element) { s.row(i0 + r)[j0 + x] = element; });
  }
}

constexpr auto block_r1 = []<class T>(const System<T>& s, const Stream& stream) {
  const auto launch = [&](int k, const Region& region) {
    block_r1_kernel<<<static_cast<unsigned>(region.count()), flat_threads, 0, stream.native()>>>(
        s, region, k);
    cuda_check(cudaGetLastError());
  };
  rounds(s, flat_tile, s.r1, launch);
};

constexpr auto panel = [](const auto& s, const Stream& stream) {
  using T = std::remove_pointer_t<decltype(s.a)>;
  rounds(
      s, panel_tile, panel_tile, [&](int k, Columns) { launch_factorise(s, k, stream.native()); },
      [&](int k, const Region& region) { launch_solve<panel_tile>(s, k, region, stream.native()); },
      [&](const Region& region) { launch_product<PanelShape<T>>(s, region, stream.native()); });
};

// ---- Native GPU steps whose launches overlap: look_ahead, priorities, narrow_tiles and
// delayed_updates, and the functions that later steps share.

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
template <bool priorities, class T, class Cross, class Take>
void enqueue(const System<T>& s, const GraphStreams& on, int count, const Cross& cross,
             const Take& take) {
  order_ahead<priorities>(
      s.n, wave_of_device<T>(), on, 0, count, Columns{},
      [&](int k, Columns columns) { launch_next(s, on, k, columns); },
      [&](int k) { launch_factorise(s, k, on.ahead); }, cross, take);
}
template <bool priorities, class T>
void enqueue(const System<T>& s, const GraphStreams& on, int count) {
  enqueue<priorities>(
      s, on, count, [&](int k) { launch_cross(s, on, k); },
      [&](const Region& region) { launch_product<PanelShape<T>>(s, region, on.rest); });
}

template <bool priorities>
constexpr auto look_ahead =
    []<class T>(const System<T>& s, const Stream& stream) -> std::unique_ptr<Execution> {
  return std::make_unique<StreamGraph>(stream, priorities, [&](const GraphStreams& on) {
    enqueue<priorities>(s, on, tiles_of(s.n, panel_tile));
  });
};

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

constexpr auto narrow_tiles = []<class T>(const System<T>& s,
                                          const Stream& stream) -> std::unique_ptr<Execution> {
  return std::make_unique<StreamGraph>(stream, false, [&](const GraphStreams& on) {
    const int wide = wide_tiles(s.n);
    enqueue<false>(s, on, wide);
    enqueue_narrow(s, on, wide > 0 ? Tiles(s.n, panel_tile).of(wide - 1) : Columns{});
  });
};

constexpr auto delayed_updates = []<class T>(const System<T>& s,
                                             const Stream& stream) -> std::unique_ptr<Execution> {
  return std::make_unique<StreamGraph>(stream, false, [&](const GraphStreams& on) {
    const int wide = delayed_tiles(s.n);
    enqueue_two<false>(
        s, on, wide, [&](int k) { launch_cross(s, on, k); },
        [&](const Region& region, cudaStream_t to) {
          launch_product<PanelShape<T>>(s, region, to);
        });
    enqueue_narrow(s, on, columns_of_two(wide - 2));
  });
};

// As priorities, with a transposed second copy of a round's multipliers. The copy is
// double-buffered, because the trailing update still reads the copy of the round before.
template <class T>
class AsyncCopies final : public Execution {
 public:
  AsyncCopies(const System<T>& s, const Stream& stream)
      : multipliers_(2 * s.offset(panel_tile), Place::device),
        graph_(stream, true, [&](const GraphStreams& on) {
          const auto place = [&](int k) {
            return multipliers_.data() + k % 2 * s.offset(panel_tile);
          };
          enqueue<true>(
              s, on, tiles_of(s.n, panel_tile), [&](int k) { launch_cross(s, on, k, place(k)); },
              [&](const Region& region) {
                launch_async(s, region, place(region.columns.first / panel_tile), on.rest);
              });
        }) {}

  void run(int phase) override { graph_.run(phase); }

 private:
  Buffer<T> multipliers_;
  StreamGraph graph_;
};

std::unique_ptr<Execution> tensor_cores(const System<double>& s, const Stream& stream) {
  return std::make_unique<StreamGraph>(stream, true, [&](const GraphStreams& on) {
    enqueue<true>(
        s, on, tiles_of(s.n, panel_tile), [&](int k) { launch_cross(s, on, k); },
        [&](const Region& region) { launch_tensor(s, region, on.rest); });
  });
}

// Trailing updates as in async_copies, in f64 as in tensor_cores. Until `single_rounds` rounds
// remain, a round has two pivot tiles, as in delayed_updates. In the `last_rounds` rounds at the
// end the trailing update no longer hides the chain from one pivot tile to the next. There the
// pivot tile lies in shared memory as a whole, and the chain's launches begin early: the cross is
// solved corner by corner while the tile is being factorised.
template <class T>
class WholeTile final : public Execution {
 public:
  static constexpr bool single = sizeof(T) == 4;
  static constexpr int last_rounds = 16, single_rounds = 24;

  WholeTile(const System<T>& s, const Stream& stream)
      : multipliers_(single ? 4 * s.offset(panel_tile) : 1, Place::device),
        left_(Beside::size, Place::device),
        flags_(2 * static_cast<std::size_t>(Tiles(s.n, panel_tile).rows), Place::device),
        graph_(stream, true, [&](const GraphStreams& on) {
          const Tiles tiles(s.n, panel_tile);
          const int wide = delayed_tiles(s.n, single_rounds * panel_tile / narrow_tile);
          // The copy of tile k's multipliers. The copies of a round's two tiles lie together.
          const auto place = [&](int k) {
            return single ? multipliers_.data() + k % 4 * s.offset(panel_tile) : nullptr;
          };
          const auto take = [&](const Region& region, cudaStream_t to) {
            if constexpr (single) {
              launch_async(s, region, place(region.columns.first / panel_tile), to);
            } else {
              launch_tensor(s, region, to);
            }
          };
          cuda_check(cudaMemsetAsync(flags_.data(), 0, flags_.bytes(), on.ahead));
          enqueue_two<true>(
              s, on, wide, [&](int k) { launch_cross(s, on, k, place(k)); }, take);
          order_ahead<true>(
              s.n, wave_of_device<T>(), on, wide, tiles.rows, columns_of_two(wide - 2),
              [&](int k, Columns columns) {
                launch_product<SmallestShape, Also::begins_early>(s, tile_alone(k, columns),
                                                                  on.ahead);
                launch_product<SmallShape, Also::counts>(s, cross_alone(s.n, k, columns), on.side,
                                                         taken(k));
              },
              [&](int k) {
                if (is_whole(tiles, k)) {
                  launch_factorise_whole(s, k, left_.data(), factorised(k), on.ahead);
                } else {
                  launch_factorise(s, k, on.ahead);
                }
              },
              [&](int k) {
                const Region cross = tiles.cross(k, tiles.of(k));
                if (is_whole(tiles, k)) {
                  const Flags flags{factorised(k), taken(k),
                                    k == 0 ? 0 : cross_alone(s.n, k, {}).count()};
                  launch_solve_whole(s, k, cross, left_.data(), place(k), flags, on.ahead);
                } else {
                  launch_solve<panel_tile>(s, k, cross, on.ahead, place(k));
                }
              },
              [&](const Region& region) { take(region, on.rest); });
        }) {}

  void run(int phase) override { graph_.run(phase); }

 private:
  static bool is_whole(const Tiles& tiles, int k) { return k + last_rounds >= tiles.rows; }

  int* factorised(int k) const { return flags_.data() + 2 * k; }
  int* taken(int k) const { return factorised(k) + 1; }

  Buffer<T> multipliers_, left_;
  Buffer<int> flags_;  // each round: factorised corners; blocks that have updated its cross
  StreamGraph graph_;
};

std::string_view why_not(const Problem& problem) {
  if (problem.type != ElementType::f64) return "tensor cores round the factors of f32";
  return gpu_before_9() ? "its instruction is of GPUs of compute capability 9.0 and later" : "";
}
template <class T>
std::string_view why_too_large() {
  constexpr int wanted = Whole<T>::bytes(std::max(Whole<T>::lu_size, Whole<T>::solve_size));
  static const int there = gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  static const std::string text = "a block of it takes " + std::to_string(wanted) +
                                  " bytes of shared memory, and this GPU gives " +
                                  std::to_string(there);
  return there > 0 && there < wanted ? std::string_view(text) : "";
}
std::string_view why_no_whole_tile(const Problem& problem) {
  if (gpu_before_9()) return "it is for GPUs of compute capability 9.0 and later";
  return problem.type == ElementType::f32 ? why_too_large<float>() : why_too_large<double>();
}

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "naive", naive),
          rung(works, "block_r1", block_r1),
          rung(shared_works, "panel", panel),
          rung(works, "look_ahead", look_ahead<false>),
          rung(works, "narrow_tiles", narrow_tiles),
          rung(works, "delayed_updates", delayed_updates),
          rung(works, "priorities", look_ahead<true>),
          rung(works, "async_copies",
               []<class T>(const System<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<AsyncCopies<T>>(s, on);
               }),
          rung(Works<System<double>>(), "tensor_cores",
               [](const auto& s, const Stream& on) { return tensor_cores(s, on); })
              .unless(why_not),
          rung(works, "whole_tile",
               []<class T>(const System<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<WholeTile<T>>(s, on);
               })
              .unless(why_no_whole_tile)};
}

}  // namespace portcost::gauss
