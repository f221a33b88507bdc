// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a chunk of the keys a thread. A thread's own counters need no atomics.
#include <omp.h>

#include "variants/histogram/problem.hpp"

namespace portcost::histogram {

namespace {

constexpr Shape shape = wide_shape(Place::host);

// Calls count(thread, threads, own) in each thread with `counters` zeroed counters.
template <unsigned counters, class Count>
void in_threads(const Keys& s, const Count& count) {
  std::fill_n(s.out, s.bins, 0u);
  const Plan p = plan(s, shape);
#pragma omp parallel num_threads(static_cast <int>(p.teams))
  {
    alignas(64) unsigned own[counters] = {};
    count(static_cast<unsigned>(omp_get_thread_num()), static_cast<unsigned>(omp_get_num_threads()),
          own);
  }
}

void add_to(unsigned& total, unsigned value) {
#pragma omp atomic
  total += value;
}

// The copies of `split`, a pack at a time.
template <Split split, unsigned bins>
void count_wide(const Keys& s) {
  constexpr unsigned copies_kept = copies<split, bins, Place::host>;
  const Plan p = plan(s, shape);
  in_threads<copies_kept * bins>(s, [&](unsigned thread, unsigned threads, unsigned* own) {
    const auto add = [&](unsigned key, unsigned j) {
      ++own[counter_of<split, bins, Place::host>(key, copy_of<split, bins, Place::host>(0, j))];
    };
    const auto* const packs = reinterpret_cast<const Pack*>(s.in);
    const Turns turns = turns_of<Place::host>(p.tiles, thread, threads);
    const unsigned end = std::min(turns.end * shape.loads, p.packs);
    for (unsigned pack = turns.first * shape.loads; pack < end; ++pack) {
      const Pack keys = packs[pack];
      for (unsigned j = 0; j < pack_width; ++j) add(keys.at[j], j);
    }
    if (thread == 0) {
      for (unsigned i = p.packs * pack_width; i < s.n; ++i) add(s.in[i], 0);
    }
    for (unsigned bin = 0; bin < bins; ++bin) {
      unsigned total = 0;
      for (unsigned copy = 0; copy < copies_kept; ++copy) {
        total += own[counter_of<split, bins, Place::host>(bin, copy)];
      }
      add_to(s.out[bin], total);
    }
  });
}

template <Split split>
void count_wide_of(const Keys& s) {
  with_bins(s.bins, [&](auto bins) { count_wide<split, bins.value>(s); });
}

void global_atomics(const Keys& s, const Stream&) {
  std::fill_n(s.out, s.bins, 0u);
#pragma omp parallel for schedule(static)
  for (unsigned i = 0; i < s.n; ++i) add_to(s.out[s.in[i]], 1);
}

// A copy a thread, a key at a time.
void scratch_atomics(const Keys& s, const Stream&) {
  with_bins(s.bins, [&](auto bins) {
    in_threads<bins.value>(s, [&](unsigned thread, unsigned threads, unsigned* own) {
      const Turns turns = turns_of<Place::host>(s.n, thread, threads);
      for (unsigned i = turns.first; i < turns.end; ++i) ++own[s.in[i]];
      for (unsigned bin = 0; bin < s.bins; ++bin) add_to(s.out[bin], own[bin]);
    });
  });
}

void wide_loads(const Keys& s, const Stream&) { count_wide_of<Split::team>(s); }
void warp_private(const Keys& s, const Stream&) { count_wide_of<Split::warp>(s); }
void lane_striped(const Keys& s, const Stream&) { count_wide_of<Split::lane>(s); }

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "global_atomics", global_atomics),
          rung(works, "scratch_atomics", scratch_atomics), rung(works, "wide_loads", wide_loads),
          rung(works, "warp_private", warp_private), rung(works, "lane_striped", lane_striped)};
}

}  // namespace portcost::histogram
