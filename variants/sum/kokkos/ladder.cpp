// SPDX-License-Identifier: Apache-2.0
// Portable variants: the plain sum of chunks, the slides' four kernels, and a step beyond them.
// Ranges with barriers between them distribute a team's work, so a team of one thread does all of
// it. Each team writes one value; the kernel is launched again until one value is left.
#include "variants/shared/kokkos_team.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

template <Lanes lanes_named = Lanes::one>
using On = Teams<static_cast<int>(warps), 0, lanes_named>;

// The sum of the `numbers` numbers of item `id`, `threads` apart; numbers past the end count as 0.
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

// Calls f(id) for each of the team's 256 items, with a barrier after.
template <class On, class F>
KOKKOS_INLINE_FUNCTION void for_team(const typename On::Member& team, const F& f) {
  using Index = typename On::Index;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}),
                       [&](Index id) { f(static_cast<unsigned>(id)); });
  team.team_barrier();
}

// Stores the team's value, `sum` in its first thread (in all lanes of it, where there are lanes).
template <Lanes lanes_named, class T>
KOKKOS_INLINE_FUNCTION void store(const Launched<T>& s, const auto& team, const T& sum) {
  T* const out = s.out + static_cast<unsigned>(team.league_rank());
  if constexpr (lanes_named == Lanes::one) {
    if (team.team_rank() == 0) *out = sum;
  } else {
    Kokkos::single(Kokkos::PerTeam(team), [&] { *out = sum; });
  }
}

// partial[id] += partial[id + stride], with one address: a thread's number comes from 64 bits here,
// and id + stride could wrap around in 32.
template <class T>
KOKKOS_INLINE_FUNCTION void add_from(T* partial, unsigned id, unsigned stride) {
  T* const mine = partial + id;
  mine[0] += mine[stride];
}

// The loops below are not unrolled, as on the slides: unrolled, a modulo by a known power of two
// would become a mask.

// Slides, 1: items whose number is a multiple of 2 s add. Warps diverge more at each stride.
template <class T>
struct Interleaved {
  using On = sum::On<>;
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const partial = On::template scratch_unchecked<T>(team, threads);
    for_team<On>(team, [&](unsigned id) { partial[id] = load<one_number>(s, team, id); });
    // 2 s divides an item's number in the league exactly where it divides `id`. nvcc knows that
    // `id` is small, and for small numbers it calls a 16-bit modulo, which is slower than the
    // 32-bit modulo.
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

// Slides, 2: the first items add, at indices 2 s apart, which have bank conflicts.
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

// Slides, 3: a tree in which neighbouring items add at neighbouring indices. 4: each item adds two
// numbers before the tree, so that half the teams are enough.
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

// Beyond the slides: four numbers an item; the lanes of one thread of the team finish, without
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

// One accumulator, chunk by chunk: a shape for hosts.
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

constexpr auto stretches = []<class T>(const Numbers<T>& s, const Stream& stream) {
  using Made = Stretches<T>;
  const std::uint64_t stretch = stretch_of(s.n);
  const auto count = static_cast<int>(ceil_div(s.n, stretch));
  Kokkos::parallel_reduce(
      "portcost::sum::stretches", Made::On::policy(stream, count), Made{s.in, s.n, stretch},
      Kokkos::View<T, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(s.out));
};

}  // namespace

Rungs kokkos_ladder_rungs() {
  const auto in_stretches = stretches;
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
