// SPDX-License-Identifier: Apache-2.0
// For the portable variants. Ranges distribute a team's work; item `id` of one range is item `id`
// of the next, so data that only this item touches needs no atomics. In a host's shapes a team has
// one item (except in lane_private).
#pragma once

#include "variants/histogram/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::histogram::kokkos {

// The step of copies.cpp, to which lane_private falls back where its columns do not fit.
void lane_striped(const Keys& s, const Stream& stream);

// The shapes as types: nvcc loses shapes that are values among a template's parameters.
struct Plain {
  static constexpr Shape shape = plain_shape(kokkos_shapes);
};
struct Wide {
  static constexpr Shape shape = wide_shape(kokkos_shapes);
};
struct Private {
  static constexpr Shape shape = private_shape;
};
template <class Of, Lanes lanes_named = Lanes::warp>
struct On
    : Teams<static_cast<int>(Of::shape.warps), static_cast<int>(Of::shape.teams), lanes_named> {
  static constexpr Shape shape = Of::shape;
};

template <class Of>
KOKKOS_INLINE_FUNCTION void for_items(const typename Of::Member& team, const auto& run) {
  using Index = typename Of::Index;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<Index>(Of::shape.threads())),
                       [&](Index id) { run(static_cast<unsigned>(id)); });
}
template <class Of, unsigned count>
KOKKOS_INLINE_FUNCTION void set_zero(const typename Of::Member& team, unsigned* counters) {
  for_items<Of>(team, [&](unsigned id) {
    for (unsigned i = id; i < count; i += Of::shape.threads()) counters[i] = 0;
  });
}

// Increments a counter in a team's scratch. Where a team has one item, no other thread counts
// there.
template <class Of>
KOKKOS_INLINE_FUNCTION void count_in_scratch(unsigned* counter) {
  if constexpr (Of::shape.threads() == 1) {
    ++*counter;
  } else {
    compat::atomic_inc(counter);
  }
}

// Calls count(key, j) for the keys of item `id`: the packs of the tiles in `turns`, full tiles and
// the last. A team of one item has contiguous tiles.
template <class Of>
KOKKOS_INLINE_FUNCTION void for_keys(const Keys& s, const Plan& p, Turns turns, unsigned id,
                                     const auto& count) {
  if constexpr (Of::shape.threads() == 1) {
    const auto* const packs = reinterpret_cast<const Pack*>(s.in);
    const unsigned end = compat::min(turns.end * Of::shape.loads, p.packs);
    for (unsigned pack = turns.first * Of::shape.loads; pack < end; ++pack) {
      const Pack keys = packs[pack];
      for (unsigned j = 0; j < pack_width; ++j) count(keys.at[j], j);
    }
    return;
  }
  constexpr unsigned threads = Of::shape.threads(), tile_packs = threads * Of::shape.loads;
  const auto* const packs = reinterpret_cast<const Pack*>(s.in) + id;
  const unsigned full = compat::min(turns.end, p.full);
  Pack next[Of::shape.loads];
  const auto load = [&](unsigned from) {
    const Pack* const first = packs + std::uint64_t{from} * tile_packs;
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) next[k] = first[k * threads];
  };
  unsigned tile = turns.first;
  if (tile < full) load(tile);
  while (tile < full) {
    Pack keys[Of::shape.loads];
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) keys[k] = next[k];
    tile += turns.step;
    if (tile < full) load(tile);  // prefetched while these are counted
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) {
#pragma unroll
      for (unsigned j = 0; j < pack_width; ++j) count(keys[k].at[j], j);
    }
  }
  if (tile < turns.end) {
    const unsigned begin = tile * tile_packs, left = p.packs - begin;
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) {
      if (id + k * threads >= left) break;
      const Pack keys = packs[begin + k * threads];
#pragma unroll
      for (unsigned j = 0; j < pack_width; ++j) count(keys.at[j], j);
    }
  }
}
// The keys past the last pack, which one team counts.
template <class Of>
KOKKOS_INLINE_FUNCTION void for_rest(const Keys& s, const Plan& p, unsigned id, const auto& count) {
  for (unsigned i = p.packs * pack_width + id; i < s.n; i += Of::shape.threads())
    count(s.in[i], 0u);
}

// Launches a step with `teams` teams and `counters` counters in the scratch of each.
template <class Step>
void launch(const char* name, const Step& step, const Stream& stream, unsigned teams,
            unsigned counters) {
  const int bytes = scratch_bytes<unsigned>(static_cast<int>(counters));
  Kokkos::parallel_for(name, Step::On::policy(stream, static_cast<int>(teams), bytes), step);
}

inline void set_zero(const Keys& s, const Stream& stream) {
  using Counts =
      Kokkos::View<unsigned*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(kokkos_space(stream), Counts(s.out, s.bins), 0u);
}

}  // namespace portcost::histogram::kokkos
