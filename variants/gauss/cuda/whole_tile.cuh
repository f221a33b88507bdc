// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of whole_tile: factorising a tile that lies in shared memory as a whole (f32 67
// KB, f64 134 KB).
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// Shapes. A corner is a square of 32 pivots on the diagonal. Rows in shared memory are padded by 16
// bytes: eight lanes that read 16 bytes each of eight rows then have no bank conflicts.
template <class T>
struct Whole {
  static constexpr int tile = panel_tile, corner = lanes, turns = tile / corner;
  static constexpr int wide = 16 / static_cast<int>(sizeof(T));  // neighbours in one load
  static constexpr int pitch = tile + wide, line_pitch = corner + wide;
  static constexpr int lu_warps = 12, solve_threads = 256;

  // Offsets in shared memory, in elements. Factorising: the tile, the corner's L transposed,
  // reciprocals, ones, two rows. Solving: the triangle, reciprocals, 32 lines.
  static constexpr int lu_lower = tile * pitch, lu_inverse = lu_lower + corner * pitch;
  static constexpr int lu_ones = lu_inverse + tile, lu_rows = lu_ones + corner;
  static constexpr int lu_size = lu_rows + 2 * corner;
  static constexpr int solve_inverse = tile * pitch, solve_lines_at = solve_inverse + tile;
  static constexpr int solve_size = solve_lines_at + tile * line_pitch;

  static constexpr int bytes(int elements) { return elements * static_cast<int>(sizeof(T)); }
};

// A pivot's reciprocal, rounded as a division's, in two parts: the first has a long latency, which
// other work hides. The operations are those that nvcc generates for a division.
__device__ __forceinline__ float approximate_reciprocal(float p) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(p));
  return r;
}
__device__ __forceinline__ double approximate_reciprocal(double p) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(p));
  // The instruction leaves the low half 0. This value, which nvcc's division uses, avoids a tie in
  // the next operations.
  return __hiloint2double(__double2hiint(r), __double2hiint(p) + 0x300402);
}
__device__ __forceinline__ float refined(float p, float r) { return fmaf(r, fmaf(-p, r, 1.0f), r); }
__device__ __forceinline__ double refined(double p, double r) {
  const double e = fma(-p, r, 1.0);
  r = fma(r, fma(e, e, e), r);
  return fma(r, fma(-p, r, 1.0), r);
}
template <class T>
class EarlyReciprocal {
 public:
  __device__ __forceinline__ void begin(T p) { near_ = approximate_reciprocal(p); }
  // For the same p. Where 1 / p is subnormal the refinement fails.
  __device__ __forceinline__ T of(T p) const {
    return fabs(p) < great ? refined(p, near_) : reciprocal(p);
  }

 private:
  static constexpr T great = sizeof(T) == 4 ? T(0x1p125) : T(0x1p1000);
  T near_;
};

// Factorises a corner, by one warp, a row a lane. `lower`: its L transposed. Returns the first
// column whose pivot is refused, or 32.
template <class T>
class FactorisingCorner {
 public:
  using W = Whole<T>;
  static constexpr int corner = W::corner, wide = W::wide;

  // column: the column of pivot 0 in the matrix.
  __device__ __forceinline__ static int factorise(const System<T>& s, int column, T (&row)[corner],
                                                  T* square, T* lower, T* inverse, T* rows) {
    FactorisingCorner warp(s, column, row, square, lower, rows);
    warp.template some<32>(0);
    warp.template some<24>(8);
    warp.template some<16>(16);
    warp.template some<8>(24);
    inverse[warp.lane_] = warp.kept_;
    const unsigned refused = __ballot_sync(~0u, warp.refused_);
    return refused == 0 ? corner : __ffs(static_cast<int>(refused)) - 1;
  }

