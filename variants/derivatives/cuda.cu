// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the tiles of NVIDIA's finite-difference articles, and marches up z.
#include "src/memory/cuda_check.hpp"
#include "variants/derivatives/problem.hpp"

namespace portcost::derivatives {

namespace {

// The first node of a block.
__device__ Node first_of(Box box) {
  return {static_cast<int>(blockIdx.x) * box.x, static_cast<int>(blockIdx.y) * box.y,
          static_cast<int>(blockIdx.z) * box.z};
}

// A node a thread, whose neighbours it loads by itself.
template <Kind kind, class T>
__global__ void __launch_bounds__(threads) naive_kernel(Field<T> s) {
  Node p = first_of(naive_box(Place::device));
  p.x += threadIdx.x % lanes;
  p.y += threadIdx.x / lanes;
  if (!s.holds(p)) return;
  const T* const centre = s.f + s.at(p);
  T f[3][nine];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    if (!needs<kind>(axis)) continue;
    const int i = coordinate(p, axis);
#pragma unroll
    for (int k = 0; k < nine; ++k) {
      f[axis][k] = centre[(wrapped(i + k - reach, s.extent(axis)) - i) * s.step(axis)];
    }
  }
  store<kind>(s, p, f);
}

// Pencils in shared memory.
template <Kind axis, int width, class T>
__global__ void __launch_bounds__(threads) pencils_kernel(Field<T> s) {
  using Shape = Pencils<axis, width>;
  __shared__ T tile[Shape::elements];
  const Node first = first_of(Shape::box);
  T loaded[Shape::loads];
#pragma unroll
  for (int k = 0; k < Shape::loads; ++k) {
    const int at = threadIdx.x + k * threads;
    Node p = Shape::node(first, Shape::along(at, Shape::length) - reach,
                         Shape::across(at, Shape::length));
    if (at < Shape::elements && into<axis>(s, p)) loaded[k] = s.f[s.at(p)];
  }
#pragma unroll
  for (int k = 0; k < Shape::loads; ++k) {
    const int at = threadIdx.x + k * threads;
    if (at < Shape::elements) tile[at] = loaded[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Shape::own; ++k) {
    const int at = threadIdx.x + k * threads;
    const int along = Shape::along(at, Shape::nodes), across = Shape::across(at, Shape::nodes);
    const Node p = Shape::node(first, along, across);
    T f[nine];
#pragma unroll
    for (int j = 0; j < nine; ++j) f[j] = tile[Shape::place(along, across) + j * Shape::step];
    if (s.holds(p)) store_first(s, p, axis, 0, f);
  }
}

// A column a thread, of whose nodes 16 are in registers: the last eight, and the next.
template <class T>
__global__ void __launch_bounds__(threads) march_z_kernel(Field<T> s, int stretch) {
  Node p = first_of({march_box.x, march_box.y, stretch});
  p.x += threadIdx.x % lanes;
  p.y += threadIdx.x / lanes;
  if (!s.holds(p)) return;
  const T* const from = s.f + s.at({p.x, p.y, 0});
  const int end = min(p.z + stretch, s.nz);
  T column[2 * trip];
#pragma unroll
  for (int k = 0; k < trip; ++k) column[k] = from[wrapped(p.z + k - reach, s.nz) * s.step(2)];
  for (; p.z < end; p.z += trip) {
#pragma unroll
    for (int k = 0; k < trip; ++k) {
      const int z = min(p.z + k, end - 1) + reach;
      column[trip + k] = from[wrapped(z, s.nz) * s.step(2)];
    }
#pragma unroll
    for (int k = 0; k < trip; ++k) {
      if (p.z + k < end) store_first(s, {p.x, p.y, p.z + k}, 2, 0, column + k);
    }
#pragma unroll
    for (int k = 0; k < trip; ++k) column[k] = column[trip + k];
  }
}

// A team's plane in shared memory, and nine nodes of each column in registers.
template <Kind kind, class T>
__global__ void __launch_bounds__(threads, plane_teams<T>) planes_kernel(Field<T> s, int stretch) {
  using Shape = Planes;
  __shared__ T planes[2][Shape::elements];
  const Node first = first_of({Shape::side, Shape::side, stretch});
  const int end = min(first.z + stretch, s.nz);
  const int thread = threadIdx.x, lx = thread % lanes, ly = thread / lanes * Shape::rows;
  // The node to the left or right, and the node above or below.
  const int side_x = Shape::outside(thread % (2 * reach)), side_y = thread / (2 * reach);
  const int rim_x = lx, rim_y = Shape::outside(thread / lanes);
  const auto offset = [&](int x, int y) {
    return static_cast<std::uint32_t>(near(first.y + y, s.ny)) * s.nx + near(first.x + x, s.nx);
  };
  std::uint32_t own[Shape::rows];
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) own[r] = offset(lx, ly + r);
  const std::uint32_t side = offset(side_x, side_y), rim = offset(rim_x, rim_y);
  const auto plane = [&](int z) { return s.f + wrapped(z, s.nz) * s.step(2); };

  T column[Shape::rows][nine], next[Shape::rows];
#pragma unroll
  for (int k = 0; k < nine; ++k) {
    const T* const from = plane(first.z + k - reach);
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) (k < nine - 1 ? column[r][k] : next[r]) = from[own[r]];
  }
  T beside = plane(first.z)[side], above = plane(first.z)[rim];
#pragma unroll 4
  for (int z = first.z; z < end; ++z) {
    T* const now = planes[(z - first.z) % 2];
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      column[r][nine - 1] = next[r];
      now[Shape::place(lx, ly + r)] = column[r][reach];
    }
    now[Shape::place(side_x, side_y)] = beside;
    now[Shape::place(rim_x, rim_y)] = above;
    __syncthreads();
    if (z + 1 < end) {
      const T* const ahead = plane(z + 1 + reach);
#pragma unroll
      for (int r = 0; r < Shape::rows; ++r) next[r] = ahead[own[r]];
      beside = plane(z + 1)[side];
      above = plane(z + 1)[rim];
    }
    T down[Shape::rows + 2 * reach];  // the nodes of the thread's rows, and above and below them
#pragma unroll
    for (int k = 0; k < Shape::rows + 2 * reach; ++k) {
      const bool of_thread = k >= reach && k < reach + Shape::rows;
      down[k] = of_thread ? column[of_thread ? k - reach : 0][reach]
                          : now[Shape::place(lx, ly + k - reach)];
    }
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      T f[3][nine];
#pragma unroll
      for (int k = 0; k < nine; ++k) {
        f[0][k] = k == reach ? column[r][reach] : now[Shape::place(lx + k - reach, ly + r)];
        f[1][k] = down[r + k];
        f[2][k] = column[r][k];
      }
      const Node p{first.x + lx, first.y + ly + r, z};
      if (s.holds(p)) store<kind>(s, p, f);
#pragma unroll
      for (int k = 0; k < nine - 1; ++k) column[r][k] = column[r][k + 1];
    }
  }
}

