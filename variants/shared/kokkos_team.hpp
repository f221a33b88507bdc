// SPDX-License-Identifier: Apache-2.0
// What tuned kernels use: teams, scratch and ranges with the tricks that are not by the book. What
// the host does with streams, events and recorded calls is named by the READMEs of
// variants/transfer_*.
//
//   trick                                    why it is one
//   the team's size told to the compiler     Kokkos documents no mapping of a team to a CUDA block
//   a block told to be one team's alone      by the book a block may take several teams in turns
//   ranges counted in 64 signed bits         for what nvcc makes of them, and nothing else
//   scratch as a raw pointer, taken once     by the book it is a View, checked and aligned
//   scratch asked for as no bytes            granted unchecked by today's Kokkos, by no promise
//   tiles found by a multiplication          by the book they are found by a division
//   a thread's number tied to its team       for what nvcc makes of it, and nothing else
//   an atomic load as a volatile read        Kokkos's is a compare-exchange in CUDA: it writes
//   a fence for a team alone                 Kokkos documents fences of the device; desul has it
//   an occupancy told to a launch            it is of Kokkos::Experimental
//   elements of other lanes' registers       Kokkos::shfl, which its documentation does not name
//   a host's loop told to be independent     Kokkos tells that to some compilers, not to g++
//
// A checked or sanitized build (the preset cuda-checked; PORTCOST_CHECK_TRICKS) compares with the
// real launch what is assumed, and scratch with what was requested.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/contract/rung.hpp"
#include "src/support/error.hpp"
#include "variants/shared/kokkos_space.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost {

/// A number from 1 to 2^31 - 1 that others, from 0 up, are divided by: by a multiplication, exactly
/// (Granlund and Montgomery 1994), because a division costs a thread more than its part of a small
/// tile.
class Divisor {
 public:
  explicit Divisor(int by) : by_(by) {
    while ((std::int64_t{1} << shift_) < by) ++shift_;
    shift_ += 31;
    const std::uint64_t divisor = static_cast<std::uint64_t>(by);
    multiplier_ =
        static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor - 1) / divisor);
  }
  KOKKOS_INLINE_FUNCTION int operator()(int of) const {
    return static_cast<int>((std::uint64_t{static_cast<std::uint32_t>(of)} * multiplier_) >>
                            shift_);
  }
  KOKKOS_INLINE_FUNCTION int rest(int of, int quotient) const { return of - quotient * by_; }
  int by() const { return by_; }

 private:
  int by_;
  int shift_ = 0;
  std::uint32_t multiplier_ = 0;
};

/// A grid of tiles numbered row by row, as a league is: rank / columns and rank % columns.
class TileGrid {
 public:
  TileGrid(int columns, int rows) : columns_(columns), rows_(rows) {}
  std::int64_t count() const { return std::int64_t{columns_.by()} * rows_; }
  KOKKOS_INLINE_FUNCTION int row(int rank) const { return columns_(rank); }
  KOKKOS_INLINE_FUNCTION int column(int rank, int row) const { return columns_.rest(rank, row); }

 private:
  Divisor columns_;
  int rows_;
};

/// An atomic load, relaxed. A device reads the word as volatile, as CUDA's code does; Kokkos 4.6
/// exchanges it with itself there (desul, Fetch_Op_Generic.hpp).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_load(T* at) {
#ifdef KOKKOS_ENABLE_CUDA
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile T*>(at);))
#endif
  return compat::atomic_load(at);
}

/// How a team's warps are named: a thread each with 32 lanes, or 32 threads each with one, which
/// saves the arithmetic of two numbers where a kernel does not use lanes.
enum class Lanes { warp = 32, one = 1 };

/// The teams of a kernel: `warps` times 32 threads or lanes, with launch bounds to match (`teams`:
/// how many a multiprocessor is to hold at least; 0: no demand). On a host, host_team_threads()
/// threads of one lane.
template <int warps, int teams = 0, Lanes lanes = Lanes::warp>
struct Teams {
  using Policy = Kokkos::TeamPolicy<KokkosSpace, Kokkos::LaunchBounds<32 * warps, teams>,
                                    Kokkos::IndexType<int>>;
  using Member = typename Policy::member_type;
  /// What a range inside a team is counted in, 64 signed bits: once begin() has fixed the team, a
  /// range with an item for each thread is then straight-line code, because nvcc knows that a
  /// thread's number widened to 64 bits is not negative and far from the greatest number, and
  /// therefore that its second item lies past the end. In 32 bits every range keeps a loop that
  /// runs once.
  using Index = std::int64_t;

