// SPDX-License-Identifier: Apache-2.0
// For tuned kernels: teams, scratch and ranges with the tricks that are not by the book. The
// READMEs of variants/transfer_* name what the host does with streams, events and recorded calls.
//
//   trick                                    why it is a trick
//   the team's size told to the compiler     Kokkos documents no mapping of a team to a CUDA block
//   a block told to have one team            by the book a block may run several teams in turn
//   ranges counted in 64 signed bits         only for the code that nvcc generates
//   scratch as a raw pointer, taken once     by the book it is a View, checked and aligned
//   scratch requested as no bytes            Kokkos grants it unchecked today, without a promise
//   tiles found by a multiplication          by the book a division finds them
//   a thread's number tied to its team       only for the code that nvcc generates
//   an atomic load as a volatile read        Kokkos's is a compare-exchange in CUDA: it writes
//   a fence for a team alone                 Kokkos documents fences of the device; desul has it
//   an occupancy told to a launch            it is in Kokkos::Experimental
//   elements of other lanes' registers       Kokkos::shfl, which its documentation does not name
//   a vote of a thread's lanes               Kokkos has none, and a reduction takes longer
//   a host's loop told to be independent     Kokkos tells this to some compilers, not to g++
//
// kokkos_tricks.hpp adds a single trick to forms by the book, so that its gain is measured alone.
// A checked or sanitized build (the preset cuda-checked; PORTCOST_CHECK_TRICKS) compares these
// assumptions with the real launch, and scratch with the request.
#pragma once

#include <algorithm>
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

/// A divisor from 1 to 2^31 - 1 of numbers from 0 up, which divides exactly by a multiplication
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

/// A grid of tiles numbered row by row, like a league: rank / columns and rank % columns.
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

/// A relaxed atomic load. A device reads the word as volatile, as CUDA's code does; Kokkos 4.6 does
/// a compare-exchange there (desul, Fetch_Op_Generic.hpp).
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_load(T* at) {
#ifdef KOKKOS_ENABLE_CUDA
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile T*>(at);))
#endif
  return compat::atomic_load(at);
}

/// A warp of a team is one thread with 32 lanes, or 32 threads with one lane, which saves the
/// arithmetic of two indices where a kernel does not use lanes.
enum class Lanes { warp = 32, one = 1 };

/// The teams of a kernel: `warps` times 32 threads or lanes, with launch bounds to match. `teams`:
/// the least number that a multiprocessor is to hold; 0: no request. On a host, host_team_threads()
/// threads of one lane.
template <int warps, int teams = 0, Lanes lanes = Lanes::warp>
struct Teams {
  using Policy = Kokkos::TeamPolicy<KokkosSpace, Kokkos::LaunchBounds<32 * warps, teams>,
                                    Kokkos::IndexType<int>>;
  using Member = typename Policy::member_type;
  /// The index of a range inside a team, 64 signed bits. Once begin() has fixed the team, a range
  /// with an item a thread is then straight-line code: nvcc knows that a thread's number widened to
  /// 64 bits is neither negative nor near the greatest number, and therefore that its second item
  /// lies past the end. In 32 bits every range keeps a loop that runs once.
  using Index = std::int64_t;

