// SPDX-License-Identifier: Apache-2.0
// async_planes: planes reach shared memory by asynchronous copies, and warps meet at a barrier that
// separates arrival from waiting. For GPUs of compute capability 9.0 and later.
#pragma once

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#include "src/memory/cuda_check.hpp"
#include "variants/derivatives/bodies.hpp"

namespace portcost::derivatives {

/// A block has rows of 32 pieces, four rows a thread, and marches up z. Nine slots of shared memory
/// hold planes with `reach` more nodes on each side: one whose derivatives are computed, the four
/// above it, the one below it, which a slow warp may still read, and three whose copies are in
/// flight. A thread has nine planes of its pieces in registers.
template <class T, int piece>
struct AsyncPlanes {
  static constexpr int rows = 4, warps = 64 / sizeof(T), threads = warps * lanes;
  static constexpr int width = lanes * piece, height = warps * rows, slots = 9, ahead = 3;
  static constexpr int longest = 1024 / sizeof(T), least_teams = 128;
  static constexpr int pitch = width + 2 * reach, lines = height + 2 * reach;
  static constexpr int elements = pitch * lines, bytes = slots * elements * sizeof(T);
  /// Elements that a copy moves, and copies of a plane and of a thread.
  static constexpr int chunk = piece == 1 ? 1 : 16 / sizeof(T);
  static constexpr int copies = elements / chunk, own = ceil_div(copies, threads);
  static constexpr Box box(int stretch) { return {width, height, stretch}; }
};

/// Copies 16 bytes. L2 loads the whole line: neighbouring blocks read its other sectors.
template <int bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from)
                 : "memory");
  } else {
    __pipeline_memcpy_async(to, from, bytes);
  }
}

template <Kind kind, int piece, class T>
__global__ void __launch_bounds__((AsyncPlanes<T, piece>::threads), 1)
    async_planes_kernel(Field<T> s, int stretch) {
  using Shape = AsyncPlanes<T, piece>;
  using Element = Piece<T, piece>;
  constexpr int sides = reach / piece;
  extern __shared__ uint4 raw[];
  __shared__ __mbarrier_t barrier;
  T* const slots = reinterpret_cast<T*>(raw);
  const int thread = threadIdx.x, lx = thread % lanes, ly = thread / lanes * Shape::rows;
  const Node first{static_cast<int>(blockIdx.x) * Shape::width,
                   static_cast<int>(blockIdx.y) * Shape::height,
                   static_cast<int>(blockIdx.z) * stretch};
  const int end = min(first.z + stretch, s.nz);
  const auto index = [&](int x, int y) {
    return static_cast<unsigned>(wrapped_or_zero(first.y + y, s.ny)) * s.nx +
           wrapped_or_zero(first.x + x, s.nx);
  };

  // The thread's copies: nodes of the block, and of its halo, which a plane that no derivative is
  // computed of does not need. No derivative needs a corner of the halo.
  unsigned from[Shape::own];
  bool in_block[Shape::own], in_cross[Shape::own];
#pragma unroll
  for (int e = 0; e < Shape::own; ++e) {
    const int i = (thread + e * Shape::threads) * Shape::chunk;
    const int x = i % Shape::pitch - reach, y = i / Shape::pitch - reach;
    const bool beside = x < 0 || x >= Shape::width, above = y < 0 || y >= Shape::height;
    in_block[e] = !beside && !above;
    in_cross[e] = i < Shape::elements && !(beside && above);
    from[e] = index(x, y);
  }
  const auto copy = [&](int z, int slot) {
    if (z < end + reach) {
      const T* const plane = s.f + wrapped(z, s.nz) * s.step(2);
      T* const to = slots + slot * Shape::elements + thread * Shape::chunk;
      const bool computed = z >= first.z && z < end;
#pragma unroll
      for (int e = 0; e < Shape::own; ++e) {
        if (computed ? in_cross[e] : in_block[e]) {
          copy_async<Shape::chunk * sizeof(T)>(to + e * Shape::threads * Shape::chunk,
                                               plane + from[e]);
        }
      }
    }
    __pipeline_commit();  // an empty commit counts, too, so that the waits' counts fit
  };
  // Tells that the warp has its copies of the next plane, and has read the plane before last.
  const auto arrive = [&] {
    __pipeline_wait_prior(Shape::ahead - 1);
    __syncwarp();
    if (lx == 0) __mbarrier_arrive(&barrier);
  };
  if (thread == 0) __mbarrier_init(&barrier, Shape::warps);
  __syncthreads();

  int z = first.z - reach;  // the plane that the threads take from shared memory
#pragma unroll
  for (int k = 0; k < Shape::ahead; ++k) copy(z + k, k);
  arrive();
  int taken = 0, copied = Shape::ahead, computed = Shape::slots - reach;  // slots
  const auto next = [](int slot) { return slot + 1 == Shape::slots ? 0 : slot + 1; };
  const auto at = [&](int slot, int x, int y) -> const Element& {
    return *reinterpret_cast<const Element*>(slots + slot * Shape::elements +
                                             (y + reach) * Shape::pitch + x * piece + reach);
  };
  const unsigned own = (first.y + ly) * static_cast<unsigned>(s.nx) + first.x + lx * piece;
  Element column[Shape::rows][nine];
  bool parity = false;
#pragma unroll 1
  while (z < end + reach) {
#pragma unroll
    for (int phase = 0; phase < nine; ++phase) {
      while (!__mbarrier_try_wait_parity(&barrier, parity, 1000)) {
      }
      parity = !parity;
      copy(z + Shape::ahead, copied);
#pragma unroll
      for (int r = 0; r < Shape::rows; ++r) column[r][phase] = at(taken, lx, ly + r);
      arrive();
      const int centre = z - reach;
      if (centre >= first.z) {
        const auto of_column = [&](int r, int k) { return column[r][(phase + 1 + k) % nine]; };
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r) {
          Element row[2 * sides + 1], down[nine];
#pragma unroll
          for (int k = -sides; k <= sides; ++k) {
            row[k + sides] = k == 0 ? of_column(r, reach) : at(computed, lx + k, ly + r);
          }
#pragma unroll
          for (int k = 0; k < nine; ++k) {
            const int y = r + k - reach;
            const bool of_thread = y >= 0 && y < Shape::rows;
            down[k] = of_thread ? of_column(of_thread ? y : 0, reach) : at(computed, lx, ly + y);
          }
          const Node p{first.x + lx * piece, first.y + ly + r, centre};
          if (s.holds(p)) {
            const std::uint64_t place = std::uint64_t{s.plane()} * static_cast<unsigned>(centre) +
                                        own + static_cast<unsigned>(r) * s.nx;
            store_piece<kind, piece>(s, p, place, [&](int axis, int j, int k) {
              return axis == 0   ? row[(j + k) / piece].at[(j + k) % piece]
                     : axis == 1 ? down[k].at[j]
                                 : of_column(r, k).at[j];
            });
          }
        }
      }
      taken = next(taken);
      copied = next(copied);
      computed = next(computed);
      if (++z == end + reach) break;
    }
  }
}

}  // namespace portcost::derivatives
