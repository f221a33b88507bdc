// SPDX-License-Identifier: Apache-2.0
// 100 launches of a kernel for 64 numbers that reads a table: in its functor, by the functor's
// size; in a functor with the property that keeps it an argument of the kernel; in a View; and in
// the arguments of CUDA's own launch.
#include "timing.hpp"

using Policy = Kokkos::RangePolicy<>;
using Numbers = Kokkos::View<int*>;
constexpr int numbers = 64;

template <int bytes>
struct Functor {
  static constexpr int words = bytes / 4;
  Numbers out;
  int table[words];
  explicit Functor(const Numbers& written) : out(written) {
    for (int i = 0; i < words; ++i) table[i] = i;
  }
  KOKKOS_FUNCTION void operator()(int i) const { out(i) = table[i % words]; }
};
#ifdef KOKKOS_ENABLE_CUDA
template <int bytes>
__global__ void kernel(const Functor<bytes> functor) {
  functor(static_cast<int>(threadIdx.x));
}
#endif

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int launches = size_from(argc, argv, 100);
  const Numbers out("out", numbers), table("table", numbers);
  const Functor<256> small(out);
  const Functor<1024> medium(out);
  const Functor<8192> large(out);
  const Functor<40960> largest(out);
  const Policy policy(0, numbers);
  namespace Experimental = Kokkos::Experimental;
  const auto light = Experimental::require(policy, Experimental::WorkItemProperty::HintLightWeight);
  const auto fill = KOKKOS_LAMBDA(int i) { table(i) = i; };
  Kokkos::parallel_for(policy, fill);
  const auto in_view = KOKKOS_LAMBDA(int i) { out(i) = table(i); };
  const auto right = KOKKOS_LAMBDA(std::int64_t i) { return out(i) == i; };
  const auto measure = [&](const char* what, const auto& f) {
    time_in_turn(what, out, right, launches, f);
  };
  std::printf("%d launches:\n", launches);
  measure("functor of 256 bytes", [&] { Kokkos::parallel_for(policy, small); });
  measure("functor of 1 KiB", [&] { Kokkos::parallel_for(policy, medium); });
  measure("functor of 1 KiB, HintLightWeight", [&] { Kokkos::parallel_for(light, medium); });
  measure("functor of 8 KiB", [&] { Kokkos::parallel_for(policy, large); });
  measure("functor of 40 KiB", [&] { Kokkos::parallel_for(policy, largest); });
  measure("table in a View", [&] { Kokkos::parallel_for(policy, in_view); });
#ifdef KOKKOS_ENABLE_CUDA
  const cudaStream_t stream = Space().cuda_stream();
  measure("CUDA, 1 KiB of arguments", [&] { kernel<<<1, numbers, 0, stream>>>(medium); });
#if CUDART_VERSION >= 12010  // up to 32764 bytes; before 4096
  measure("CUDA, 8 KiB of arguments", [&] { kernel<<<1, numbers, 0, stream>>>(large); });
#endif
#endif
}