  /// `league` teams with `scratch` bytes each (scratch_bytes).
  static Policy policy(const Stream& stream, int league, int scratch = 0) {
    return policy(kokkos_space(stream), league, scratch);
  }
  /// The same on an instance of the caller's.
  static Policy policy(const KokkosSpace& space, int league, int scratch = 0) {
    Policy result(space, league, kokkos_on_host ? host_team_threads() : static_cast<int>(threads),
                  kokkos_on_host ? 1 : static_cast<int>(vector));
    result.set_scratch_size(scratch_level, Kokkos::PerTeam(scratch));
    return result;
  }
  /// A team a tile. Throws Failure for more than most_teams tiles.
  static Policy policy(const Stream& stream, const TileGrid& tiles, int scratch = 0) {
    require(tiles.count() <= most_teams, "more tiles than a league can hold");
    return policy(stream, static_cast<int>(tiles.count()), scratch);
  }
  /// The policy of a kernel that gains more from the L1 cache than from many teams. A team has
  /// scratch of Kokkos's own besides its request (1 KiB with 128 threads of one lane), and CUDA
  /// takes from the L1 cache, which is the same memory, the scratch of all teams that fit by their
  /// registers. Given an occupancy in percent, Kokkos requests scratch for no more teams than that
  /// (4.6; it leaves out the 1 KiB that CUDA adds to each, so that there may be fewer). On hosts it
  /// has no effect.
  static auto with_first_cache(const Policy& policy, int percent) {
    return Kokkos::Experimental::prefer(policy, Kokkos::Experimental::DesiredOccupancy{percent});
  }

  /// How many teams run at once, for kernels whose teams wait for each other: `teams` on each
  /// multiprocessor, which the registers allow; the caller answers for scratch.
  static int at_once(const Stream& stream) {
    return std::max(1, kokkos_on_host ? kokkos_space(stream).concurrency() / host_team_threads()
                                      : teams * processors(stream.place()));
  }

  /// Beyond it the loop over a block's teams overflows an int (Kokkos 4.6).
  static constexpr int most_teams = 1 << 30;

  /// The first call of a kernel. It tells a device compiler what the policy has fixed. Kokkos
  /// passes on the launch bounds, a maximum, but not the size, so that every range keeps a loop
  /// that runs once and its trip arithmetic; and a loop over a block's teams surrounds the kernel,
  /// although a block has one team (except in a parallel_reduce over a league, which must not call
  /// this). On a host it has no effect.
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

  /// `item`, a thread's number, for arithmetic on which much else depends. It hides from a device
  /// compiler that the number is the same for all teams (ranks are below most_teams): otherwise
  /// nvcc hoists the arithmetic out of the loop over a block's teams, ahead of the first load, and
  /// keeps the results in registers.
  KOKKOS_INLINE_FUNCTION static int of_team(const Member& team, int item) {
    static_assert(most_teams == 1 << 30);
    if constexpr (!kokkos_on_host) return item + (team.league_rank() >> 30);
    return item;
  }

  /// The first `count` elements of T in a team's scratch as a raw pointer. (A View aligns and
  /// checks its position in every thread.) For T of at most 8 bytes; a team calls this once.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T* scratch(const Member& team, int count) {
    constexpr int level = scratch_level;  // a device cannot take a reference to a global
    return granted(
        static_cast<T*>(team.team_scratch(level).get_shmem(count * static_cast<int>(sizeof(T)))));
  }
  /// The same where a few instructions matter. A device does not check the policy's request,
  /// because a request for no bytes is granted unchecked, at the start of the free memory. Hosts
  /// check it.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T* scratch_unchecked(const Member& team, int count) {
    return scratch<T>(team, !checked && !kokkos_on_host ? 0 : count);
  }

  /// Release and acquire fences for the team: on a device fences of a block by desul, Kokkos's
  /// library for atomic operations. (Kokkos's own are fences of the device: each waits for memory
  /// and invalidates the L1 cache.)
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

  /// Calls f(j) for j = from, ..., end - 1 by a thread's lanes. It tells a host's compiler that the
  /// calls are independent; otherwise the compiler tests for dependence before each loop, which is
  /// slow where loops are short.
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

  /// A warp shuffle: the `element` of thread `from` of the caller's group, `width` consecutive
  /// threads of the 32. All 32 threads call it. Only in steps of warp_step().
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

  /// The same for teams of 32 threads in steps that hosts have, too. There all threads exchange
  /// over scratch: exchange_bytes() of it are requested, exchange_scratch() is it, each thread
  /// stores its element by keep(), and exchange_barrier() follows before of_lane() reads. On a
  /// device the last two have no effect.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T of_lane(const T& element, int from, const T* kept) {
