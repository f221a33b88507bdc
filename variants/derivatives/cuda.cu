// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the tiles of NVIDIA's finite-difference articles, and marches up z.
#include "src/memory/cuda_check.hpp"
#include "variants/derivatives/bodies.hpp"
#include "variants/derivatives/cuda/async.cuh"

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
    if (at < Shape::elements && wrap_into_grid<axis>(s, p)) loaded[k] = s.f[s.at(p)];
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

template <int axis, int piece, class T>
__global__ void __launch_bounds__((Wide<axis, piece>::threads)) wide_kernel(Field<T> s) {
  using Shape = Wide<axis, piece>;
  wide<axis, piece>(s, Shape::node(first_of(Shape::box), threadIdx.x));
}

template <int piece, class T>
__global__ void __launch_bounds__(March<piece>::threads) march_kernel(Field<T> s, int stretch) {
  using Shape = March<piece>;
  march<piece>(s, Shape::node(first_of(Shape::box(stretch)), threadIdx.x), stretch);
}

// A team's plane in shared memory, and ten planes of each column in registers.
template <Kind kind, int piece, class T>
__global__ void __launch_bounds__(threads, Planes<piece>::resident)
    planes_kernel(Field<T> s, int stretch) {
  using Shape = Planes<piece>;
  __shared__ Piece<T, piece> planes[2][Shape::elements];
  const Node first = first_of(Shape::box(stretch));
  const int end = min(first.z + stretch, s.nz);
  Columns<T, piece> columns;
  columns.begin(s, first, threadIdx.x);
#pragma unroll 1
  for (int begin = first.z; begin < end; begin += Shape::ring) {
#pragma unroll
    for (int phase = 0; phase < Shape::ring; ++phase) {
      const int z = begin + phase;
      if (z >= end) break;
      auto* const now = planes[phase % 2];
      columns.publish(now, phase);
      __syncthreads();
      if (z + 1 < end) columns.load(s, z + 1, phase + 1);
      columns.template compute<kind>(s, now, first, z, phase);
    }
  }
}

template <class T>
dim3 grid_of(const Field<T>& s, Box box) {
  const auto blocks = [](int n, int of) { return static_cast<unsigned>(ceil_div(n, of)); };
  return dim3(blocks(s.nx, box.x), blocks(s.ny, box.y), blocks(s.nz, box.z));
}

// For Rung::unless.
std::string_view no_async_planes(const Problem& p) {
  using Shape = AsyncPlanes<laplacian, float, 4>;
  cudaFuncAttributes of{};
  if (cudaFuncGetAttributes(&of, async_planes_kernel<laplacian, 4, float>) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // no GPU
  } else if (of.ptxVersion < 90 || of.binaryVersion < 90 ||
             device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) < Shape::bytes) {
    return "needs a GPU of compute capability 9.0 or 10.0, and code for it";
  }
  return three_or_laplacian(p);
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
    with_piece<16>(s, [&](auto piece) {
      using Shape = March<decltype(piece)::value>;
      const int stretch = stretch_of<Shape>(s.nx, s.ny, s.nz);
      march_kernel<decltype(piece)::value>
          <<<grid_of(s, Shape::box(stretch)), Shape::threads, 0, on.native()>>>(s, stretch);
      cuda_check(cudaGetLastError());
    });
  };
  const auto wide = [](auto axis, auto, const auto& s, const Stream& on) {
    constexpr int along = decltype(axis)::value;
    with_piece<along == 0 ? 16 : 8>(s, [&](auto piece) {
      using Shape = Wide<along, decltype(piece)::value>;
      wide_kernel<along, decltype(piece)::value>
          <<<grid_of(s, Shape::box), Shape::threads, 0, on.native()>>>(s);
      cuda_check(cudaGetLastError());
    });
  };
  const auto planes = [](auto kind, const auto& s, const Stream& on) {
    with_piece<8>(s, [&](auto piece) {
      using Shape = Planes<decltype(piece)::value>;
      const int stretch = stretch_of<Shape>(s.nx, s.ny, s.nz);
      planes_kernel<decltype(kind)::value, decltype(piece)::value>
          <<<grid_of(s, Shape::box(stretch)), threads, 0, on.native()>>>(s, stretch);
      cuda_check(cudaGetLastError());
    });
  };
  const auto async_planes = [](auto kind, const auto& s, const Stream& on) {
    with_piece<16>(s, [&]<class Length>(Length) {
      const auto launch = [&]<class T>(const Field<T>& field) {
        using Shape = AsyncPlanes<decltype(kind)::value, T, Length::value>;
        const auto kernel = async_planes_kernel<decltype(kind)::value, Length::value, T>;
        const int stretch = stretch_of<Shape>(field.nx, field.ny, field.nz);
        cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        Shape::bytes));
        kernel<<<grid_of(field, Shape::box(stretch)), threads, Shape::bytes, on.native()>>>(
            field, stretch);
        cuda_check(cudaGetLastError());
      };
      launch(s);
    });
  };
  return {rung(works, "naive", of_kind(naive)),
          rung(works, "tile", of_axis<few>(pencils)).unless(one_axis),
          rung(works, "long_pencils", of_axis<many>(pencils)).unless(y_or_z),
          rung(works, "march_z", march_z).unless(z_alone),
          rung(works, "wide", of_axis<1>(wide)).unless(one_axis),
          rung(works, "all_three", of<all_three, stretched>(planes)).unless(three_alone),
          rung(works, "laplacian", of<laplacian>(planes)).unless(laplacian_alone),
          rung(works, "async_planes", of<all_three, laplacian, stretched>(async_planes))
              .unless(no_async_planes)};
}

}  // namespace portcost::derivatives
