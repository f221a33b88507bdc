// SPDX-License-Identifier: Apache-2.0
// Portable variants. An item adds what its paths pay in registers, a team's thread adds its lanes,
// one lane the threads; further launches add the teams. On a host a team is one item.
#include "variants/options/kokkos/book.hpp"
#include "variants/options/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::options {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);
constexpr unsigned threads = shape.threads();
using On = Teams<8>;
using Index = On::Index;

// Stores the sum over a team of what add(item, sums) adds.
template <class Body>
KOKKOS_INLINE_FUNCTION void store_team(const On::Member& team, Sums* to, const Body& add) {
  Sums* const box = reinterpret_cast<Sums*>(On::scratch_unchecked<double>(team, 2 * shape.warps));
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{shape.warps}), [&](Index warp) {
    Sums sums;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{shape.lanes}),
        [&](Index lane, Sums& mine) {
          add(static_cast<unsigned>(warp * Index{shape.lanes} + lane), mine);
        },
        book::Add(sums));
    Kokkos::single(Kokkos::PerThread(team), [&] { box[warp] = sums; });
  });
  team.team_barrier();
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    Sums total = box[0];
    for (unsigned warp = 1; warp < shape.warps; ++warp) total += box[warp];
    to[team.league_rank()] = total;
  });
}

template <bool fast, class T>
struct OnePath {
  static constexpr const char* name = "portcost::options::one_path";
  Simulation<T> s;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t before =
        std::uint64_t{static_cast<unsigned>(team.league_rank())} * (threads * shape.paths);
    store_team(team, s.partials[0], [&](unsigned item, Sums& sums) {
      for (unsigned k = 0; k < shape.paths; ++k) {
        const std::uint64_t path = before + item + k * threads;
        if (path < s.paths) sums.add(payoff_of_path<fast>(s.terms, path));
      }
    });
  }
};

template <bool fast, class T>
struct ManyPaths {
  static constexpr const char* name = "portcost::options::many_paths";
  Simulation<T> s;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    constexpr unsigned paths = paths_of_a_group<T>;
    const std::uint64_t groups = groups_of<T>(s.paths);
    const auto rank = static_cast<unsigned>(team.league_rank());
    const std::uint64_t step = std::uint64_t{static_cast<unsigned>(team.league_size())} * threads;
    store_team(team, s.partials[0], [&](unsigned item, Sums& sums) {
      for (std::uint64_t group = rank * threads + item; group < groups; group += step) {
        const Payoffs<T> paid = payoffs<fast>(s.terms, group);
        for (unsigned i = 0; i < paths; ++i) {
          if (group * paths + i < s.paths) sums.add(paid.at[i]);
        }
      }
    });
  }
};

struct AddPartials {
  static constexpr const char* name = "portcost::options::add_partials";
  const Sums* from;
  std::uint64_t count;
  Sums* to;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t before =
        std::uint64_t{static_cast<unsigned>(team.league_rank())} * (threads * shape.partials);
    store_team(team, to, [&](unsigned item, Sums& sums) {
      const std::uint64_t first = before + item;
      for (unsigned k = 0; k < shape.partials; ++k) {
        if (first + k * threads < count) sums += from[first + k * threads];
      }
    });
  }
};

template <class Body>
void launch(const Body& body, std::uint64_t teams, const Stream& stream) {
  Kokkos::parallel_for(
      Body::name,
      On::policy(stream, static_cast<int>(teams), scratch_bytes<double>(2 * shape.warps)), body);
}

// Launches Body, and adds up what its teams leave.
template <template <bool, class> class Body, class T>
void simulate(const Simulation<T>& s, std::uint64_t teams, const Stream& stream) {
  with_math<kokkos_shapes>(
      s, [&](auto fast) { launch(Body<decltype(fast)::value, T>{s}, teams, stream); });
  add_up(shape, s, teams, [&](const Sums* from, std::uint64_t count, Sums* to, int many) {
    launch(AddPartials{from, count, to}, static_cast<std::uint64_t>(many), stream);
  });
}

constexpr auto one_path = []<class T>(const Simulation<T>& s, const Stream& stream) {
  simulate<OnePath>(s, teams_of_paths(shape, s.paths), stream);
};
constexpr auto many_paths = []<class T>(const Simulation<T>& s, const Stream& stream) {
  simulate<ManyPaths>(s, teams_of_groups<T>(kokkos_shapes, s.paths, s.processors), stream);
};

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "one_path", one_path).unless(no_fast_functions<kokkos_shapes>),
          rung(works, "many_paths", many_paths).unless(no_fast_functions<kokkos_shapes>)};
}

}  // namespace portcost::options
