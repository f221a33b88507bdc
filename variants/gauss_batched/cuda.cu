// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a thread a system, in global or shared memory; a block a system; a grid of
// lanes a system; and the table of all steps.
#include <string_view>
#include <utility>

#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"
#include "variants/gauss_batched/bodies.hpp"

namespace portcost::gauss_batched {

namespace {

// Factorises a thread's system, whose rows lie n apart. Returns the column whose pivot is refused,
// or -1.
template <class T>
__device__ int factor(const Batch<T>& b, T* a) {
  for (int k = 0; k < b.n; ++k) {
    const T* const from = a + k * b.n;
    const T pivot = from[k];
    if (b.refuses(pivot)) return k;
    const T inverse = reciprocal(pivot);
    for (int i = k + 1; i < b.n; ++i) {
      T* const row = a + i * b.n;
      const T factor = multiplier(row[k], inverse);
      row[k] = factor;
#pragma unroll 4  // rows are short: a longer body would leave most of them to the prologue
      for (int j = k + 1; j < b.n; ++j) row[j] = eliminate(row[j], factor, from[j]);
    }
  }
  return -1;
}

// In global memory; neighbouring threads' elements are a system apart.
constexpr int each = each_systems(Place::device);
template <class T>
__global__ void __launch_bounds__(each) thread_each_kernel(Batch<T> b) {
  const int system = blockIdx.x * each + threadIdx.x;
  if (system >= b.count) return;
  const int bad = factor(b, b.system(system));
  if (bad >= 0) b.bad_pivot[system] = bad;
}

// Copies the elements of a block's systems to shared memory or back. A thread loads a whole group
// before it stores the first element, without bounds checks inside a group.
template <class Shape, class T, class From, class To>
__device__ void copy(int count, const From& from, const To& to) {
  constexpr int threads = Shape::threads, together = Shape::together;
  const int grouped = count / Shape::group * Shape::group;
#pragma unroll 1  // a group is unrolled already
  for (int first = threadIdx.x; first < grouped; first += Shape::group) {
    T some[together];
#pragma unroll
    for (int q = 0; q < together; ++q) some[q] = *from(first + q * threads);
#pragma unroll
    for (int q = 0; q < together; ++q) *to(first + q * threads) = some[q];
  }
  for (int e = grouped + threadIdx.x; e < count; e += threads) *to(e) = *from(e);
}

// Several systems in shared memory, a thread a system.
template <class T>
__global__ void __launch_bounds__(lanes) staged_kernel(Batch<T> b, int systems) {
  extern __shared__ double memory[];
  T* const staged = reinterpret_cast<T*>(memory);
  const int first = blockIdx.x * systems, there = min(systems, b.count - first);
  const StagedPlaces place(b.n);
  T* const systems_at = b.system(first);
  const auto global = [=](int e) { return systems_at + e; };
  const auto scratch = [=](int e) { return staged + place.of(e); };
  copy<StagedCopy, T>(there * b.size(), global, scratch);
  __syncwarp();
  if (threadIdx.x < there) {
    const int bad = factor(b, staged + threadIdx.x * staged_pitch(b.n));
    if (bad >= 0) b.bad_pivot[first + threadIdx.x] = bad;
  }
  __syncwarp();
  copy<StagedCopy, T>(there * b.size(), scratch, global);
}

// A system a block, in shared memory, a row a warp at a time.
template <class T>
__global__ void __launch_bounds__(lanes* team_warps) team_each_kernel(Batch<T> b) {
  extern __shared__ double memory[];
  T* const staged = reinterpret_cast<T*>(memory);
  const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  T* const a = b.system(blockIdx.x);
  const auto global = [=](int e) { return a + e; };
  const auto scratch = [=](int e) { return staged + e; };
  copy<TeamCopy, T>(b.size(), global, scratch);
  for (int k = 0; k < b.n; ++k) {
    __syncthreads();
    const T* const from = staged + k * b.n;
    const T pivot = from[k];
    if (b.refuses(pivot)) {
      if (threadIdx.x == 0) b.bad_pivot[blockIdx.x] = k;
      break;
    }
    const T inverse = reciprocal(pivot);
    for (int i = k + 1 + warp; i < b.n; i += team_warps) {
      T* const row = staged + i * b.n;
      const T factor = multiplier(row[k], inverse);
      for (int j = k + 1 + lane; j < b.n; j += lanes) row[j] = eliminate(row[j], factor, from[j]);
      __syncwarp();
      if (lane == 0) row[k] = factor;
    }
  }
  __syncthreads();
  copy<TeamCopy, T>(b.size(), scratch, global);
}

unsigned blocks(int count, int of_block) {
  return static_cast<unsigned>(ceil_div(count, of_block));
}

constexpr auto thread_each = []<class T>(const Batch<T>& b, const Stream& stream) {
  thread_each_kernel<<<blocks(b.count, each), each, 0, stream.native()>>>(b);
  cuda_check(cudaGetLastError());
};

constexpr auto staged = []<class T>(const Batch<T>& b, const Stream& stream) {
  const int systems = staged_systems<T>(b.n);
  const auto room = static_cast<std::size_t>(systems * staged_pitch(b.n)) * sizeof(T);
  staged_kernel<<<blocks(b.count, systems), lanes, room, stream.native()>>>(b, systems);
  cuda_check(cudaGetLastError());
};

constexpr auto team_each = []<class T>(const Batch<T>& b, const Stream& stream) {
  const auto room = static_cast<std::size_t>(b.size()) * sizeof(T);
  team_each_kernel<<<blocks(b.count, 1), lanes * team_warps, room, stream.native()>>>(b);
  cuda_check(cudaGetLastError());
};

// ---- Native GPU kernel of lane_grid and shuffles: a grid of lanes holds a system in registers.

// Lanes exchange through shared memory: the lanes that hold the columns or the rows publish them,
// double-buffered, because others may still read the previous ones.
template <class Shape, class T>
struct ThroughScratch {
  static constexpr int together = Shape::together, pack = Shape::pack;
  T* scratch;  // of the lane's system
  int x, y;