  /// `league` teams with `scratch` bytes each (scratch_bytes).
  static Policy policy(const Stream& stream, int league, int scratch = 0) {
    return policy(kokkos_space(stream), league, scratch);
  }
  /// The same on an instance of the algorithm's own.
  static Policy policy(const KokkosSpace& space, int league, int scratch = 0) {
    Policy result(space, league, kokkos_on_host ? host_team_threads() : static_cast<int>(threads),
                  kokkos_on_host ? 1 : static_cast<int>(vector));
    result.set_scratch_size(scratch_level, Kokkos::PerTeam(scratch));
    return result;
  }
  /// A team a tile. Throws Failure when there are more than most_teams.
  static Policy policy(const Stream& stream, const TileGrid& tiles, int scratch = 0) {
    require(tiles.count() <= most_teams, "more tiles than a league can hold");
    return policy(stream, static_cast<int>(tiles.count()), scratch);
  }
  /// The policy of a kernel that gains more from the first cache than from many teams. A team has
  /// scratch of Kokkos's own besides what it asks for (1 KiB with 128 threads of one lane), and
  /// CUDA takes from the first cache, which is the same memory, what all teams need that fit by
  /// their registers. Told an occupancy in percent, Kokkos asks CUDA for scratch for no more teams
  /// than that (4.6; it leaves out the 1 KiB that CUDA adds to each, so that there may be fewer).
  /// On hosts it has no effect.
  static auto with_first_cache(const Policy& policy, int percent) {
    return Kokkos::Experimental::prefer(policy, Kokkos::Experimental::DesiredOccupancy{percent});
  }

  /// With more, the loop over a block's teams adds up to more than an int can hold (Kokkos 4.6).
  static constexpr int most_teams = 1 << 30;

  /// First in a kernel. It gives a device compiler what the policy has fixed: Kokkos passes
  /// on the launch bounds, a maximum, but not the size itself, so that every range keeps a loop
  /// that runs once and the arithmetic of its trips; and around the kernel lies a loop over the
  /// teams of a block, although it has one (not in a parallel_reduce over a league, which is not to
  /// call this). On a host it says nothing.
  KOKKOS_INLINE_FUNCTION static void begin(const Member& team) {
#ifdef KOKKOS_ENABLE_CUDA
    KOKKOS_IF_ON_DEVICE((check(blockDim.x == vector && blockDim.y == threads && blockDim.z == 1,
                               "a team is not as it is assumed to be");
                         __builtin_assume(blockDim.x == vector);
                         __builtin_assume(blockDim.y == threads); __builtin_assume(blockDim.z == 1);
                         __builtin_assume(threadIdx.x < vector);
                         __builtin_assume(threadIdx.y < threads);
                         const int next = static_cast<int>(team.league_rank() + gridDim.x);
                         check(gridDim.x == static_cast<unsigned>(team.league_size()),
                               "a block has not one team, as is assumed");
                         __builtin_assume(next >= team.league_size());))
#endif
#ifdef PORTCOST_AT_START
    PORTCOST_AT_START();  // a test lets threads start at different times
#endif
    static_cast<void>(team);
  }

  /// `item`, a thread's number, for arithmetic from which much follows. A device compiler is kept
  /// from knowing that it is the same for all teams (ranks are below most_teams):
  /// around the kernel lies a loop over the teams of a block, and what does not change in it nvcc
  /// calculates before it, ahead of the first load, and keeps in registers.
  KOKKOS_INLINE_FUNCTION static int of_team(const Member& team, int item) {
    static_assert(most_teams == 1 << 30);
    if constexpr (!kokkos_on_host) return item + (team.league_rank() >> 30);
    return item;
  }

  /// The first `count` elements of T in a team's scratch as a raw pointer. (A View of them aligns
  /// and checks its position in every thread.) For T of at most 8 bytes, and once a team.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T* scratch(const Member& team, int count) {
    constexpr int level = scratch_level;  // taken by reference, which a device cannot of a global
    return granted(
        static_cast<T*>(team.team_scratch(level).get_shmem(count * static_cast<int>(sizeof(T)))));
  }
  /// The same where a few instructions matter. A device does not compare with what the policy has
  /// requested, because a request for no bytes is granted unchecked, at the start of what is free.
  /// Hosts do compare.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T* scratch_unchecked(const Member& team, int count) {
    return scratch<T>(team, !checked && !kokkos_on_host ? 0 : count);
  }

  /// Release and acquire fences for the team: on a device those of a block by desul, Kokkos's
  /// library for atomic operations. (Kokkos's own are the device's: each waits for memory and
  /// empties the first cache.)
  KOKKOS_INLINE_FUNCTION static void store_fence() {
#ifdef KOKKOS_ENABLE_CUDA
    KOKKOS_IF_ON_DEVICE((
        desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeCore()); return;))
#endif
    Kokkos::store_fence();
  }
  KOKKOS_INLINE_FUNCTION static void load_fence() {
#ifdef KOKKOS_ENABLE_CUDA
    KOKKOS_IF_ON_DEVICE((
        desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeCore()); return;))
