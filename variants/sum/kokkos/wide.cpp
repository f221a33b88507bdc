// SPDX-License-Identifier: Apache-2.0
// Portable variants that read full packs at a time (wide_loads and single_pass). In a host's shape
// a team has one item, and its pack is a vector register.
#include "variants/shared/kokkos_team.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

constexpr WideShape shape = wide_shape(kokkos_shapes);
using On = Teams<static_cast<int>(warps), static_cast<int>(teams_a_processor)>;
template <class T>
using Wide = Pack<T, kokkos_shapes>;
template <class T>
inline constexpr unsigned width = pack_width<T, kokkos_shapes>;

template <class T>
struct Sums {
  Wide<T> set[shape.sets] = {};

  // Adds load `k` of a tile; by value, so that it is one load.
  KOKKOS_FUNCTION void add(unsigned k, Wide<T> loaded) {
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) set[k % shape.sets].at[j] += loaded.at[j];
  }
  KOKKOS_FUNCTION T total() const {
    T all[shape.sets * width<T>];
#pragma unroll
    for (unsigned i = 0; i < shape.sets; ++i) {
#pragma unroll
      for (unsigned j = 0; j < width<T>; ++j) all[i * width<T> + j] = set[i].at[j];
    }
    return add_in_pairs(all);
  }
};

// Adds item `id`'s part of a remainder tile, or of a tile of few rows: `count` packs at `packs`.
template <class T>
KOKKOS_INLINE_FUNCTION void add_part(Sums<T>& sums, const Wide<T>* packs, unsigned id,
                                     unsigned count) {
  Wide<T> loaded[shape.loads] = {};
#pragma unroll
  for (unsigned k = 0; k < shape.loads; ++k) {
    if (id + k * shape.threads() < count) loaded[k] = packs[k * shape.threads()];
  }
#pragma unroll
  for (unsigned k = 0; k < shape.loads; ++k) sums.add(k, loaded[k]);
}

// The full tiles [tile, end) of a host's team, which is one lane: two at a time, interleaved (see
// openmp.cpp), in a separate function, in which g++ keeps the accumulators in registers.
template <class T>
KOKKOS_FUNCTION T add_stretch(const T* in, unsigned tile, unsigned end) {
  constexpr unsigned numbers = shape.loads * width<T>;
  const T* from = in + std::uint64_t{tile} * numbers;
  const T* const last = in + std::uint64_t{end} * numbers;
  T sums[numbers] = {};
  for (; last - from >= 2 * numbers; from += 2 * numbers) {
    for (unsigned j = 0; j < numbers; ++j) sums[j] += from[j] + from[j + numbers];
  }
  for (; from < last; from += numbers) {
    for (unsigned j = 0; j < numbers; ++j) sums[j] += from[j];
  }
  return add_in_pairs(sums);
}