 private:
  __device__ __forceinline__ FactorisingCorner(const System<T>& s, int column, T (&row)[corner],
                                               T* square, T* lower, T* rows)
      : s_(s), first_(column), row_(row), square_(square), lower_(lower), rows_(rows) {
    next_.begin(row_[0]);
  }
  // Eliminates eight pivots, with `left` columns remaining. At each pivot the rows move one element
  // to the left, so that the loop need not be unrolled: row_[0] is always in the pivot's column.
  // Rows up to the pivot's have the multiplier 0, and the element that leaves at the left is final.
  // The pivot's row is double-buffered, so that one synchronisation is enough.
  template <int left>
  __device__ __forceinline__ void some(int first) {
#pragma unroll 1
    for (int k = first; k < first + 8; ++k) {
      const T inverse = __shfl_sync(~0u, next_.of(row_[0]), k);
      T* const published = rows_ + (k & 1) * corner;
      if (lane_ == k) {
#pragma unroll
        for (int e = 0; e < left; e += wide) copy_pack<wide>(published + e, row_ + e);
      }
      __syncwarp();
      alignas(16) T from[left];
#pragma unroll
      for (int e = 0; e < left; e += wide) copy_pack<wide>(from + e, published + e);
      const T factor = lane_ > k ? row_[0] * inverse : T(0);
      square_[lane_ * W::pitch + k] = lane_ > k ? factor : row_[0];
      lower_[k * W::pitch + lane_] = factor;
      if (lane_ == k) {
        kept_ = inverse;
        refused_ = s_.refuses(first_ + k, row_[0]);
      }
      row_[0] = eliminate(row_[1], factor, from[1]);
      next_.begin(row_[0]);
#pragma unroll
      for (int e = 2; e < left; ++e) row_[e - 1] = eliminate(row_[e], factor, from[e]);
    }
  }

  const System<T>& s_;
  int first_;
  T (&row_)[corner];
  T *square_, *lower_, *rows_;
  T kept_ = 0;
  int lane_ = threadIdx.x % lanes;
  bool refused_ = false;
  EarlyReciprocal<T> next_;
};

// Solves for a line of 32, in one thread. Element e's factor for element m is triangle[m][e]: of U
// for rows below; of L transposed, with reciprocals of 1, for columns beside.
template <class T>
__device__ __forceinline__ void solve_whole_line(T (&line)[lanes], const T* triangle,
                                                 const T* inverse) {
  constexpr int wide = Whole<T>::wide;
  alignas(16) T scale[wide];
#pragma unroll
  for (int m = 0; m < lanes; ++m) {
    if (m % wide == 0) copy_pack<wide>(scale, inverse + m);
    line[m] = line[m] * scale[m % wide];
#pragma unroll
    for (int e = (m + 1) / wide * wide; e < lanes; e += wide) {
      alignas(16) T some[wide];
      copy_pack<wide>(some, triangle + m * Whole<T>::pitch + e);
#pragma unroll
      for (int i = 0; i < wide; ++i) {
        if (e + i > m) line[e + i] = eliminate(line[e + i], line[m], some[i]);
      }
    }
  }
}