  __device__ static ThroughScratch of(int item) {
    __shared__ alignas(16) T scratch[Shape::scratch];
    return {scratch + Shape::system_of(item) * Shape::apart, Shape::x_of(item), Shape::y_of(item)};
  }
  __device__ static void wait() {
    if constexpr (Shape::of_system <= lanes) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ T* rows_at(int k) const { return scratch + (k / together & 1) * Shape::published; }

  __device__ __forceinline__ void exchange(Published<Shape, T>& published,
                                           const T (&own)[Shape::rows][Shape::cols], int k) const {
    T* const rows = rows_at(k);
    T* const columns = rows + together * Shape::n;
    if (x == Shape::x_with(k)) {
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        copy_pack<together>(columns + together * Shape::row_of(y, r), own[r] + Shape::c_with(k));
      }
    }
#pragma unroll
    for (int e = 0; e < together; ++e) {
      if (y != Shape::y_with(k + e)) continue;
#pragma unroll
      for (int c = Shape::c_with(k) / pack * pack; c < Shape::cols; c += pack) {
        copy_pack<pack>(rows + e * Shape::n + Shape::col_of(x, c), own[Shape::r_with(k + e)] + c);
      }
    }
    wait();
#pragma unroll
    for (int e = 0; e < together; ++e) {
      copy_pack<together>(published.square[e], columns + together * (k + e));
    }
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      copy_pack<together>(published.column[r], columns + together * Shape::row_of(y, r));
    }
  }
  __device__ __forceinline__ void pivot_rows(PivotRows<Shape, T>& rows,
                                             const T (&)[Shape::rows][Shape::cols], int k,
                                             int c) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
      copy_pack<pack>(rows.at[e], rows_at(k) + e * Shape::n + Shape::col_of(x, c));
    }
  }
};

// Lanes of a warp exchange by warp shuffles.
template <class Shape, class T>
struct ByShuffles {
  static_assert(Shape::of_system <= lanes);
  static constexpr int together = Shape::together, pack = Shape::pack;
  int x, y;

