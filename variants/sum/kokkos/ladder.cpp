// SPDX-License-Identifier: Apache-2.0
// Portable variants: the plain sum of stretches, the slides' four kernels, and the step after them.
// A team's work is shared out by ranges, with barriers between them, so a team of one thread does
// it all. Each team leaves one value; the kernel is launched again until one is left.
#include "variants/shared/kokkos_team.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

template <Lanes lanes_named = Lanes::one>
using On = Teams<static_cast<int>(warps), 0, lanes_named>;

// The sum of the numbers (`numbers` of them) of item `id`, `threads` apart; nothing past the end.
template <unsigned numbers, class T>
KOKKOS_INLINE_FUNCTION T load(const Launched<T>& s, const auto& team, unsigned id) {
  const std::uint64_t i =
      std::uint64_t{static_cast<unsigned>(team.league_rank())} * (numbers * threads) + id;
  T loaded[numbers];
#pragma unroll
  for (unsigned k = 0; k < numbers; ++k) {
    loaded[k] = i + k * threads < s.count ? s.in[i + k * threads] : T(0);
  }
  T sum = loaded[0];
#pragma unroll
  for (unsigned k = 1; k < numbers; ++k) sum += loaded[k];
  return sum;
}

// Calls f(id) for each of the team's 256 items, and waits for all.
template <class On, class F>
KOKKOS_INLINE_FUNCTION void for_team(const typename On::Member& team, const F& f) {
  using Index = typename On::Index;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}),
                       [&](Index id) { f(static_cast<unsigned>(id)); });
  team.team_barrier();
}

// The team's value; `sum` is what its first thread has (all lanes of it, where there are lanes).
template <Lanes lanes_named, class T>
KOKKOS_INLINE_FUNCTION void store(const Launched<T>& s, const auto& team, const T& sum) {
  T* const out = s.out + static_cast<unsigned>(team.league_rank());
  if constexpr (lanes_named == Lanes::one) {
    if (team.team_rank() == 0) *out = sum;
  } else {
    Kokkos::single(Kokkos::PerTeam(team), [&] { *out = sum; });
  }
}

// partial[id] += partial[id + stride], its address made once: a thread's number comes out of 64
// bits here, and id + stride could wrap around in 32.
template <class T>
KOKKOS_INLINE_FUNCTION void add_from(T* partial, unsigned id, unsigned stride) {
  T* const mine = partial + id;
  mine[0] += mine[stride];
}

// The loops below stay loops, as on the slides: unrolled, a modulo by a known power of two would
// be a mask.

// Slides, 1: items whose number is a multiple of 2 s add, fewer in each warp at each stride.
template <class T>
struct Interleaved {
  using On = sum::On<>;
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const partial = On::template scratch_unchecked<T>(team, threads);
    for_team<On>(team, [&](unsigned id) { partial[id] = load<one_number>(s, team, id); });
    // 2 s divides an item's number in the league as it does `id`, of which nvcc knows that it is
    // small, and for small numbers it calls a 16-bit modulo, slower than the 32-bit one.
    const unsigned before = static_cast<unsigned>(team.league_rank()) * threads;
#pragma unroll 1
    for (unsigned stride = 1; stride < threads; stride *= 2) {
      for_team<On>(team, [&](unsigned id) {
        if ((before + id) % (2 * stride) == 0) add_from(partial, id, stride);
      });
    }
    store<Lanes::one>(s, team, partial[0]);
  }
};

// Slides, 2: the first items add, at indices 2 s apart, which share a bank of shared memory.
template <class T>
struct Strided {
  using On = sum::On<>;
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const partial = On::template scratch_unchecked<T>(team, threads);
    for_team<On>(team, [&](unsigned id) { partial[id] = load<one_number>(s, team, id); });
#pragma unroll 1
    for (unsigned stride = 1; stride < threads; stride *= 2) {
      for_team<On>(team, [&](unsigned id) {
        const unsigned index = 2 * stride * id;
        if (index < threads) add_from(partial, index, stride);
      });
    }
    store<Lanes::one>(s, team, partial[0]);
  }
};