// Updates `rows` x 32 elements of the tile by 32 columns of `left`, in one warp of 8 x 4 lanes. A
// lane has every fourth row, so that there are no bank conflicts.
template <int rows, class T>
__device__ __forceinline__ void take_whole(T* to, const T* left, const T* right) {
  constexpr int wide = Whole<T>::wide, pitch = Whole<T>::pitch, count = rows / 4;
  const int x = threadIdx.x % 8 * wide, y = threadIdx.x % lanes / 8;
  alignas(16) T own[count][4];
#pragma unroll
  for (int r = 0; r < count; ++r) {
#pragma unroll
    for (int c = 0; c < 4; c += wide) {
      copy_pack<wide>(own[r] + c, to + (y + 4 * r) * pitch + 8 * c + x);
    }
  }
#pragma unroll 2
  for (int m = 0; m < lanes; m += wide) {
    alignas(16) T multipliers[count][wide];
#pragma unroll
    for (int r = 0; r < count; ++r) copy_pack<wide>(multipliers[r], left + (y + 4 * r) * pitch + m);
#pragma unroll
    for (int i = 0; i < wide; ++i) {
      alignas(16) T from[4];
#pragma unroll
      for (int c = 0; c < 4; c += wide) {
        copy_pack<wide>(from + c, right + (m + i) * pitch + 8 * c + x);
      }
#pragma unroll
      for (int r = 0; r < count; ++r) {
#pragma unroll
        for (int c = 0; c < 4; ++c) own[r][c] = eliminate(own[r][c], multipliers[r][i], from[c]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < count; ++r) {
#pragma unroll
    for (int c = 0; c < 4; c += wide) {
      copy_pack<wide>(to + (y + 4 * r) * pitch + 8 * c + x, own[r] + c);
    }
  }
}

// Stores a rectangle of the tile to global memory; the caller is thread `me` of `count`.
template <class T>
__device__ __forceinline__ void store_part(const System<T>& s, int k, const T* tile, int row,
                                           int rows, int column, int columns, int me, int count) {
  constexpr int wide = Whole<T>::wide;
  const int first = k * Whole<T>::tile, packs = columns / wide;
  for (int i = me; i < rows * packs; i += count) {
    const int r = row + i / packs, c = column + i % packs * wide;
    copy_pack<wide>(s.row(first + r) + first + c, tile + r * Whole<T>::pitch + c);
  }
}

// Factorises tile (k, k), a corner a turn. In a turn one warp factorises the corner, while other
// warps update all but that corner by the turn before and store finished elements. Then threads
// solve for the lines below and beside the corner, a line a thread. Then four warps update the next
// corner, which the next turn waits for.
template <class T>
__global__ void __launch_bounds__(Whole<T>::lu_warps* lanes, 1)
    factorise_whole_kernel(System<T> s, int k, T* left, int* done) {
  using W = Whole<T>;
  constexpr int corner = W::corner, pitch = W::pitch, wide = W::wide, warps = W::lu_warps;
  extern __shared__ double2 dynamic[];
  __shared__ int first_bad;
  T* const tile = reinterpret_cast<T*>(dynamic);
  T *const lower = tile + W::lu_lower, *const inverse = tile + W::lu_inverse;
  T* const ones = tile + W::lu_ones;
  wait_for_before();
  let_next_begin();
  if (s.stopped()) {
    publish(done, W::turns);
    return;
  }
  const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes, first = k * W::tile;
  if (threadIdx.x < corner) ones[threadIdx.x] = 1;
#pragma unroll 1
  for (int turn = 0; turn < W::turns; ++turn) {
    const int pivot = turn * corner, before = pivot - corner, rest = W::turns - 1 - turn;
    T* const square = tile + pivot * (pitch + 1);
    if (warp == 0) {
      alignas(16) T row[corner];
      const T* const from = turn == 0 ? s.row(first + lane) + first : square + lane * pitch;
#pragma unroll
      for (int e = 0; e < corner; e += wide) copy_pack<wide>(row + e, from + e);
      const int bad = FactorisingCorner<T>::factorise(s, first + pivot, row, square, lower,
                                                      inverse + pivot, tile + W::lu_rows);
      if (lane == 0) first_bad = bad < corner ? pivot + bad : W::tile;
    } else if (turn == 0) {
      constexpr int packs = W::tile / wide;
      for (int i = threadIdx.x - lanes; i < W::tile * packs; i += (warps - 1) * lanes) {
        const int r = i / packs, c = i % packs * wide;
        if (r < corner && c < corner) continue;
        __pipeline_memcpy_async(tile + r * pitch + c, s.row(first + r) + first + c, 16);
      }
      __pipeline_commit();
      __pipeline_wait_prior(0);
    } else if (warp < 4) {
      const int me = threadIdx.x - lanes, count = 3 * lanes;
      if (me == 0) {  // for the turn before, which all warps have passed
        __threadfence();
        atomicAdd(done, 1);
      }
      store_part(s, k, tile, pivot, W::tile - pivot, before, corner, me, count);
    } else {
      // Where few warps work, they are the last ones, which do not share the corner's quarter of
      // the multiprocessor.
      const int wanted = rest + 1, block = warps - warp;
      if (block < wanted * wanted) {
        const int r = pivot + block / wanted * corner, c = pivot + block % wanted * corner;
        take_whole<corner>(tile + r * pitch + c, tile + r * pitch + before,
                           tile + before * pitch + c);
      }
    }
    __syncthreads();
    if (first_bad < W::tile) {
      if (threadIdx.x == 0) *s.bad_pivot = first + first_bad;
      publish(done, W::turns);
      return;
    }
    if (warp < 2 * rest) {
      const bool beside = warp >= rest;
      const int at = pivot + corner * (1 + warp - (beside ? rest : 0)) + lane;
      alignas(16) T line[corner];
      if (beside) {
#pragma unroll
        for (int e = 0; e < corner; ++e) line[e] = tile[(pivot + e) * pitch + at];
      } else {
#pragma unroll
        for (int e = 0; e < corner; e += wide)
          copy_pack<wide>(line + e, tile + at * pitch + pivot + e);
      }
      solve_whole_line(line, beside ? lower : square, beside ? ones : inverse + pivot);
      if (beside) {
#pragma unroll
        for (int e = 0; e < corner; ++e) {
          tile[(pivot + e) * pitch + at] = line[e];
          s.row(first + pivot + e)[first + at] = line[e];
        }
      } else {
#pragma unroll
        for (int e = 0; e < corner; e += wide)
          copy_pack<wide>(tile + at * pitch + pivot + e, line + e);
#pragma unroll
        for (int e = 0; e < corner; ++e) left[Beside::lower + (pivot + e) * W::tile + at] = line[e];
      }
    }
    if (warp == warps - 1) {
      left[Beside::inverse + pivot + lane] = inverse[pivot + lane];
#pragma unroll 8
      for (int m = 0; m < corner; ++m) {
        left[Beside::lower + (pivot + m) * W::tile + pivot + lane] = lower[m * pitch + lane];
      }
      store_part(s, k, tile, pivot, corner, pivot, corner, lane, lanes);
    }
    if (rest == 0) break;
    __syncthreads();
    if (warp < 4) {
      const int next = pivot + corner, row = next + 8 * warp;
      take_whole<8>(tile + row * pitch + next, tile + row * pitch + pivot,
                    tile + pivot * pitch + next);
    }
    __syncthreads();
  }
  publish(done, 1);
}

template <class T>
void launch_factorise_whole(const System<T>& s, int k, T* left, int* done, cudaStream_t stream) {
  using W = Whole<T>;
  constexpr int bytes = W::bytes(W::lu_size);
  cuda_check(cudaFuncSetAttribute(factorise_whole_kernel<T>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  launch(k > 0, factorise_whole_kernel<T>, 1, W::lu_warps * lanes, bytes, stream, s, k, left, done);
}

// ---- Native GPU kernel of whole_tile: solving for the pivot tile's cross, with all the data
// needed of the pivot tile in shared memory.
//
// 32 lines lie side by side in shared memory, element e of all of them in row e, so that columns
// beside the pivot tile and rows below it are alike. Eight warps share the lines: four are on the
// critical path, four do updates that nothing waits for yet.

// `count` elements of 32 lines, from element `first` on, in one warp of 8 x 4 lanes.
template <int count, class T>
class LineBlock {
 public:
  using W = Whole<T>;
  static constexpr int wide = W::wide, pitch = W::pitch, line_pitch = W::line_pitch;

  __device__ __forceinline__ LineBlock(T* lines, int first)
      : element_(first + threadIdx.x % lanes / 8 * count),
        lines_(lines + threadIdx.x % 8 * wide),
        to_(lines_ + element_ * line_pitch) {}

  // Updates them by elements m .. m + 31. Element e's factor for element m is triangle[m][e].
  __device__ __forceinline__ void take(const T* triangle, int m) const {
    alignas(16) T own[count][4];
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int c = 0; c < 4; c += wide) copy_pack<wide>(own[i] + c, to_ + i * line_pitch + 8 * c);
    }
    constexpr int some = count < wide ? count : wide;
#pragma unroll 8
    for (int end = m + lanes; m < end; ++m) {
      alignas(16) T factors[count], from[4];
#pragma unroll
      for (int i = 0; i < count; i += some) {
        copy_pack<some>(factors + i, triangle + m * pitch + element_ + i);
      }
#pragma unroll
      for (int c = 0; c < 4; c += wide) copy_pack<wide>(from + c, lines_ + m * line_pitch + 8 * c);
#pragma unroll
      for (int i = 0; i < count; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) own[i][c] = eliminate(own[i][c], factors[i], from[c]);
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int c = 0; c < 4; c += wide) copy_pack<wide>(to_ + i * line_pitch + 8 * c, own[i] + c);
    }
  }

 private:
  int element_;
  T *lines_, *to_;
};

// Calls f(element, column) for `count` elements of 32 lines, from element `first` on, for copies to
// or from shared memory. For rows below the pivot tile a warp copies 8 elements of 4 rows: whole
// sectors, without bank conflicts.
template <bool beside, int count, class T, class F>
__device__ __forceinline__ void each_element(int first, const F& f) {
  using W = Whole<T>;
  if constexpr (beside) {
    constexpr int packs = W::corner / W::wide;
#pragma unroll 4
    for (int i = threadIdx.x; i < count * packs; i += W::solve_threads) {
      f(first + i / packs, i % packs * W::wide);
    }
  } else {
    constexpr int across = count / 8;
#pragma unroll 16
    for (int i = 0; i < count * W::corner / W::solve_threads; ++i) {
      const int at = (threadIdx.x + i * W::solve_threads) / lanes;
      f(first + at % across * 8 + threadIdx.x % 8, at / across * 4 + threadIdx.x % lanes / 8);
    }
  }
}

// The progress of other launches, on which a launch that solves for a cross spins: the factorised
// corners of the pivot tile, and the blocks that have updated the cross, of `all` blocks.
struct Flags {
  const int *factorised, *taken;
  int all;
};

// Solves for the cross of tile (k, k), 32 lines a block, corner by corner as the tile is
// factorised. left: stored by the factorisation (Beside). transposed: as in solve_kernel.
template <bool beside, class T>
__device__ __forceinline__ void solve_whole(const System<T>& s, Tile at, int k, int part,
                                            const T* left, T* transposed, Flags flags, T* shared) {
  using W = Whole<T>;
  constexpr int corner = W::corner, pitch = W::pitch, wide = W::wide, tile = W::tile;
  T *const inverse = shared + W::solve_inverse, *const lines = shared + W::solve_lines_at;
  const int first = k * tile, line = part * corner, warp = threadIdx.x / lanes;
  // The line's element e: to[e * apart] beside the tile, to[e] of row `line` below it.
  T* const to = beside ? s.row(first) + at.col * tile + line : s.row(at.row * tile + line) + first;
  spin_until(flags.taken, flags.all);
  each_element<beside, tile, T>(0, [&](int e, int c) {
    T* const place = lines + e * W::line_pitch + c;
    if constexpr (beside) {
      __pipeline_memcpy_async(place, to + s.offset(e) + c, 16);
    } else {
      *place = to[s.offset(c) + e];
    }
  });
#pragma unroll 1
  for (int pivot = 0; pivot < tile; pivot += corner) {
    spin_until(flags.factorised, pivot / corner + 1);
    if (threadIdx.x < corner) {
      inverse[threadIdx.x] = beside ? T(1) : left[Beside::inverse + pivot + threadIdx.x];
    }
    const int packs = (tile - pivot) / wide;
    for (int i = threadIdx.x; i < corner * packs; i += W::solve_threads) {
      const int m = pivot + i / packs, e = pivot + i % packs * wide;
      const T* const from =
          beside ? left + Beside::lower + m * tile + e : s.row(first + m) + first + e;
      __pipeline_memcpy_async(shared + m * pitch + e, from, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (warp == 0) {
      T own[corner];
      T* const place = lines + pivot * W::line_pitch + threadIdx.x;
#pragma unroll
      for (int e = 0; e < corner; ++e) own[e] = place[e * W::line_pitch];
      solve_whole_line(own, shared + pivot * (pitch + 1), inverse);
#pragma unroll
      for (int e = 0; e < corner; ++e) place[e * W::line_pitch] = own[e];
    }
    __syncthreads();
    each_element<beside, corner, T>(pivot, [&](int e, int c) {
      const T* const place = lines + e * W::line_pitch + c;
      if constexpr (beside) {
        copy_pack<wide>(to + s.offset(e) + c, place);
      } else {
        to[s.offset(c) + e] = *place;
      }
    });
    if (!beside && transposed != nullptr) {
      each_element<true, corner, T>(pivot, [&](int e, int c) {
        copy_pack<wide>(transposed + s.offset(e) + at.row * tile + line + c,
                        lines + e * W::line_pitch + c);
      });
    }
    for (int mine = pivot + corner + 8 * warp; mine < tile; mine += W::solve_threads / lanes * 8) {
      LineBlock<2, T>(lines, mine).take(shared, pivot);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(Whole<T>::solve_threads, 1)
    solve_whole_kernel(System<T> s, Region region, int k, const T* left, T* transposed,
                       Flags flags) {
  extern __shared__ double2 dynamic[];
  let_next_begin();
  if (s.stopped()) return;
  constexpr int parts = Whole<T>::tile / Whole<T>::corner;
  const Tile at = region.at(blockIdx.x / parts);
  const int part = blockIdx.x % parts;
  T* const shared = reinterpret_cast<T*>(dynamic);
  if (at.row == k) {
    solve_whole<true>(s, at, k, part, left, transposed, flags, shared);
  } else {
    solve_whole<false>(s, at, k, part, left, transposed, flags, shared);
  }
}

template <class T>
void launch_solve_whole(const System<T>& s, int k, const Region& region, const T* left,
                        T* transposed, Flags flags, cudaStream_t stream) {
  using W = Whole<T>;
  if (region.count() == 0) return;
  constexpr int bytes = W::bytes(W::solve_size);
  cuda_check(cudaFuncSetAttribute(solve_whole_kernel<T>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto blocks = static_cast<unsigned>(region.count() * (W::tile / W::corner));
  launch(true, solve_whole_kernel<T>, blocks, W::solve_threads, bytes, stream, s, region, k, left,
         transposed, flags);
}

}  // namespace portcost::gauss
