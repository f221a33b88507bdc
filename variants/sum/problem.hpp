// SPDX-License-Identifier: Apache-2.0
// sum: the sum of n numbers, n >= 0; no numbers sum to 0. Plain C++.
//
//   out[0] = in[0] + in[1] + ... + in[n - 1], in any order
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/contract/rung.hpp"
#include "src/support/error.hpp"
#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"
#include "variants/sum/rule.hpp"

namespace portcost::sum {

/// The sum that every variant receives. Nothing writes `in`, which is 256-byte aligned, as every
/// Buffer is, so that it can be read in wide packs.
template <class T>
struct Numbers {
  const T* in;
  std::uint64_t n;
  T* out;             // one value
  T* partials[2];     // one launch's values for the next: partials_of(n), then its own
  unsigned* arrived;  // a ticket: teams that have stored their sum; or a lock; 0 between runs
  int processors;     // multiprocessors, or host threads
};

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// Every step: teams of 256, as in the slides.
inline constexpr unsigned lanes = 32, warps = 8, threads = lanes * warps;

/// Numbers that a thread adds before its team's tree: one in the slides' first three steps, two in
/// first_add, four in warp_finish. A team writes one value; the kernel is launched again on these
/// values until one is left.
inline constexpr unsigned one_number = 1, two_numbers = 2, four_numbers = 4;
constexpr std::uint64_t partials_of(std::uint64_t n) {
  return std::max<std::uint64_t>(1, ceil_div(n, one_number * threads));
}

/// wide_loads and single_pass: a thread reads `loads` packs of `bytes` at a time, all in flight
/// together, into `sets` packs of accumulators. On a host a team is one thread, and a pack is one
/// vector register, or two.
struct WideShape {
  unsigned warps, lanes, loads, bytes, sets;
  PORTCOST_HOST_DEVICE constexpr unsigned threads() const { return warps * lanes; }
};
PORTCOST_HOST_DEVICE constexpr WideShape wide_shape(Place place) {
  return place == Place::device ? WideShape{warps, lanes, 8, 16, 2} : WideShape{1, 1, 8, 64, 8};
}
/// The teams that a multiprocessor holds (a launch bound: 64 registers a thread). A large sum has
/// no more teams. With several times as many, a kernel of few registers, of which five teams fit,
/// ended with teams that had the GPU to themselves (f32: 2.5 % at 2^27 on one H200), and all
/// kernels took 0.5 to 1 % longer.
inline constexpr unsigned teams_a_processor = 4;
/// A sum of at most so many rows is one team's, which needs no ticket.
inline constexpr unsigned solo_rows = 8;
/// Larger sums are spread over so many teams a multiprocessor, each with at least this many rows.
inline constexpr unsigned spread = 2, least_rows = 2;
/// Partial sums that a thread of the last team reads at a time.
inline constexpr unsigned partial_loads = 4;
/// On a host another thread pays from so many bytes on.
inline constexpr std::uint64_t host_bytes_a_team = 1 << 18;

/// 16 bytes (64 on a host) that are loaded at once.
template <class T, Place place>
inline constexpr unsigned pack_width = wide_shape(place).bytes / sizeof(T);
template <class T, Place place>
struct alignas(wide_shape(place).bytes) Pack {
  T at[pack_width<T, place>];
};

/// The partition of n numbers: full packs in rows of one a thread, rows in tiles, tiles among
/// teams. The last team adds the numbers past the last full pack.
struct Plan {
  std::uint64_t packs;
  unsigned rows;   // of a tile; at most wide_shape().loads
  unsigned tiles;  // the last one may be a remainder
  unsigned full;   // leading tiles with all `loads` rows
  unsigned teams;
};
/// Calls action(std::bool_constant<at most one tile a team>()): a small sum on a device takes a
/// shorter path through the kernel. All its teams are then resident, so that 32 bits number the
/// packs.
template <Place place, class Action>
void with_tiling(const Plan& p, const Action& action) {
  if constexpr (place == Place::device) {
    if (p.tiles <= p.teams) return action(std::true_type());
  }
  action(std::false_type());
}

/// The rows of a tile, and the number of teams.
struct Cut {
  std::uint64_t rows_a_tile, teams;
};
constexpr Cut cut_on_device(std::uint64_t rows, std::uint64_t processors) {
  constexpr std::uint64_t most = wide_shape(Place::device).loads;
  if (rows <= solo_rows) return {most, 1};
  const std::uint64_t rows_a_tile =
      std::clamp<std::uint64_t>(ceil_div(rows, processors * spread), least_rows, most);
  return {rows_a_tile, std::min(ceil_div(rows, rows_a_tile), processors * teams_a_processor)};
}
/// On a host: a team a thread if there are bytes enough, or several, so that no accumulator goes
/// through more additions than a chunk has.
constexpr Cut cut_on_host(std::uint64_t rows, std::uint64_t processors, std::uint64_t bytes,
                          std::uint64_t stretch) {
  constexpr std::uint64_t most = wide_shape(Place::host).loads;
  const std::uint64_t teams = std::clamp<std::uint64_t>(bytes / host_bytes_a_team, 1, processors);
  return {most, teams * ceil_div(ceil_div(rows, most), teams * stretch)};
}

template <class T, Place place>
Plan plan(std::uint64_t n, int processors) {
  constexpr WideShape shape = wide_shape(place);
  const std::uint64_t packs = n / pack_width<T, place>;
  const std::uint64_t rows = std::max<std::uint64_t>(1, ceil_div(packs, shape.threads()));
  const auto count = static_cast<std::uint64_t>(processors);
  const Cut cut = place == Place::device ? cut_on_device(rows, count)
                                         : cut_on_host(rows, count, n * sizeof(T), stretch_of(n));
  const std::uint64_t tiles = ceil_div(rows, cut.rows_a_tile);
  require(tiles <= std::numeric_limits<int>::max(), "more tiles than a launch can count");
  const std::uint64_t full =
      cut.rows_a_tile == shape.loads ? packs / shape.threads() / shape.loads : 0;
  return {packs, static_cast<unsigned>(cut.rows_a_tile), static_cast<unsigned>(tiles),
          static_cast<unsigned>(full), static_cast<unsigned>(cut.teams)};
}

/// A team's tiles: first, first + step, ... below end. On a device the tiles are grid-stride, so
/// that teams read one window of memory together; a host's thread has a contiguous chunk, which it
/// touched first.
struct Tiles {
  unsigned first, step, end;
};
template <Place place>
PORTCOST_HOST_DEVICE constexpr Tiles tiles_of(const Plan& plan, unsigned team, unsigned teams) {
  if (place == Place::device) return {team, teams, plan.tiles};
  const std::uint64_t tiles = plan.tiles;
  return {static_cast<unsigned>(tiles * team / teams), 1,
          static_cast<unsigned>(tiles * (team + 1) / teams)};
}

/// A launch of a step: `count` numbers become a value a team, in `out`.
template <class T>
struct Launched {
  const T* in;
  std::uint64_t count;
  T* out;
  unsigned* lock = nullptr;  // End::lock
};

/// The slides' two launches, for any n: launch(Launched, teams) until one value is left.
/// teams_of(count): the teams of a launch on `count` numbers.
template <class T, class TeamsOf, class Launch>
void launch_until_one(const Numbers<T>& s, const TeamsOf& teams_of, const Launch& launch) {
  Launched<T> next{s.in, s.n, s.partials[0]};
  for (int other = 1;; other ^= 1) {
    const std::uint64_t teams = std::max<std::uint64_t>(1, teams_of(next.count));
    require(teams <= std::numeric_limits<int>::max(), "more teams than a launch can hold");
    if (teams == 1) next.out = s.out;
    launch(next, static_cast<int>(teams));
    if (teams == 1) return;
    next = {next.out, teams, s.partials[other]};
  }
}

// ---- Inputs and agreement.

inline Data data_of(const Problem& problem) {
  return static_cast<Data>(problem.parameters.number_of("data", data_names));
}

/// The known facts of a problem's numbers, without running a variant.
struct Truth {
  double sum = 0;       // exact but for one rounding to double
  double absolute = 0;  // the sum of the absolute values
  Word word = 0;        // i32: the sum, exact
};
Truth truth_of(const Problem& problem);

/// The greatest error of an answer; 0: it must be exact.
double bound(const Problem& problem, const Truth& truth);

Disagreement compare(const Problem& problem, const Answer& left, const Answer& right,
                     const Stream& stream);

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Numbers<Word>, Numbers<float>, Numbers<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::sum
