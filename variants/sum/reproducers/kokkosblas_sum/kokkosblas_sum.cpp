// SPDX-License-Identifier: Apache-2.0
// KokkosBlas::sum over more than 2^32 numbers. Needs Kokkos and Kokkos Kernels alone.
#include <KokkosBlas1_sum.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

namespace {

using Numbers = Kokkos::View<int*>;
using Policy = Kokkos::RangePolicy<Numbers::execution_space, Kokkos::IndexType<std::int64_t>>;
constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Numbers::memory_space>::accessible;

int too_little_memory(std::uint64_t n) {
  std::fprintf(stderr, "too little memory: %llu ints take %.1f GB; name fewer\n",
               static_cast<unsigned long long>(n), 4e-9 * static_cast<double>(n));
  return 77;
}

// Checks the available memory, because a host promises more memory than it has.
bool host_has(double bytes) {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  double kib = 0;
  while (file >> key >> kib >> unit) {
    if (key == "MemAvailable:") return bytes < 1024 * kib;
  }
  return true;
}

// All numbers are 0 except the last, which is 1.
Numbers make_numbers(std::uint64_t n) {
  const Numbers numbers(Kokkos::view_alloc(Kokkos::WithoutInitializing, "numbers"), n);
  const auto last = static_cast<std::int64_t>(n) - 1;
  Kokkos::parallel_for(
      Policy(0, last + 1),
      KOKKOS_LAMBDA(std::int64_t i) { numbers(static_cast<std::size_t>(i)) = i == last ? 1 : 0; });
  Kokkos::fence();
  return numbers;
}

int judge(std::uint64_t n, int sum) {
  const int right = n > 0 ? 1 : 0;
  std::printf("KokkosBlas::sum of %llu numbers, all 0 but the last, which is 1: %d: %s\n",
              static_cast<unsigned long long>(n), sum, sum == right ? "right" : "WRONG");
  return sum == right ? 0 : 1;
}

int add_up(std::uint64_t n) {
  if (on_host && !host_has(4.0 * static_cast<double>(n))) return too_little_memory(n);
  Numbers numbers;
  try {
    numbers = make_numbers(n);
  } catch (const std::exception&) {
    return too_little_memory(n);
  }
  return judge(n, KokkosBlas::sum(numbers));
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t n = (std::uint64_t{1} << 32) + 5;
  if (argc > 1) {
    char* end = nullptr;
    n = std::strtoull(argv[1], &end, 10);
    if (argc > 2 || end == argv[1] || *end != '\0') {
      std::fprintf(stderr, "usage: kokkosblas_sum [N], N a whole number\n");
      return 2;
    }
  }
  const Kokkos::ScopeGuard guard;
  return add_up(n);
}