// Slides, 3: neighbours add at neighbouring indices. 4: each item adds two numbers before the tree,
// so that half the teams are enough.
template <unsigned numbers, class T>
struct Halving {
  using On = sum::On<>;
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const partial = On::template scratch_unchecked<T>(team, threads);
    for_team<On>(team, [&](unsigned id) { partial[id] = load<numbers>(s, team, id); });
#pragma unroll 1
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
      for_team<On>(team, [&](unsigned id) {
        if (id < stride) add_from(partial, id, stride);
      });
    }
    store<Lanes::one>(s, team, partial[0]);
  }
};
template <class T>
using Sequential = Halving<one_number, T>;
template <class T>
using FirstAdd = Halving<two_numbers, T>;

// Beyond the slides: four numbers an item, and the lanes of one thread of the team finish, without
// barriers.
template <class T>
struct WarpFinish {
  using On = sum::On<Lanes::warp>;
  using Index = typename On::Index;
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const partial = On::template scratch_unchecked<T>(team, threads);
    for_team<On>(team, [&](unsigned id) { partial[id] = load<four_numbers>(s, team, id); });
#pragma unroll
    for (unsigned stride = threads / 2; stride > lanes; stride /= 2) {
      for_team<On>(team, [&](unsigned id) {
        if (id < stride) add_from(partial, id, stride);
      });
    }
    if (team.team_rank() != 0) return;
    T sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{lanes}),
        [&](Index lane, T& into) { into += partial[lane] + partial[lane + lanes]; }, sum);
    store<Lanes::warp>(s, team, sum);
  }
};

template <template <class> class Step, class T>
void launch(const char* name, unsigned numbers, const Numbers<T>& s, const Stream& stream) {
  using Made = Step<T>;
  launch_until_one(
      s, [numbers](std::uint64_t count) { return ceil_div(count, numbers * threads); },
      [&](const Launched<T>& launched, int teams) {
        Kokkos::parallel_for(name, Made::On::policy(stream, teams, scratch_bytes<T>(threads)),
                             Made{launched});
      });
}

// One accumulator, stretch by stretch: a shape for hosts.
template <class T>
struct Stretches {
  using On = Teams<1>;
  const T* in;
  std::uint64_t n, stretch;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team, T& total) const {
    const std::uint64_t begin = stretch * static_cast<unsigned>(team.league_rank());
    const T* const from = in + begin;
    const auto count = static_cast<int>(compat::min(n - begin, stretch));
    T sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, count), [&](int i, T& into) { into += from[i]; }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] { total += sum; });
  }
};

template <class T>
void stretches(const Numbers<T>& s, const Stream& stream) {
  using Made = Stretches<T>;
  const std::uint64_t stretch = stretch_of(s.n);
  const auto count = static_cast<int>(ceil_div(s.n, stretch));
  Kokkos::parallel_reduce(
      "portcost::sum::stretches", Made::On::policy(stream, count), Made{s.in, s.n, stretch},
      Kokkos::View<T, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(s.out));
}

}  // namespace

Rungs kokkos_ladder_rungs() {
  const auto in_stretches = [](const auto& s, const Stream& on) { stretches(s, on); };
  const auto interleaved = [](const auto& s, const Stream& on) {
    launch<Interleaved>("portcost::sum::interleaved", one_number, s, on);
  };
  const auto strided = [](const auto& s, const Stream& on) {
    launch<Strided>("portcost::sum::strided", one_number, s, on);
  };
  const auto sequential = [](const auto& s, const Stream& on) {
    launch<Sequential>("portcost::sum::sequential", one_number, s, on);
  };
  const auto first_add = [](const auto& s, const Stream& on) {
    launch<FirstAdd>("portcost::sum::first_add", two_numbers, s, on);
  };
  const auto warp_finish = [](const auto& s, const Stream& on) {
    launch<WarpFinish>("portcost::sum::warp_finish", four_numbers, s, on);
  };
  return {host_step(works, "stretches", in_stretches),
          rung(works, "interleaved", interleaved),
          rung(works, "strided", strided),
          rung(works, "sequential", sequential),
          rung(works, "first_add", first_add),
          rung(works, "warp_finish", warp_finish)};
}

}  // namespace portcost::sum
