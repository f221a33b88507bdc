// SPDX-License-Identifier: Apache-2.0
// Each thread factorises an 8 x 8 matrix in an array of its own: by loops as they are, by loops
// that are unrolled, and by loops as they are in CUDA. nvcc 13.0 unrolls no loop whose start is the
// variable of the loop around it, and an array that a loop indexes lies in local memory.
#include "timing.hpp"

constexpr int width = 8;
using Matrices = Kokkos::View<float * [width * width], Kokkos::LayoutLeft>;

KOKKOS_FUNCTION void as_they_are(float (&at)[width][width]) {
  for (int m = 0; m < width; ++m) {
    for (int r = m + 1; r < width; ++r) {
      at[r][m] /= at[m][m];
      for (int c = m + 1; c < width; ++c) at[r][c] -= at[r][m] * at[m][c];
    }
  }
}
KOKKOS_FUNCTION void unrolled(float (&at)[width][width]) {
#pragma unroll
  for (int m = 0; m < width; ++m) {
#pragma unroll
    for (int r = m + 1; r < width; ++r) {
      at[r][m] /= at[m][m];
#pragma unroll
      for (int c = m + 1; c < width; ++c) at[r][c] -= at[r][m] * at[m][c];
    }
  }
}
template <bool unroll>
struct Factorise {
  Matrices in, out;
  KOKKOS_FUNCTION void operator()(int i) const {
    float at[width][width];
#pragma unroll
    for (int e = 0; e < width * width; ++e) at[e / width][e % width] = in(i, e);
    unroll ? unrolled(at) : as_they_are(at);
#pragma unroll
    for (int e = 0; e < width * width; ++e) out(i, e) = at[e / width][e % width];
  }
};
#ifdef KOKKOS_ENABLE_CUDA
__global__ void kernel(const Factorise<false> f) { f(blockIdx.x * 256 + threadIdx.x); }
#endif

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = size_from(argc, argv, 4096) * 256;
  const Matrices in("in", n), out("out", n);
  // The product of L and U: 1 beside the diagonal of U, which is 2, and in all of L.
  Kokkos::parallel_for(
      width * width * n, KOKKOS_LAMBDA(int at) {
        const int r = at / n / width, c = at / n % width;
        in(at % n, at / n) = r < c ? r + 1 : c + 2;
      });
  const auto right = KOKKOS_LAMBDA(std::int64_t at) {
    return out(at % n, at / n) == (at / n % (width + 1) == 0 ? 2 : 1);
  };
  time("loops as they are", out, right, [&] {
    Kokkos::parallel_for(n, Factorise<false>{in, out});
  });
  time("unrolled loops", out, right, [&] { Kokkos::parallel_for(n, Factorise<true>{in, out}); });
#ifdef KOKKOS_ENABLE_CUDA
  time("CUDA, loops as they are", out, right, [&] {
    kernel<<<n / 256, 256, 0, Space().cuda_stream()>>>({in, out});
  });
#endif
}
