// SPDX-License-Identifier: Apache-2.0
// in_flight by the book: plain Kokkos, which needs Kokkos alone. The address of a thread's next
// loads depends on the values of its previous loads, so that no load starts before those arrive.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace portcost::in_flight::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Numbers = Kokkos::View<const std::int32_t*, Space, Unmanaged>;
/// GPUs: pieces (piece, load, item) that a team of 64 items reads at a time.
template <int loads>
using Pieces = Kokkos::View<const std::int32_t* [loads][64], Kokkos::LayoutRight, Space, Unmanaged>;
using TeamSums = Kokkos::View<std::uint32_t* [64], Kokkos::LayoutRight, Space, Unmanaged>;
/// Hosts: lines of the cache (line, number).
using Lines = Kokkos::View<const std::int32_t* [16], Kokkos::LayoutRight, Space, Unmanaged>;
using Sums = Kokkos::View<std::uint32_t*, Space, Unmanaged>;

/// 0, because numbers have no highest bit; a compiler does not know that and waits for `loaded`.
KOKKOS_INLINE_FUNCTION int no_step(std::uint32_t loaded) { return static_cast<int>(loaded >> 31); }

/// GPUs: a team reads every `teams`-th piece. The last team also reads the rest behind the pieces.
template <int loads>
void read_pieces(const Space& space, int team_size, int teams, Numbers a, Pieces<loads> pieces,
                 TeamSums sums) {
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<64, 32>>;
  Kokkos::parallel_for(
      "in_flight::book::read_pieces", Policy(space, teams, team_size, 32),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int rank = team.league_rank(), count = static_cast<int>(pieces.extent(0));
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 64), [&](int item) {
          std::uint32_t sum = 0;
          if (rank == teams - 1) {
#pragma unroll 1
            for (std::size_t i = pieces.size() + item; i < a.extent(0); i += 64) sum += a(i);
          }
#pragma unroll 1
          for (int piece = rank; piece < count;) {
            std::uint32_t own[loads], all = 0;
            for (int k = 0; k < loads; ++k) own[k] = pieces(piece, k, item);
            for (int k = 0; k < loads; ++k) all |= own[k];
            for (int k = 0; k < loads; ++k) sum += own[k];
            piece += teams + no_step(all);
          }
          sums(rank, item) = sum;
        });
      });
}

/// The first of the lines that a worker reads, counted in the order of reading.
KOKKOS_INLINE_FUNCTION std::int64_t first_line(std::int64_t lines, int worker, int workers) {
  return lines / workers * worker + lines % workers * worker / workers;
}

/// Hosts: a team is a worker, of one thread. Lines that are read one after the other lie `apart`
/// lines from each other, so that none is fetched ahead.
template <int loads>
void read_lines(const Space& space, int team_size, std::int64_t apart, Numbers a, Lines lines,
                Sums sums) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const int workers = static_cast<int>(sums.extent(0));
  const auto count = static_cast<std::int64_t>(lines.extent(0));
  Kokkos::parallel_for(
      "in_flight::book::read_lines", Policy(space, workers, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          const int worker = team.league_rank();
          const auto next = [&](std::int64_t line) {
            return line + apart >= count ? line + apart - count : line + apart;
          };
          const std::int64_t first = first_line(count, worker, workers);
          std::int64_t left = first_line(count, worker + 1, workers) - first;
          std::int64_t line = left > 0 ? first * apart % count : 0;
          std::uint32_t by_column[16] = {};
          for (; left >= loads; left -= loads) {
            std::int64_t from[loads];
            for (int k = 0; k < loads; ++k) {
              from[k] = line;
              line = next(line);
            }
            std::uint32_t all = 0;
            for (int k = 0; k < loads; ++k) all |= lines(from[k], 0);
            for (int j = 0; j < 16; ++j) {
              for (int k = 0; k < loads; ++k) by_column[j] += lines(from[k], j);
            }
            line += no_step(all);
          }
          for (; left > 0; --left) {
            for (int j = 0; j < 16; ++j) by_column[j] += lines(line, j);
            line = next(line);
          }
          std::uint32_t sum = 0;
          for (int j = 0; j < 16; ++j) sum += by_column[j];
          if (worker == workers - 1) {
            for (std::size_t i = lines.size(); i < a.extent(0); ++i) sum += a(i);
          }
          sums(worker) = sum;
        });
      });
}

}  // namespace portcost::in_flight::book
