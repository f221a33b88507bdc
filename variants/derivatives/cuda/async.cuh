// SPDX-License-Identifier: Apache-2.0
// async_planes: planes reach shared memory by asynchronous copies, and threads meet at a barrier
// that separates arrival from waiting. For GPUs of compute capability 9.0 and later.
#pragma once

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#include "src/memory/cuda_check.hpp"
#include "variants/derivatives/bodies.hpp"

namespace portcost::derivatives {

/// A block has 32 rows of 32 pieces of 16 bytes, and marches up z; a thread has four pieces, one
/// above the other along y. Nine slots of shared memory hold planes with `reach` more nodes on each
/// side: one whose derivatives are computed, the four above it, the one below it, which a slow warp
/// may still read, and three whose copies are in flight. A thread has nine planes of its pieces in
/// registers.
template <Kind kind, class T, int piece>
struct AsyncPlanes {
  static constexpr int rows = 4, width = lanes * piece, height = rows * warps, slots = 9, ahead = 3;
  static constexpr int longest = kind == laplacian ? 256 : 128, least_teams = 128;
  /// Nodes beside the block start and end at multiples of 128 bytes, in shared memory as in global
  /// memory: a copy whose two addresses differ modulo 32 bytes takes more accesses.
  static constexpr int line = 128 / sizeof(T), before = line - reach;
  static constexpr int pitch = ceil_div(width + 2 * reach, line) * line;
  static constexpr int high = height + 2 * reach, elements = pitch * high;
  static constexpr int bytes = (before + slots * elements) * static_cast<int>(sizeof(T));
  /// Elements that a copy moves, copies of a row, and of a thread.
  static constexpr int chunk = piece, of_row = (width + 2 * reach) / chunk;
  static constexpr int own = ceil_div(of_row * high, threads);
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

/// Stores 16 bytes. Three fields would drive the nodes that neighbouring blocks read from L2.
template <Kind kind, class Element>
__device__ __forceinline__ void store_past_cache(Element* to, const Element& of) {
  if constexpr (kind != laplacian && sizeof(Element) == 16) {
    __stcs(reinterpret_cast<uint4*>(to), *reinterpret_cast<const uint4*>(&of));
  } else {
    *to = of;
  }
}

struct alignas(128) Line {
  char bytes[128];
};

template <Kind kind, int piece, class T>
__global__ void __launch_bounds__(threads, 1) async_planes_kernel(Field<T> s, int stretch) {
  using Shape = AsyncPlanes<kind, T, piece>;
  using Element = Piece<T, piece>;
  constexpr int sides = reach / piece;
  extern __shared__ Line raw[];
  __shared__ __mbarrier_t barrier;
  T* const slots = reinterpret_cast<T*>(raw) + Shape::before;
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
  unsigned from[Shape::own], to[Shape::own];
  bool in_block[Shape::own], in_cross[Shape::own];
#pragma unroll
  for (int e = 0; e < Shape::own; ++e) {
    const int i = thread + e * threads;
    const int x = i % Shape::of_row * Shape::chunk - reach, y = i / Shape::of_row - reach;
    const bool beside = x < 0 || x >= Shape::width, above = y < 0 || y >= Shape::height;
    in_block[e] = !beside && !above;
    in_cross[e] = y < Shape::height + reach && !(beside && above);
    from[e] = index(x, y);
    to[e] = (y + reach) * Shape::pitch + x + reach;
  }
  const auto copy = [&](int z, int slot) {
    if (z < end + reach) {
      const T* const plane = s.f + wrapped(z, s.nz) * s.step(2);
      const bool computed = z >= first.z && z < end;
#pragma unroll
      for (int e = 0; e < Shape::own; ++e) {
        if (computed ? in_cross[e] : in_block[e]) {
          copy_async<Shape::chunk * sizeof(T)>(slots + slot * Shape::elements + to[e],
                                               plane + from[e]);
        }
      }
    }
    __pipeline_commit();  // an empty commit counts, too, so that the waits' counts fit
  };
  // Tells that the thread has its copies of the next plane, and has read the plane before last.
  const auto arrive = [&] {
    __pipeline_wait_prior(Shape::ahead - 1);
    __mbarrier_arrive(&barrier);
  };
  if (thread == 0) __mbarrier_init(&barrier, threads);
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
            Element d[fields<kind>];
            differentiate<kind>(s, p, d, [&](int axis, int j, int k) {
              return axis == 0   ? row[(j + k) / piece].at[(j + k) % piece]
                     : axis == 1 ? down[k].at[j]
                                 : of_column(r, k).at[j];
            });
#pragma unroll
            for (int field = 0; field < fields<kind>; ++field) {
              T* const out = s.out + place + static_cast<unsigned>(field) * s.size();
              store_past_cache<kind>(reinterpret_cast<Element*>(out), d[field]);
            }
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
