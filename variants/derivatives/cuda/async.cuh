// SPDX-License-Identifier: Apache-2.0
// async_planes: asynchronous copies bring planes to shared memory, and threads meet at a split
// arrive/wait barrier. For GPUs of compute capability 9.0 and 10.0.
#pragma once

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>
#include <cstdint>

#include "src/memory/cuda_check.hpp"
#include "variants/derivatives/bodies.hpp"

namespace portcost::derivatives {

/// A block has 32 rows of 32 pieces of 16 bytes, and marches up z. A thread has four pieces,
/// adjacent along y, and nine planes of them in registers. Nine slots of shared memory hold planes
/// with `reach` more nodes on each side. In the round that loads plane z to registers they hold
/// plane z - 4, which is computed, planes z - 3 to z, plane z - 5, which slow warps may still read,
/// and planes z + 1 to z + 3, which are in flight.
template <Kind kind, class T, int piece>
struct AsyncPlanes {
  static constexpr int rows = 4, width = lanes * piece, height = rows * warps, slots = 9, ahead = 3;
  static constexpr int longest = kind == laplacian ? 256 : 128, least_teams = 128;
  /// The block's rows start at multiples of 128 bytes in shared memory, as in global memory if nx
  /// allows: a copy whose two addresses differ modulo 32 bytes takes more accesses.
  static constexpr int line = 128 / sizeof(T), before = line - reach;
  static constexpr int pitch = ceil_div(width + 2 * reach, line) * line;
  static constexpr int high = height + 2 * reach, elements = pitch * high;
  static constexpr int bytes = (before + slots * elements) * static_cast<int>(sizeof(T));
  /// Copies of `piece` elements per row, and the most per thread.
  static constexpr int row_copies = (width + 2 * reach) / piece;
  static constexpr int copies = ceil_div(row_copies * high, threads);
  static constexpr Box box(int stretch) { return {width, height, stretch}; }
};

/// Copies a piece. L2 loads the whole line: neighbouring blocks read its other sectors.
template <int bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
  if constexpr (bytes == 16) {
#if __CUDA_ARCH__ >= 800  // no_async_planes() refuses older code
    // L2 evicts the planes last, because neighbouring blocks read their halos again.
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from), "l"(policy)
                 : "memory");
#endif
  } else {
    __pipeline_memcpy_async(to, from, bytes);
  }
}

/// Stores a piece. Stores of three fields would evict halo nodes from L2.
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

  // The thread's copies: nodes of the block, and of its halo without corners. Planes outside of the
  // stretch need no halo.
  unsigned from[Shape::copies], to[Shape::copies];
  bool in_block[Shape::copies], in_cross[Shape::copies];
#pragma unroll
  for (int e = 0; e < Shape::copies; ++e) {
    const int i = thread + e * threads;
    const int x = i % Shape::row_copies * piece - reach, y = i / Shape::row_copies - reach;
    const bool outside_x = x < 0 || x >= Shape::width, outside_y = y < 0 || y >= Shape::height;
    in_block[e] = !outside_x && !outside_y;
    in_cross[e] = y < Shape::height + reach && !(outside_x && outside_y);
    from[e] = index(x, y);
    to[e] = (y + reach) * Shape::pitch + x + reach;
  }
  const auto copy = [&](int z, int slot) {
    if (z < end + reach) {
      const T* const plane = s.f + wrapped(z, s.nz) * s.step(2);
      const bool in_stretch = z >= first.z && z < end;
#pragma unroll
      for (int e = 0; e < Shape::copies; ++e) {
        if (in_stretch ? in_cross[e] : in_block[e]) {
          copy_async<piece * sizeof(T)>(slots + slot * Shape::elements + to[e], plane + from[e]);
        }
      }
    }
    __pipeline_commit();  // arrive() counts empty groups, too
  };
  // In the round of plane z: the thread's copies of plane z + 1 are complete, and the thread no
  // longer reads plane z - 5, into whose slot the next round copies plane z + 4.
  const auto arrive = [&] {
    __pipeline_wait_prior(Shape::ahead - 1);
    __mbarrier_arrive(&barrier);
  };
  if (thread == 0) __mbarrier_init(&barrier, threads);
  __syncthreads();

  // Round z: wait until all threads have plane z, copy plane z + 3, load plane z to registers,
  // arrive, compute plane z - 4. Threads arrive before they compute, so that fast warps do not wait
  // for slow ones. Planes outside of the stretch feed the registers alone.
  int z = first.z - reach;
#pragma unroll
  for (int k = 0; k < Shape::ahead; ++k) copy(z + k, k);
  arrive();
  int load_slot = 0, copy_slot = Shape::ahead, centre_slot = Shape::slots - reach;
  const auto next = [](int slot) { return slot + 1 == Shape::slots ? 0 : slot + 1; };
  const auto at = [&](int slot, int x, int y) -> const Element& {
    return *reinterpret_cast<const Element*>(slots + slot * Shape::elements +
                                             (y + reach) * Shape::pitch + x * piece + reach);
  };
  const unsigned offset = (first.y + ly) * static_cast<unsigned>(s.nx) + first.x + lx * piece;
  Element column[Shape::rows][nine];
  bool parity = false;
#pragma unroll 1
  while (z < end + reach) {
#pragma unroll
    for (int phase = 0; phase < nine; ++phase) {
      while (!__mbarrier_try_wait_parity(&barrier, parity, 1000)) {  // ns
      }
      parity = !parity;
      copy(z + Shape::ahead, copy_slot);
#pragma unroll
      for (int r = 0; r < Shape::rows; ++r) column[r][phase] = at(load_slot, lx, ly + r);
      arrive();
      const int centre = z - reach;
      if (centre >= first.z) {
        const auto of_column = [&](int r, int k) { return column[r][(phase + 1 + k) % nine]; };
#pragma unroll
        for (int r = 0; r < Shape::rows; ++r) {
          Element row[2 * sides + 1], down[nine];
#pragma unroll
          for (int k = -sides; k <= sides; ++k) {
            row[k + sides] = k == 0 ? of_column(r, reach) : at(centre_slot, lx + k, ly + r);
          }
#pragma unroll
          for (int k = 0; k < nine; ++k) {
            const int y = r + k - reach;
            const bool of_thread = y >= 0 && y < Shape::rows;
            down[k] = of_thread ? of_column(of_thread ? y : 0, reach) : at(centre_slot, lx, ly + y);
          }
          const Node p{first.x + lx * piece, first.y + ly + r, centre};
          if (s.holds(p)) {
            const std::uint64_t place = std::uint64_t{s.plane()} * static_cast<unsigned>(centre) +
                                        offset + static_cast<unsigned>(r) * s.nx;
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
      load_slot = next(load_slot);
      copy_slot = next(copy_slot);
      centre_slot = next(centre_slot);
      if (++z == end + reach) break;
    }
  }
}

}  // namespace portcost::derivatives
