// SPDX-License-Identifier: Apache-2.0
// Native CPU variants. Vectors of a scan are the compiler's (OpenMP's inscan).
#include <algorithm>
#include <atomic>
#include <string_view>

#include "variants/scan/problem.hpp"

namespace portcost::scan {

namespace {

template <class T>
T add_up(const T* in, std::uint64_t count) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::uint64_t i = 0; i < count; ++i) sum += in[i];
  return sum;
}

// out[i] = before + in[0] + ... + in[i]; returns the last.
template <class T>
T scan_on(const T* in, T* out, std::uint64_t count, T before) {
  T sum = before;
#pragma omp simd reduction(inscan, + : sum)
  for (std::uint64_t i = 0; i < count; ++i) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
  return sum;
}

// OpenMP's own scan, threads left to the compiler.
constexpr auto parallel_scan = []<class T>(const Sequence<T>& s, const Stream&) {
  const T* const in = s.in;
  T* const out = s.out;
  const auto n = static_cast<std::int64_t>(s.n);
  T sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (std::int64_t i = 0; i < n; ++i) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
};

// For Rung::unless: clang's inscan copies all numbers to the stack, which has 8 MiB by default.
std::string_view too_long([[maybe_unused]] const Problem& p) {
#ifdef __clang__
  if (p.size.at("n") > 1 << 19) return "clang's inscan copies all numbers to the stack: n <= 2^19";
#endif
  return {};
}

// f(tile, first number, numbers) for every tile; neighbouring tiles are a thread's.
template <class T, class F>
void for_tiles(const Sequence<T>& s, const F& f) {
  constexpr std::uint64_t size = tile_size<T, Place::host>;
  const auto count = static_cast<int>(tiles_of<T, Place::host>(s.n));
#pragma omp parallel for schedule(static) num_threads(s.processors) if (count > 1)
  for (int tile = 0; tile < count; ++tile) {
    const std::uint64_t first = static_cast<std::uint64_t>(tile) * size;
    f(tile, first, std::min(s.n - first, size));
  }
}

// Adds up each tile, scans the totals, then scans each tile from the total before it.
constexpr auto reduce_then_scan = []<class T>(const Sequence<T>& s, const Stream&) {
  const unsigned tiles = tiles_of<T, Place::host>(s.n);
  if (tiles > 1) {
    for_tiles(s, [&](int tile, std::uint64_t first, std::uint64_t count) {
      s.totals[tile] = add_up(s.in + first, count);
    });
    scan_on(s.totals, s.totals, tiles, T(0));
  }
  for_tiles(s, [&](int tile, std::uint64_t first, std::uint64_t count) {
    scan_on(s.in + first, s.out + first, count, tile == 0 ? T(0) : s.totals[tile - 1]);
  });
};

template <class T>
void publish(const Sequence<T>& s, unsigned tile, T sum, std::uint32_t flag) {
  const State<T> state = State<T>::of(sum, flag);
  std::uint64_t* const to = s.states + std::size_t{tile} * State<T>::words;
  for (int i = 0; i < State<T>::words; ++i) {
    std::atomic_ref(to[i]).store(state.word[i], std::memory_order_relaxed);
  }
}

// The sum of all numbers before `tile`, from what earlier tiles have published.
template <class T>
T look_back(const Sequence<T>& s, unsigned tile, unsigned run) {
  T sum = 0;
  while (tile-- > 0) {
    std::uint64_t* const from = s.states + std::size_t{tile} * State<T>::words;
    State<T> state;
    do {
      for (int i = 0; i < State<T>::words; ++i) {
        state.word[i] = std::atomic_ref(from[i]).load(std::memory_order_relaxed);
      }
    } while (!state.has(flag_of(run, Stage::own)) && !state.has(flag_of(run, Stage::whole)));
    sum += state.sum();
    if (state.has(flag_of(run, Stage::whole))) break;
  }
  return sum;
}

// One pass over memory: a thread draws a tile, adds it up, and scans it out of its cache from the
// sum that it has found by looking back.
constexpr auto one_pass = []<class T>(const Sequence<T>& s, const Stream&) {
  constexpr std::uint64_t size = tile_size<T, Place::host>;
  const unsigned tiles = tiles_of<T, Place::host>(s.n);
  const unsigned run = s.counters[runs];
  const int used = std::clamp(static_cast<int>(tiles), 1, s.processors);
#pragma omp parallel num_threads(used) if (used > 1)
  for (;;) {
    const unsigned tile =
        std::atomic_ref(s.counters[ticket]).fetch_add(1, std::memory_order_relaxed);
    if (tile >= tiles) break;
    const std::uint64_t first = tile * size, count = std::min(s.n - first, size);
    const T own = add_up(s.in + first, count);
    if (tile > 0) publish(s, tile, own, flag_of(run, Stage::own));
    const T before = look_back(s, tile, run);
    publish(s, tile, before + own, flag_of(run, Stage::whole));
    scan_on(s.in + first, s.out + first, count, before);
  }
  s.counters[ticket] = 0;
  s.counters[runs] = run + 1;
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "reduce_then_scan", reduce_then_scan), rung(works, "look_back", one_pass),
          rung(works, "parallel_scan", parallel_scan).unless(too_long)};
}

}  // namespace portcost::scan