#endif
    Kokkos::load_fence();
  }

  /// Calls f(j) for j = from, ..., end - 1 by the lanes of a thread. A host's compiler is told that
  /// no call reads what another call writes; otherwise it tests for that in front of each loop,
  /// which is slow where loops are short.
  template <class F>
  KOKKOS_INLINE_FUNCTION static void for_lanes(const Member& team, int from, int end, const F& f) {
#if defined(_OPENMP) && !defined(__CUDACC__)
    if constexpr (kokkos_on_host) {
#pragma omp simd
      for (int j = from; j < end; ++j) f(j);
      return;
    }
#endif
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, from, end), f);
  }

  /// `element` as thread `from` has it of each `width` neighbours, a part of 32 that begins at a
  /// multiple of it. All 32 call it. Only in steps of warp_step().
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T of_lane(const T& element, int from, int width) {
    static_assert(lanes == Lanes::one, "a thread of a team is a lane");
#ifdef KOKKOS_ENABLE_CUDA
    KOKKOS_IF_ON_DEVICE((return Kokkos::shfl(element, from, width);))
#endif
    static_cast<void>(from);
    static_cast<void>(width);
    return element;
  }

  /// How many of `items` items for_own() gives a thread at most.
  KOKKOS_INLINE_FUNCTION static constexpr int most_own(int items) {
    return kokkos_on_host ? items : ceil_div(items, static_cast<int>(threads));
  }
  /// Calls f(item, k) for the thread's own items, k = 0, 1, ...: the same ones each time, so that
  /// what a thread keeps of them over a barrier may lie in an array of its own (most_own), which is
  /// registers where that is one. By team_rank, because no range promises which thread has which
  /// item.
  template <int items, class F>
  KOKKOS_INLINE_FUNCTION static void for_own(const Member& team, const F& f) {
    static_assert(lanes == Lanes::one, "lanes have no number that is documented");
    if constexpr (kokkos_on_host) {  // of as many threads as host_team_threads() says
      for (int item = team.team_rank(), k = 0; item < items; item += team.team_size(), ++k) {
        f(item, k);
      }
    } else {
      for (int k = 0; k < most_own(items); ++k) {
        const int item = team.team_rank() + k * static_cast<int>(threads);
        if (items % threads == 0 || item < items) f(item, k);
      }
    }
  }

 private:
  static constexpr unsigned vector = static_cast<unsigned>(lanes), threads = 32 * warps / vector;
#ifdef PORTCOST_CHECK_TRICKS
  static constexpr bool checked = true;
#else
  static constexpr bool checked = false;
#endif
  KOKKOS_INLINE_FUNCTION static void check(bool holds, const char* what) {
    if constexpr (checked) {
      if (!holds) Kokkos::abort(what);
    }
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T* granted(T* memory) {
    check(memory != nullptr, "scratch beyond what the policy has requested");
    return memory;
  }
};

/// Bytes of scratch to request for `count` elements of T.
template <class T>
constexpr int scratch_bytes(int count) {
  return count * static_cast<int>(sizeof(T)) + 8;
}

/// A step that hosts alone have, and why a GPU has not.
template <class... Work, class F>
Rung host_step(Works<Work...> works, std::string_view step, const F& f,
               std::string_view reason = "a step for hosts, and Kokkos runs on the GPU here") {
  if constexpr (kokkos_on_host) return rung(works, step, f);
  return absent_rung(step, reason);
}

/// A row that a host's table has and a device's has not.
inline Rungs host_row(Rung row) {
  if constexpr (kokkos_shapes == Place::host) return {std::move(row)};
  return {};
}

/// A step that only a device's shapes have, and why a host has not.
template <class... Work, class F>
Rung device_step(Works<Work...> works, std::string_view step, const F& f,
                 std::string_view reason = "a step for GPUs, and Kokkos runs on the host here") {
  if constexpr (kokkos_shapes == Place::device) return rung(works, step, f);
  return absent_rung(step, reason);
}

/// A step whose lanes read each other's registers, which is a trick, so that it has no form by the
/// book.
template <class... Work, class F>
Rung warp_step([[maybe_unused]] Works<Work...> works, std::string_view step,
               [[maybe_unused]] const F& f,
               [[maybe_unused]] std::string_view (*unless)(const Problem&)) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!kokkos_on_host) return rung(works, step, f).unless(unless);
#endif
  return absent_rung(step, "lanes of a team have no documented way to exchange registers");
}

/// The tables one after the other.
inline Rungs joined(std::initializer_list<Rungs> tables) {
  Rungs result;
  for (const Rungs& table : tables) result.insert(result.end(), table.begin(), table.end());
  return result;
}

}  // namespace portcost
