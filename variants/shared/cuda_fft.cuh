// SPDX-License-Identifier: Apache-2.0
// The kernels between transforms in CUDA.
#pragma once

#include "src/memory/cuda_check.hpp"
#include "variants/shared/fft.hpp"
#include "variants/shared/fft_pass.hpp"

namespace portcost::fft::by_cuda {

// A thread replaces a mode of four rows by glue.at(row, mode).
template <class Glue>
__global__ void __launch_bounds__(threads) modes_kernel(Glue glue, int columns) {
  constexpr Tile tile = tile_in(Place::device);
  const int down = blockIdx.x / columns, across = blockIdx.x - down * columns;
  const int k = across * tile.modes + threadIdx.x % lanes;
  const int first = down * tile.rows + threadIdx.x / lanes;
  if (k >= glue.modes) return;
  typename Glue::Mode z[own_rows];
#pragma unroll
  for (int r = 0; r < own_rows; ++r) {
    if (first + r * warps < glue.rows) z[r] = glue.at(first + r * warps, k);
  }
#pragma unroll
  for (int r = 0; r < own_rows; ++r) {
    const int row = first + r * warps;
    if (row < glue.rows) glue.spectrum[std::int64_t{row} * glue.modes + k] = z[r];
  }
}

// A thread has four packs; threads of the last block have what no pack holds.
template <class T>
__global__ void __launch_bounds__(threads) scale_kernel(T* out, std::int64_t count, T by) {
  using Packed = Pack<T>;
  auto* const packs = reinterpret_cast<Packed*>(out);
  const std::int64_t whole = count / Packed::length;
  const std::int64_t first = std::int64_t{blockIdx.x} * (threads * own_packs) + threadIdx.x;
  Packed own[own_packs];
#pragma unroll
  for (int j = 0; j < own_packs; ++j) {
    if (first + j * threads < whole) own[j] = packs[first + j * threads];
  }
#pragma unroll
  for (int j = 0; j < own_packs; ++j) {
    for (T& number : own[j].at) number *= by;
    if (first + j * threads < whole) packs[first + j * threads] = own[j];
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x < count % Packed::length) {
    out[whole * Packed::length + threadIdx.x] *= by;
  }
}

template <class Glue>
void for_modes(const Glue& glue, const Stream& on) {
  constexpr Tile tile = tile_in(Place::device);
  const int columns = columns_of(tile, glue.modes);
  const auto blocks = static_cast<unsigned>(std::int64_t{columns} * ceil_div(glue.rows, tile.rows));
  modes_kernel<<<blocks, threads, 0, on.native()>>>(glue, columns);
  cuda_check(cudaGetLastError());
}

template <class Pass, class T, class Glue>
__global__ void __launch_bounds__(pass_threads, axis_teams_per_multiprocessor<T>)
    axis_kernel(Pass pass, Complex<T>* spectrum, Glue glue) {
  __shared__ Complex<T> scratch[pass_slots];
  Complex<T> z[1][own_elements];
  run_pass(
      pass, z, static_cast<int>(blockIdx.x),
      [&](int matrix, int row, int column) -> auto& {
        return spectrum[(std::int64_t{matrix} * Pass::n + row) * pass.columns + column];
      },
      glue, [&](int slot) -> auto& { return scratch[slot]; },
      [](const auto& action) { action(static_cast<int>(threadIdx.x), 0); },
      [] { __syncthreads(); });
}
/// Passes over the slowest axis of s.
template <class S, class Glue>
void for_axis(const S& s, const Glue& glue, const Stream& on) {
  const Shape shape = s.shape();
  over_axis(static_cast<int>(shape.slowest()), static_cast<int>(shape.per_node()), [&](auto pass) {
    axis_kernel<<<static_cast<unsigned>(pass.teams()), pass_threads, 0, on.native()>>>(
        pass, s.spectrum, glue);
    cuda_check(cudaGetLastError());
  });
}

inline constexpr auto scale = []<class T>(T* out, std::int64_t count, T by, const Stream& on) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, std::int64_t{scaled_by_team<T>}));
  scale_kernel<<<blocks, threads, 0, on.native()>>>(out, count, by);
  cuda_check(cudaGetLastError());
};

}  // namespace portcost::fft::by_cuda