  __device__ static ByShuffles of(int item) { return {Shape::x_of(item), Shape::y_of(item)}; }
  __device__ static T from(T element, int lane_y, int lane_x) {
    return __shfl_sync(~0u, element, lane_y * Shape::across + lane_x, Shape::of_system);
  }
  __device__ __forceinline__ void exchange(Published<Shape, T>& published,
                                           const T (&own)[Shape::rows][Shape::cols], int k) const {
    const int c = Shape::c_with(k);
#pragma unroll
    for (int f = 0; f < together; ++f) {
#pragma unroll
      for (int e = 0; e < together; ++e) {
        published.square[e][f] =
            from(own[Shape::r_with(k + e)][c + f], Shape::y_with(k + e), Shape::x_with(k));
      }
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        published.column[r][f] = from(own[r][c + f], y, Shape::x_with(k));
      }
    }
  }
  __device__ __forceinline__ void pivot_rows(PivotRows<Shape, T>& rows,
                                             const T (&own)[Shape::rows][Shape::cols], int k,
                                             int c) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
#pragma unroll
      for (int q = 0; q < pack; ++q) {
        rows.at[e][q] = from(own[Shape::r_with(k + e)][c + q], Shape::y_with(k + e), x);
      }
    }
  }
};

// Eliminates columns k, ..., `together` of them; returns false where the system has none of them. k
// is a constant, so that a lane's elements are registers: nvcc does not unroll a loop over the
// rounds of 64 unknowns.
template <int k, class Shape, class T, class Exchange>
__device__ __forceinline__ bool take_columns(T (&own)[Shape::rows][Shape::cols], const Batch<T>& b,
                                             const Exchange& exchange, int& bad) {
  if (k >= b.n) return false;
  Published<Shape, T> published;
  exchange.exchange(published, own, k);
  factorise_square<Shape>(published, b, bad, k);
#pragma unroll
  for (int c = Shape::c_with(k) / Shape::pack * Shape::pack; c < Shape::cols; c += Shape::pack) {
    PivotRows<Shape, T> rows;
    exchange.pivot_rows(rows, own, k, c);
    solve_pivot_rows(published, rows);
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      update_row<Shape>(own, published, rows, exchange.x, exchange.y, k, c, r);
    }
  }
  return true;
}
// All rounds, until a round finds no columns.
template <class Shape, class T, class Exchange, int... round>
__device__ __forceinline__ void take_all(T (&own)[Shape::rows][Shape::cols], const Batch<T>& b,
                                         const Exchange& exchange, int& bad,
                                         std::integer_sequence<int, round...>) {
  static_cast<void>((take_columns<round * Shape::together, Shape>(own, b, exchange, bad) && ...));
}

template <template <class, class> class Exchange, class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams) lane_grid_kernel(Batch<T> b) {
  const auto exchange = Exchange<Shape, T>::of(threadIdx.x);
  const int x = exchange.x, y = exchange.y;
  const int system = blockIdx.x * Shape::systems + Shape::system_of(threadIdx.x);
  const bool there = system < b.count;
  T* const a = b.system(there ? system : 0);
  alignas(16) T own[Shape::rows][Shape::cols];
  load_own<Shape>(own, a, b.n, x, y, there);
  int bad = -1;
  take_all<Shape>(own, b, exchange, bad,
                  std::make_integer_sequence<int, Shape::n / Shape::together>());
  if (!there) return;
  store_own<Shape>(own, a, b.n, x, y);
  if (bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = bad;
}

constexpr auto lane_grid = []<class T>(const Batch<T>& b, const Stream& stream) {
  with_grid<T>(b.n, [&]<class Shape>(Shape) {
    lane_grid_kernel<ThroughScratch, Shape>
        <<<blocks(b.count, Shape::systems), Shape::threads, 0, stream.native()>>>(b);
  });
  cuda_check(cudaGetLastError());
};

constexpr auto shuffles = []<class T>(const Batch<T>& b, const Stream& stream) {
  with_grid<T>(b.n, [&]<class Shape>(Shape) {
    if constexpr (Shape::of_system <= lanes) {
      lane_grid_kernel<ByShuffles, Shape>
          <<<blocks(b.count, Shape::systems), Shape::threads, 0, stream.native()>>>(b);
    } else {
      throw Failure("shuffles: a system has more lanes than a warp");
    }
  });
  cuda_check(cudaGetLastError());
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "thread_each", thread_each), rung(works, "staged", staged),
          rung(works, "team_each", team_each), rung(works, "lane_grid", lane_grid),
          rung(works, "shuffles", shuffles).unless(why_not_shuffles)};
}

}  // namespace portcost::gauss_batched
