// SPDX-License-Identifier: Apache-2.0
// The glue around a library's transforms in plain Kokkos. This header depends only on Kokkos and
// rule.hpp.
#pragma once

#include <Kokkos_Core.hpp>

#include "variants/fft_convolution/rule.hpp"

namespace portcost::fft_convolution::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space>;
using Member = Teams::member_type;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// Modes (row, k), and the numbers of an image.
template <class Mode>
using Spectrum = Kokkos::View<Mode**, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Numbers = Kokkos::View<T*, Space, Unmanaged>;

template <class T>
using Matrices = Kokkos::View<fft::Complex<T>***, Kokkos::LayoutRight, Space, Unmanaged>;

/// Multiplies each mode by the kernel's mode and by `factor`. A team has 32 modes of 32 rows.
template <class T>
void multiply(const Space& space, int team_size, Spectrum<fft::Complex<T>> spectrum,
              Spectrum<const fft::Complex<T>> kernel, T factor) {
  constexpr int side = 32;
  const int rows = spectrum.extent_int(0), modes = spectrum.extent_int(1);
  const int columns = (modes + side - 1) / side, league = columns * ((rows + side - 1) / side);
  Kokkos::parallel_for(
      "fft_convolution::book::multiply", Teams(space, league, team_size, side),
      KOKKOS_LAMBDA(const Member& team) {
        const int first_row = team.league_rank() / columns * side;
        const int first_mode = team.league_rank() % columns * side;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, side), [&](int y) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, side), [&](int x) {
            const int row = first_row + y, k = first_mode + x;
            if (row >= rows || k >= modes) return;
            auto& mode = spectrum(row, k);
            mode = convolved(mode, kernel(row, k), factor);
          });
        });
      });
}

/// fused_axis: a pass along the slowest axis, down the columns of each matrix. On a GPU each of
/// fft::pass_threads threads holds its own elements; on a host each thread of a team executes
/// several logical threads.
template <class Pass, class T>
void multiply_axis(const Space& space, int team_size, const Pass& pass, Matrices<T> spectrum,
                   Spectrum<const fft::Complex<T>> kernel, T factor) {
  using Element = fft::Complex<T>;
  using Scratch = Kokkos::View<Element[fft::pass_slots], Space::scratch_memory_space, Unmanaged>;
  using Policy = Kokkos::TeamPolicy<
      Space, Kokkos::LaunchBounds<fft::pass_threads, fft::axis_teams_per_multiprocessor<T>>>;
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  constexpr int own = on_host ? fft::pass_threads : 1;
  Policy teams(space, pass.teams(), team_size, 1);
  // Level 1 on hosts, whose level 0 holds 32 KiB in Kokkos 5. No variable: the kernel would capture
  // it, and nvcc would not know that the scratch is shared memory.
  teams.set_scratch_size(on_host ? 1 : 0, Kokkos::PerTeam(Scratch::shmem_size()));
  Kokkos::parallel_for(
      "fft_convolution::book::fused_axis", teams,
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch scratch(team.team_scratch(on_host ? 1 : 0));
        Element z[own][fft::own_elements];
        fft::run_pass(
            pass, z, team.league_rank(),
            [&](int matrix, int row, int column) -> Element& {
              return spectrum(matrix, row, column);
            },
            [&](Element mode, int k, int column) {
              return convolved(mode, kernel(k, column), factor);
            },
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

/// Multiplies all numbers by `by`. A team has 4096 numbers.
template <class T>
void scale(const Space& space, int team_size, Numbers<T> numbers, T by) {
  constexpr std::size_t share = 4096;
  const auto league = static_cast<int>((numbers.extent(0) + share - 1) / share);
  Kokkos::parallel_for(
      "fft_convolution::book::scale", Teams(space, league, team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * share;
        const std::size_t left = numbers.extent(0) - first;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, left < share ? left : share),
                             [&](std::size_t i) { numbers(first + i) *= by; });
      });
}

}  // namespace portcost::fft_convolution::book
