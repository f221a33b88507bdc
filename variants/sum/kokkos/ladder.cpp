// SPDX-License-Identifier: Apache-2.0
// Portable variants: the slides' four kernels, and the step after them. A team's work is shared
// out by ranges, with barriers between them, so a team of one thread does it all. Each team leaves
// one value; the kernel is launched again until one is left.
#include "variants/kokkos_space.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

using Team = Member<static_cast<int>(warps)>;

// Number `id` of this team's one_item numbers, or nothing past the end.
template <class T>
KOKKOS_INLINE_FUNCTION T load_one(const Launched<T>& s, const Team& team, unsigned id) {
  const std::uint64_t i = std::uint64_t{static_cast<unsigned>(team.league_rank())} * one_item + id;
  return i < s.count ? s.in[i] : T(0);
}

// Two numbers of this team's two_items, added on the way.
template <class T>
KOKKOS_INLINE_FUNCTION T load_two(const Launched<T>& s, const Team& team, unsigned id) {
  const std::uint64_t i = std::uint64_t{static_cast<unsigned>(team.league_rank())} * two_items + id;
  T sum = 0;
  if (i < s.count) sum = s.in[i];
  if (i + threads < s.count) sum += s.in[i + threads];
  return sum;
}

// Calls f(id) for each of the team's 256 shares, and waits for all.
template <class F>
KOKKOS_INLINE_FUNCTION void for_team(const Team& team, const F& f) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Share{threads}),
                       [&](Share id) { f(static_cast<unsigned>(id)); });
  team.team_barrier();
}

template <class T>
KOKKOS_INLINE_FUNCTION void store(const Launched<T>& s, const Team& team, const T* partial) {
  Kokkos::single(Kokkos::PerTeam(team), [&] { s.out[team.league_rank()] = partial[0]; });
}

// The loops below stay loops, as on the slides: unrolled, a modulo by a known power of two would
// be a mask.

// Slides, 1: shares whose number is a multiple of 2 s add, fewer in each warp at each stride.
template <class T>
struct Interleaved {
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    assume_team_size<warps>(team);
    T* const partial = scratch<T>(team, threads);
    for_team(team, [&](unsigned id) { partial[id] = load_one(s, team, id); });
#pragma unroll 1
    for (unsigned stride = 1; stride < threads; stride *= 2) {
      for_team(team, [&](unsigned id) {
        if (id % (2 * stride) == 0) partial[id] += partial[id + stride];
      });
    }
    store(s, team, partial);
  }
};

// Slides, 2: the first shares add, at places 2 s apart, which share a bank of shared memory.
template <class T>
struct Strided {
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    assume_team_size<warps>(team);
    T* const partial = scratch<T>(team, threads);
    for_team(team, [&](unsigned id) { partial[id] = load_one(s, team, id); });
#pragma unroll 1
    for (unsigned stride = 1; stride < threads; stride *= 2) {
      for_team(team, [&](unsigned id) {
        const unsigned index = 2 * stride * id;
        if (index < threads) partial[index] += partial[index + stride];
      });
    }
    store(s, team, partial);
  }
};

// The halving tree of `sequential` and `first_add`: neighbours add at neighbouring places.
template <class T>
KOKKOS_INLINE_FUNCTION void halve_until_one(const Team& team, T* partial) {
#pragma unroll 1
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    for_team(team, [&](unsigned id) {
      if (id < stride) partial[id] += partial[id + stride];
    });
  }
}

// Slides, 3.
template <class T>
struct Sequential {
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    assume_team_size<warps>(team);
    T* const partial = scratch<T>(team, threads);
    for_team(team, [&](unsigned id) { partial[id] = load_one(s, team, id); });
    halve_until_one(team, partial);
    store(s, team, partial);
  }
};

// Slides, 4: each share adds two numbers before the tree, so that half the teams are enough.
template <class T>
struct FirstAdd {
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    assume_team_size<warps>(team);
    T* const partial = scratch<T>(team, threads);
    for_team(team, [&](unsigned id) { partial[id] = load_two(s, team, id); });
    halve_until_one(team, partial);
    store(s, team, partial);
  }
};

// Beyond the slides: the lanes of one thread of the team finish, without barriers.
template <class T>
struct WarpFinish {
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    assume_team_size<warps>(team);
    T* const partial = scratch<T>(team, threads);
    for_team(team, [&](unsigned id) { partial[id] = load_two(s, team, id); });
#pragma unroll
    for (unsigned stride = threads / 2; stride > lanes; stride /= 2) {
      for_team(team, [&](unsigned id) {
        if (id < stride) partial[id] += partial[id + stride];
      });
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Share{1}), [&](Share) {
      T sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, Share{lanes}),
          [&](Share lane, T& into) { into += partial[lane] + partial[lane + lanes]; }, sum);
      Kokkos::single(Kokkos::PerThread(team), [&] { s.out[team.league_rank()] = sum; });
    });
  }
};

template <template <class> class Step, class T>
void launch(const char* name, unsigned items, const Numbers<T>& s, const Stream& stream) {
  launch_until_one(
      s, [items](std::uint64_t count) { return ceil_div(count, items); },
      [&](const Launched<T>& launched, int teams) {
        Kokkos::parallel_for(name, team_policy<warps>(stream, teams, scratch_bytes<T>(threads)),
                             Step<T>{launched});
      });
}

}  // namespace

template <class T>
void kokkos::interleaved(const Numbers<T>& s, const Stream& stream) {
  launch<Interleaved>("portcost::sum::interleaved", one_item, s, stream);
}

template <class T>
void kokkos::strided(const Numbers<T>& s, const Stream& stream) {
  launch<Strided>("portcost::sum::strided", one_item, s, stream);
}

template <class T>
void kokkos::sequential(const Numbers<T>& s, const Stream& stream) {
  launch<Sequential>("portcost::sum::sequential", one_item, s, stream);
}

template <class T>
void kokkos::first_add(const Numbers<T>& s, const Stream& stream) {
  launch<FirstAdd>("portcost::sum::first_add", two_items, s, stream);
}

template <class T>
void kokkos::warp_finish(const Numbers<T>& s, const Stream& stream) {
  launch<WarpFinish>("portcost::sum::warp_finish", two_items, s, stream);
}

template void kokkos::interleaved(const Numbers<Word>&, const Stream&);
template void kokkos::interleaved(const Numbers<float>&, const Stream&);
template void kokkos::interleaved(const Numbers<double>&, const Stream&);
template void kokkos::strided(const Numbers<Word>&, const Stream&);
template void kokkos::strided(const Numbers<float>&, const Stream&);
template void kokkos::strided(const Numbers<double>&, const Stream&);
template void kokkos::sequential(const Numbers<Word>&, const Stream&);
template void kokkos::sequential(const Numbers<float>&, const Stream&);
template void kokkos::sequential(const Numbers<double>&, const Stream&);
template void kokkos::first_add(const Numbers<Word>&, const Stream&);
template void kokkos::first_add(const Numbers<float>&, const Stream&);
template void kokkos::first_add(const Numbers<double>&, const Stream&);
template void kokkos::warp_finish(const Numbers<Word>&, const Stream&);
template void kokkos::warp_finish(const Numbers<float>&, const Stream&);
template void kokkos::warp_finish(const Numbers<double>&, const Stream&);

}  // namespace portcost::sum