#ifdef KOKKOS_ENABLE_CUDA
    KOKKOS_IF_ON_DEVICE((return Kokkos::shfl(element, from, 32);))
#endif
    static_cast<void>(element);
    return kept[from];
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void keep(T* at, const T& element) {
    if constexpr (kokkos_on_host) *at = element;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void exchange_barrier(const Member& team) {
    if constexpr (kokkos_on_host) team.team_barrier();
  }
  template <class T>
  static constexpr int exchange_bytes(int count) {
    return kokkos_on_host ? count * static_cast<int>(sizeof(T)) + 8 : 0;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T* exchange_scratch(const Member& team, int count) {
    if constexpr (kokkos_on_host) return scratch<T>(team, count);
    return nullptr;
  }

  /// The lanes of a thread, and the first of them where `holds`; their number where there is none.
  /// By all lanes, in the body of a range with an item a lane.
  static constexpr int lanes_of_thread = kokkos_on_host ? 1 : static_cast<int>(lanes);
  KOKKOS_FORCEINLINE_FUNCTION static int first_lane(bool holds) {
#ifdef KOKKOS_ENABLE_CUDA
    KOKKOS_IF_ON_DEVICE((const unsigned voted = __ballot_sync(~0u, holds);
                         return voted == 0 ? lanes_of_thread : __ffs(voted) - 1;))
#endif
    return holds ? 0 : 1;
  }

  /// The most items that for_own() gives a thread, of `items`.
  KOKKOS_INLINE_FUNCTION static constexpr int most_own(int items) {
    return kokkos_on_host ? items : ceil_div(items, static_cast<int>(threads));
  }
  /// Calls f(item, k) for the thread's own items, k = 0, 1, ... A thread has the same items in each
  /// call, so that it may keep their data over a barrier in an array of most_own, which lies in
  /// registers where most_own is one. By team_rank, because no range promises which thread has
  /// which item.
  template <int items, class F>
  KOKKOS_INLINE_FUNCTION static void for_own(const Member& team, const F& f) {
    static_assert(lanes == Lanes::one, "lanes have no number that is documented");
    if constexpr (kokkos_on_host) {  // with host_team_threads() threads
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

/// Bytes of scratch to request for `count` elements of T, with room for alignment.
template <class T>
constexpr int scratch_bytes(int count) {
  return count * static_cast<int>(sizeof(T)) + 8;
}

/// A step for hosts alone, or the reason for its absence on a GPU.
template <class... Work, class F>
Rung host_step(Works<Work...> works, std::string_view step, const F& f,
               std::string_view reason = "a step for hosts, and Kokkos runs on the GPU here") {
  if constexpr (kokkos_on_host) return rung(works, step, f);
  return absent_rung(step, reason);
}

/// A row of a host's table alone.
inline Rungs host_row(Rung row) {
  if constexpr (kokkos_shapes == Place::host) return {std::move(row)};
  return {};
}

/// A step for a device's shapes alone, or the reason for its absence on a host.
template <class... Work, class F>
Rung device_step(Works<Work...> works, std::string_view step, const F& f,
                 std::string_view reason = "a step for GPUs, and Kokkos runs on the host here") {
  if constexpr (kokkos_shapes == Place::device) return rung(works, step, f);
  return absent_rung(step, reason);
}

/// A step with warp shuffles, which are a trick, so that it has no form by the book.
template <class... Work, class F>
Rung warp_step([[maybe_unused]] Works<Work...> works, std::string_view step,
               [[maybe_unused]] const F& f,
               [[maybe_unused]] std::string_view (*unless)(const Problem&)) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!kokkos_on_host) return rung(works, step, f).unless(unless);
#endif
  return absent_rung(step, "lanes of a team have no documented way to exchange registers");
}

/// The tables one after another.
inline Rungs joined(std::initializer_list<Rungs> tables) {
  Rungs result;
  for (const Rungs& table : tables) result.insert(result.end(), table.begin(), table.end());
  return result;
}

}  // namespace portcost
