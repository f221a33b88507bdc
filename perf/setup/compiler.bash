# shellcheck shell=bash
# shellcheck disable=SC2154  # the variables come from perf/setup/common.bash and perf/prepare
# Which C++ compiler is here, and which is needed. Sourced by perf/prepare.

# The least compilers that this project is tested with; what another compiler says of itself counts.
compiler_probe='#include <omp.h>
#include <span>
#if defined(__clang__) ? __clang_major__ < 15 : __GNUC__ < 12
#error "too old"
#endif
template <class T> concept Number = requires(T x) { x + x; };
int main() { std::span<int> none; return omp_get_max_threads() == 0 || !Number<int> || !none.empty(); }'

# compiles WORD...: a compiler, with its options, makes a program of C++20 with OpenMP.
compiles() {
  command -v "$1" >/dev/null && "$@" -std=c++20 -fopenmp -x c++ -o /dev/null - <<<"$compiler_probe" 2>/dev/null
}

# Keeps the compiler that CXX names, or else exports the first that fits.
find_compiler() {
  local candidate fits=compiles candidates=(g++ g++-12 g++-13 g++-14 g++-15 clang++)
  local refused="which does not compile C++20 with OpenMP: it takes g++ >= 12, or clang >= 15 with its OpenMP library. Name another"
  if wants_clang; then
    fits=is_fit_clang candidates=(clang++ "clang++$(clang_suffix)")
    refused="and the preset $preset needs clang >= 15 with its OpenMP library and ThreadSanitizer's. Name such a clang"
  fi
  if [[ -n ${CXX:-} ]]; then
    # shellcheck disable=SC2086  # CXX may carry a launcher or flags
    "$fits" $CXX || die 3 "CXX names '$CXX', $refused or unset CXX."
    return 0
  fi
  for candidate in "${candidates[@]}"; do
    "$fits" "$candidate" || continue
    [[ $candidate == g++ ]] || export CXX=$candidate CUDAHOSTCXX=${CUDAHOSTCXX:-$candidate}
    return 0
  done
  return 1
}

# ThreadSanitizer learns how OpenMP's threads wait for each other from clang's OpenMP library alone.
wants_clang() { [[ $preset == *tsan* ]]; }

# Where `clang` itself is too old a version, the one to take instead.
clang_suffix() {
  if is_ubuntu_2204; then
    echo -15
  elif [[ $(os ID) == debian && $(os VERSION_ID) == 12 ]]; then
    echo -16
  fi
}

# A clang with its OpenMP library and ThreadSanitizer's.
is_fit_clang() {
  compiles "$1" -fsanitize=thread && [[ $("$1" --version) == *clang* ]]
}

# What the compiler comes in.
need_compiler() {
  local suffix
  if wants_clang; then
    suffix=$(clang_suffix)
    missing+=("clang$suffix" "llvm$suffix" "libomp$suffix-dev" "libclang-rt$suffix-dev") # llvm: names functions in reports
  elif is_ubuntu_2204; then
    need g++-12
  else
    need g++
  fi
}
