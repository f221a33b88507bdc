// SPDX-License-Identifier: Apache-2.0
// Each of n threads reads one of 1024 words 64 times: by Kokkos::atomic_load, by a volatile read,
// and by a plain read of a View (CUDA alone: Kokkos 4.6's load is a compare-exchange there).
#include "timing.hpp"

using Words = Kokkos::View<int*>;

template <class Read>
void run(const Words& words, const Words& out, int n, const Read& read) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<>(0, n), KOKKOS_LAMBDA(int i) {
        int sum = 0;
        for (int k = 0; k < 64; ++k) sum += read(&words((i + k) % 1024));
        out(i) = sum;
      });
}

struct Atomic {
  KOKKOS_FUNCTION int operator()(int* at) const {
#if KOKKOS_VERSION >= 40100
    return Kokkos::atomic_load(at);
#else
    return Kokkos::atomic_fetch_add(at, 0);
#endif
  }
};
struct Volatile {
  KOKKOS_FUNCTION int operator()(int* at) const { return *static_cast<volatile int*>(at); }
};
struct Plain {
  KOKKOS_FUNCTION int operator()(int* at) const { return *at; }
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = size_from(argc, argv, 1 << 20);
  const Words words("words", 1024), out("out", n);
  time("Kokkos::atomic_load", [&] { run(words, out, n, Atomic()); });
  time("volatile read", [&] { run(words, out, n, Volatile()); });
  time("plain read", [&] { run(words, out, n, Plain()); });
}
