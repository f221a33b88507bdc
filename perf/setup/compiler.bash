# shellcheck shell=bash
# shellcheck disable=SC2154  # the variables come from perf/setup/common.bash and perf/prepare
# Which C++ compiler is here, and which is needed. Sourced by perf/prepare.

# A compiler of C++20: g++ >= 12 or clang >= 15; other compilers named in CXX are the user's to answer for.
is_fit_compiler() {
  local version
  command -v "$1" >/dev/null || return 1
  version=$("$1" -dumpfullversion -dumpversion 2>/dev/null | head -n 1) || return 0
  case $("$1" --version 2>/dev/null) in
    *clang*) at_least 15 "$version" ;;
    *"Free Software Foundation"*) at_least 12 "$version" ;;
  esac
}

find_compiler() {
  local candidate
  if wants_clang; then
    find_clang
    return
  fi
  if [[ -n ${CXX:-} ]]; then
    # shellcheck disable=SC2086  # CXX may carry a launcher or flags; its first word is the program
    set -- $CXX
    is_fit_compiler "$1" || die 3 "CXX names '$CXX', which is missing or too old: C++20 needs g++ >= 12 or" \
      "clang >= 15. Name another or unset CXX."
    return 0
  fi
  for candidate in g++ g++-12 g++-13 g++-14 g++-15 clang++; do
    if is_fit_compiler "$candidate"; then
      if [[ $candidate != g++ ]]; then
        export CXX=$candidate CUDAHOSTCXX=${CUDAHOSTCXX:-$candidate}
      fi
      return 0
    fi
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
  local program=$'#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }'
  is_fit_compiler "$1" && [[ $("$1" --version) == *clang* ]] &&
    "$1" -x c++ -fopenmp -fsanitize=thread -o /dev/null - <<<"$program" 2>/dev/null
}

find_clang() {
  local candidate
  if [[ -n ${CXX:-} ]]; then
    is_fit_clang "${CXX%% *}" || die 3 "CXX names '$CXX', and the preset $preset needs clang >= 15 with its OpenMP library" \
      "and ThreadSanitizer's. Name such a clang or unset CXX."
    return 0
  fi
  for candidate in clang++ "clang++$(clang_suffix)"; do
    if is_fit_clang "$candidate"; then
      export CXX=$candidate
      return 0
    fi
  done
  return 1
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
