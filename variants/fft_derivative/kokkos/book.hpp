// SPDX-License-Identifier: Apache-2.0
// The glue around a library's transforms, and a transform without a library, in plain Kokkos. This
// header depends only on Kokkos and rule.hpp.
#pragma once

#include <Kokkos_Core.hpp>

#include "variants/fft_derivative/rule.hpp"

namespace portcost::fft_derivative::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space>;
using Member = Teams::member_type;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// Modes (line, k), and the numbers of all lines.
template <class T>
using Spectrum = Kokkos::View<fft::Complex<T>**, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Numbers = Kokkos::View<T*, Space, Unmanaged>;
template <class T>
using Lines = Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged>;

/// Multiplies mode k of each line by i k `unit`; n is the length of a line. A team has 32 modes of
/// 32 lines.
template <class T>
void derive(const Space& space, int team_size, Spectrum<T> spectrum, int n, T unit) {
  constexpr int side = 32;
  const int lines = spectrum.extent_int(0), modes = spectrum.extent_int(1);
  const int columns = (modes + side - 1) / side, rows = (lines + side - 1) / side;
  Kokkos::parallel_for(
      "fft_derivative::book::derive", Teams(space, columns * rows, team_size, side),
      KOKKOS_LAMBDA(const Member& team) {
        const int first_line = team.league_rank() / columns * side;
        const int first_mode = team.league_rank() % columns * side;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, side), [&](int y) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, side), [&](int x) {
            const int line = first_line + y, k = first_mode + x;
            if (line >= lines || k >= modes) return;
            auto& mode = spectrum(line, k);
            mode = derived(mode, unit * static_cast<T>(slope(k, n)));
          });
        });
      });
}

/// Multiplies all numbers by `by`. A team has 4096 numbers.
template <class T>
void scale(const Space& space, int team_size, Numbers<T> numbers, T by) {
  constexpr std::size_t share = 4096;
  const auto league = static_cast<int>((numbers.extent(0) + share - 1) / share);
  Kokkos::parallel_for(
      "fft_derivative::book::scale", Teams(space, league, team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * share;
        const std::size_t left = numbers.extent(0) - first;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, left < share ? left : share),
                             [&](std::size_t i) { numbers(first + i) *= by; });
      });
}

/// one_pass: the derivatives of lines (line, x) of n numbers. On a GPU each of fft::pass_threads
/// threads holds its own elements; on a host each thread of a team executes several logical
/// threads.
template <int n, class T>
void derive_lines(const Space& space, int team_size, Lines<const T> f, Lines<T> out, T unit) {
  using Element = fft::Complex<T>;
  using Scratch = Kokkos::View<Element[fft::pass_slots], Space::scratch_memory_space, Unmanaged>;
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  constexpr int own = on_host ? fft::pass_threads : 1;
  const int lines = f.extent_int(0);
  using Policy =
      Kokkos::TeamPolicy<Space,
                         Kokkos::LaunchBounds<fft::pass_threads, pass_teams_per_multiprocessor<T>>>;
  Policy teams(space, teams_of<n>(lines), team_size, 1);
  // Level 1 on hosts, whose level 0 holds 32 KiB in Kokkos 5. No variable: the kernel would capture
  // it, and nvcc would not know that the scratch is shared memory.
  teams.set_scratch_size(on_host ? 1 : 0, Kokkos::PerTeam(Scratch::shmem_size()));
  Kokkos::parallel_for(
      "fft_derivative::book::one_pass", teams,
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch scratch(team.team_scratch(on_host ? 1 : 0));
        Element z[own][fft::own_elements];
        one_pass<n>(
            z, team.league_rank(), lines, unit, [&](int line, int x) { return f(line, x); },
            [&](int line, int x, T value) { out(line, x) = value; },
            [&](int slot) -> Element& { return scratch(slot); },
            [&](const auto& action) {
              for (int i = 0; i < own; ++i) {
                const int thread = team.team_rank() + i * team.team_size();
                if (i > 0 && thread >= fft::pass_threads) break;  // on a GPU all threads have one
                action(thread, i);
              }
            },
            [&] { team.team_barrier(); });
      });
}

}  // namespace portcost::fft_derivative::book