template <class T>
dim3 grid_of(const Field<T>& s, Box box) {
  const auto blocks = [](int n, int of) { return static_cast<unsigned>(ceil_div(n, of)); };
  return dim3(blocks(s.nx, box.x), blocks(s.ny, box.y), blocks(s.nz, box.z));
}

}  // namespace

Rungs cuda_rungs() {
  const auto naive = [](auto kind, const auto& s, const Stream& on) {
    const dim3 grid = grid_of(s, naive_box(Place::device));
    naive_kernel<decltype(kind)::value><<<grid, threads, 0, on.native()>>>(s);
    cuda_check(cudaGetLastError());
  };
  const auto pencils = [](auto axis, auto width, const auto& s, const Stream& on) {
    constexpr Kind along = decltype(axis)::value;
    constexpr int wide = decltype(width)::value;
    const dim3 grid = grid_of(s, Pencils<along, wide>::box);
    pencils_kernel<along, wide><<<grid, threads, 0, on.native()>>>(s);
    cuda_check(cudaGetLastError());
  };
  const auto march_z = [](const auto& s, const Stream& on) {
    const Box box = stretched_box(march_box, s);
    march_z_kernel<<<grid_of(s, box), threads, 0, on.native()>>>(s, box.z);
    cuda_check(cudaGetLastError());
  };
  const auto planes = [](auto kind, const auto& s, const Stream& on) {
    const Box box = stretched_box(Planes::box, s);
    planes_kernel<decltype(kind)::value><<<grid_of(s, box), threads, 0, on.native()>>>(s, box.z);
    cuda_check(cudaGetLastError());
  };
  return {rung(works, "naive", of_kind(naive)),
          rung(works, "tile", of_axis<few>(pencils)).unless(one_axis),
          rung(works, "long_pencils", of_axis<many>(pencils)).unless(y_or_z),
          rung(works, "march_z", march_z).unless(z_alone),
          rung(works, "all_three", of<all_three>(planes)).unless(three_alone),
          rung(works, "laplacian", of<laplacian>(planes)).unless(laplacian_alone)};
}

}  // namespace portcost::derivatives
