// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "src/support/error.hpp"
#include "variants/kokkos_space.hpp"

namespace portcost {

/// A grid of tiles numbered row by row, as a league is: rank / columns and rank % columns by a
/// multiplication (Granlund and Montgomery 1994), because a division costs a thread more than its
/// part of a small tile. Exact for ranks below 2^31.
class TileGrid {
 public:
  TileGrid(int columns, int rows) : columns_(columns), rows_(rows) {
    while ((std::int64_t{1} << shift_) < columns) ++shift_;
    shift_ += 31;
    const std::uint64_t divisor = static_cast<std::uint64_t>(columns);
    multiplier_ =
        static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor - 1) / divisor);
  }
  std::int64_t count() const { return std::int64_t{columns_} * rows_; }
  KOKKOS_INLINE_FUNCTION int row(int rank) const {
    return static_cast<int>((std::uint64_t{static_cast<std::uint32_t>(rank)} * multiplier_) >>
                            shift_);
  }
  KOKKOS_INLINE_FUNCTION int column(int rank, int row) const { return rank - row * columns_; }

 private:
  int columns_, rows_;
  int shift_ = 0;
  std::uint32_t multiplier_ = 0;
};

/// Teams of `warps` times 32 threads or lanes, with launch bounds to match (`teams`: how many a
/// multiprocessor is to hold at least; 0: no demand).
template <int warps, int teams = 0>
using TeamPolicy = Kokkos::TeamPolicy<KokkosSpace, Kokkos::LaunchBounds<32 * warps, teams>,
                                      Kokkos::IndexType<int>>;
template <int warps, int teams = 0>
using Member = typename TeamPolicy<warps, teams>::member_type;

/// How a team's warps are named: a thread each with 32 lanes, or 32 threads each with one, which
/// saves the arithmetic of two numbers where a kernel does not use lanes.
enum class Lanes { warp = 32, one = 1 };

/// `league` teams with `scratch` bytes each; on a host, of host_team_threads() threads.
template <int warps, int teams = 0, Lanes lanes = Lanes::warp>
TeamPolicy<warps, teams> team_policy(const Stream& stream, int league, int scratch = 0) {
  constexpr int vector = static_cast<int>(lanes);
  TeamPolicy<warps, teams> policy(kokkos_space(stream), league,
                                  kokkos_on_host ? host_team_threads() : 32 * warps / vector,
                                  kokkos_on_host ? 1 : vector);
  policy.set_scratch_size(scratch_level, Kokkos::PerTeam(scratch));
  return policy;
}

/// A team a tile. Throws Failure when there are more tiles than a league's int can count.
template <int warps, int teams = 0>
TeamPolicy<warps, teams> team_policy(const Stream& stream, const TileGrid& tiles, int scratch = 0) {
  require(tiles.count() <= std::numeric_limits<int>::max(), "more tiles than a league can hold");
  return team_policy<warps, teams>(stream, static_cast<int>(tiles.count()), scratch);
}

/// Gives a device compiler what the policy has fixed: `warps` warps, named as `lanes` says. Kokkos
/// passes on the launch bounds, a maximum, but not the size itself, so that every range keeps a
/// loop that runs once and the arithmetic of its trips. On a host it says nothing.
template <int warps, Lanes lanes = Lanes::warp, class Member>
KOKKOS_INLINE_FUNCTION void assume_team_size(const Member& team) {
#ifdef KOKKOS_ENABLE_CUDA
  constexpr unsigned vector = static_cast<unsigned>(lanes), threads = 32 * warps / vector;
  KOKKOS_IF_ON_DEVICE((__builtin_assume(blockDim.x == vector);
                       __builtin_assume(blockDim.y == threads); __builtin_assume(blockDim.z == 1);
                       __builtin_assume(threadIdx.x < vector);
                       __builtin_assume(threadIdx.y < threads);))
#endif
#ifdef PORTCOST_AT_START
  PORTCOST_AT_START();  // a test lets threads start at different times
#endif
  static_cast<void>(team);
}

/// What a range inside a team is counted in. Once assume_team_size has fixed the team, a range with
/// an item for each thread is straight-line code, if counted so: a thread's number widened to 64
/// bits is known to be no less than 0 and far from the greatest, so that its second item is known
/// to lie past the end. In 32 bits, with or without a sign, every range keeps a loop that runs
/// once.
using RangeIndex = std::int64_t;

/// The first `count` elements of T in a team's scratch, as a raw pointer taken once, and
/// the bytes to ask the policy for. (A View here aligns and checks its position again in every
/// thread.) For T of at most 8 bytes, and once a team.
template <class T>
KOKKOS_INLINE_FUNCTION T* scratch(const auto& team, int count) {
  constexpr int level = scratch_level;  // taken by reference, which a device cannot of a global
  return static_cast<T*>(team.team_scratch(level).get_shmem(count * static_cast<int>(sizeof(T))));
}
/// The same where a few instructions matter: a device does not compare with what the policy has
/// requested, because a request for no bytes is granted unchecked, at the start of what is free.
/// Hosts do compare.
template <class T>
KOKKOS_INLINE_FUNCTION T* scratch_unchecked(const auto& team, int count) {
  return scratch<T>(team, kokkos_on_host ? count : 0);
}
template <class T>
constexpr int scratch_bytes(int count) {
  return count * static_cast<int>(sizeof(T)) + 8;
}

}  // namespace portcost