// The sum of item `id`'s part of its team's tiles: full tiles, the remainder tile (or tiles of few
// rows), and the numbers past the last pack. `one_tile`: a team has at most one tile.
template <bool one_tile, class T>
KOKKOS_INLINE_FUNCTION T add_item(const Launched<T>& s, const Plan& p, const auto& team,
                                  unsigned id) {
  const unsigned teams = team.league_size(), rank = team.league_rank();
  const auto* const packs = reinterpret_cast<const Wide<T>*>(s.in) + id;
  const Tiles tiles = tiles_of<kokkos_shapes>(p, rank, teams);
  T rest = 0;  // loaded first: a small sum only waits for loads
  if (rank == teams - 1) {
    const std::uint64_t past = p.packs * width<T> + id;
#pragma unroll
    for (unsigned k = 0; k < width<T>; k += shape.threads()) {
      if (past + k < s.count) rest += s.in[past + k];
    }
  }
  Sums<T> sums;
  if constexpr (one_tile) {  // so few teams that 32 bits number the packs
    const unsigned begin = rank * (p.rows * shape.threads());
    add_part(sums, packs + begin, id,
             compat::min(static_cast<unsigned>(p.packs) - begin, p.rows * shape.threads()));
    return sums.total() + rest;
  }
  unsigned tile = tiles.first;
  const unsigned full = compat::min(tiles.end, p.full);
  if constexpr (shape.threads() == 1) {
    if (tile < full) {
      rest += add_stretch(s.in, tile, full);
      tile = full;
    }
  } else {
    for (; tile < full; tile += tiles.step) {
      const Wide<T>* const from = packs + std::uint64_t{tile} * (shape.loads * shape.threads());
#pragma unroll
      for (unsigned k = 0; k < shape.loads; ++k) sums.add(k, from[k * shape.threads()]);
    }
  }
  for (; tile < tiles.end; tile += tiles.step) {
    const std::uint64_t begin = std::uint64_t{tile} * (p.rows * shape.threads());
    const auto count = static_cast<unsigned>(
        compat::min(p.packs - begin, std::uint64_t{p.rows * shape.threads()}));
    add_part(sums, packs + begin, id, count);
  }
  return sums.total() + rest;
}

// Stores the sum of value(item) over each thread's lanes in `box`, one a thread, with a barrier
// after.
template <class On, class T, class Value>
KOKKOS_INLINE_FUNCTION void fill_box(const typename On::Member& team, T* box, const Value& value) {
  using Index = typename On::Index;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<Index>(shape.warps)),
                       [&](Index warp) {
                         T sum = 0;
                         Kokkos::parallel_reduce(
                             Kokkos::ThreadVectorRange(team, static_cast<Index>(shape.lanes)),
                             [&](Index lane, T& into) {
                               into += value(static_cast<unsigned>(warp * shape.lanes + lane));
                             },
                             sum);
                         Kokkos::single(Kokkos::PerThread(team), [&] { box[warp] = sum; });
                       });
  team.team_barrier();
}

template <class T>
KOKKOS_INLINE_FUNCTION T add_box(const T* box) {
  T sum[shape.warps];
#pragma unroll
  for (unsigned warp = 0; warp < shape.warps; ++warp) sum[warp] = box[warp];
  return add_in_pairs(sum);
}

// Two launches of one kernel, as on the slides: the second adds up the first's partial sums. Or one
// launch, whose teams add to the total.
template <class T, bool one_tile, End end>
struct WideLoads {
  using On = sum::On;
  static constexpr const char* name = "portcost::sum::wide_loads";
  static constexpr int scratch_asked = scratch_bytes<T>(shape.warps);
  Launched<T> s;
  Plan p;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const box = On::template scratch_unchecked<T>(team, shape.warps);
    fill_box<On>(team, box, [&](unsigned id) { return add_item<one_tile>(s, p, team, id); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      const T sum = add_box(box);
      if constexpr (end == End::store) {
        s.out[team.league_rank()] = sum;
      } else if constexpr (end == End::atomic) {
        Kokkos::atomic_add(s.out, sum);
      } else {
        while (Kokkos::atomic_compare_exchange(s.lock, 0u, 1u) != 0) continue;
        Kokkos::memory_fence();  // the total is read after the lock is taken
        *s.out += sum;
        Kokkos::memory_fence();  // and is there before the lock is free
        Kokkos::atomic_exchange(s.lock, 0u);
      }
    });
  }
};

// The sum of item `id`'s part of the teams' partial sums, which is fixed, in a fixed order.
template <class T>
KOKKOS_INLINE_FUNCTION T add_partials(const T* partials, unsigned teams, unsigned id) {
  T total = 0;
#pragma unroll 1
  for (unsigned first = id; first < teams; first += partial_loads * shape.threads()) {
    T loaded[partial_loads];
#pragma unroll
    for (unsigned k = 0; k < partial_loads; ++k) {
      const unsigned team = first + k * shape.threads();
      loaded[k] = team < teams ? partials[team] : T(0);
    }
#pragma unroll
    for (unsigned k = 0; k < partial_loads; ++k) total += loaded[k];
  }
  return total;
}

// One launch: the team with the last ticket adds up all partial sums in the order of the teams, so
// that the result does not depend on which team is last. Kokkos's atomic operations are relaxed, so
// fences on both sides of the ticket order the partial sums against it.
template <class T, bool one_tile>
struct SinglePass {
  using On = sum::On;
  static constexpr const char* name = "portcost::sum::single_pass";
  static constexpr int scratch_asked = scratch_bytes<T>(shape.warps + 1);
  Numbers<T> s;
  Plan p;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const unsigned teams = team.league_size();
    T* const box = On::template scratch_unchecked<T>(team, shape.warps + 1);
    T* const last = box + shape.warps;
    T* const partials = s.partials[0];
    const Launched<T> all{s.in, s.n, nullptr};
    fill_box<On>(team, box, [&](unsigned id) { return add_item<one_tile>(all, p, team, id); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      partials[team.league_rank()] = add_box(box);
      Kokkos::memory_fence();  // the partial sum is there before the ticket says so
      const bool arrived_last = Kokkos::atomic_fetch_add(s.arrived, 1u) == teams - 1;
      if (arrived_last) Kokkos::memory_fence();  // and is read after the ticket has said so
      *last = T(arrived_last);
    });
    team.team_barrier();
    if (*last == T(0)) return;
    fill_box<On>(team, box, [&](unsigned id) { return add_partials(partials, teams, id); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *s.out = add_box(box);
      reset_ticket(s.arrived);
    });
  }
};

template <class Step>
void launch(const Step& step, const Stream& stream) {
  const auto teams = static_cast<int>(step.p.teams);
  Kokkos::parallel_for(Step::name, Step::On::policy(stream, teams, Step::scratch_asked), step);
}

template <End end, class T>
void launch(const Launched<T>& s, const Plan& p, const Stream& stream) {
  with_tiling<kokkos_shapes>(p, [&](auto one_tile) {
    launch(WideLoads<T, one_tile.value, end>{s, p}, stream);
  });
}

constexpr auto wide_loads = []<class T>(const Numbers<T>& s, const Stream& stream) {
  const auto plan_of = [&](std::uint64_t n) { return plan<T, kokkos_shapes>(n, s.processors); };
  launch_until_one(
      s, [&](std::uint64_t count) { return plan_of(count).teams; },
      [&](const Launched<T>& one, int) { launch<End::store>(one, plan_of(one.count), stream); });
};

template <End end, class T>
void one_total(const Numbers<T>& s, const Stream& stream) {
  Kokkos::deep_copy(
      kokkos_space(stream),
      Kokkos::View<T, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(s.out),
      T(0));
  launch<end>(Launched<T>{s.in, s.n, s.out, s.arrived}, plan<T, kokkos_shapes>(s.n, s.processors),
              stream);
}

constexpr auto single_pass = []<class T>(const Numbers<T>& s, const Stream& stream) {
  const Plan p = plan<T, kokkos_shapes>(s.n, s.processors);
  if (p.teams == 1) return wide_loads(s, stream);  // which then is one launch, no ticket
  with_tiling<kokkos_shapes>(p, [&](auto one_tile) {
    launch(SinglePass<T, one_tile.value>{s, p}, stream);
  });
};

}  // namespace

Rungs kokkos_wide_rungs() {
  const auto atomic = [](const auto& s, const Stream& on) { one_total<End::atomic>(s, on); };
  const auto under_lock = [](const auto& s, const Stream& on) { one_total<End::lock>(s, on); };
  return {rung(works, "wide_loads", wide_loads), rung(works, "atomic_blocks", atomic),
          rung(works, "locked_blocks", under_lock), rung(works, "single_pass", single_pass)};
}

}  // namespace portcost::sum
