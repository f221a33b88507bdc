// SPDX-License-Identifier: Apache-2.0
// The kernels between transforms in tuned Kokkos (kokkos_team.hpp explains the tricks).
#pragma once

#include "variants/shared/fft.hpp"
#include "variants/shared/fft_pass.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::fft::by_kokkos {

/// On a device an item replaces a mode of four rows by glue.at(row, mode).
template <class Glue>
struct ModesOfDevice {
  using On = Teams<warps>;
  using Index = typename On::Index;
  static constexpr Tile tile = tile_in(Place::device);
  Glue glue;
  TileGrid grid;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int down = grid.row(team.league_rank()), across = grid.column(team.league_rank(), down);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index item) {
      const int thread = static_cast<int>(item);
      const int k = across * tile.modes + thread % lanes;
      const int first = down * tile.rows + thread / lanes;
      if (k >= glue.modes) return;
      typename Glue::Mode z[own_rows];
#pragma unroll
      for (int r = 0; r < own_rows; ++r) {
        if (first + r * warps < glue.rows) z[r] = glue.at(first + r * warps, k);
      }
#pragma unroll
      for (int r = 0; r < own_rows; ++r) {
        const int row = first + r * warps;
        if (row < glue.rows) glue.spectrum[std::int64_t{row} * glue.modes + k] = z[r];
      }
    });
  }
};

/// On a host a team has rows.
template <class Glue>
struct ModesOfHost {
  using On = Teams<warps>;
  static constexpr Tile tile = tile_in(Place::host);
  Glue glue;
  TileGrid grid;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int first = team.league_rank() * tile.rows;
    const int left = glue.rows - first, rows = left < tile.rows ? left : tile.rows;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](int r) {
      auto* const modes = glue.spectrum + std::int64_t{first + r} * glue.modes;
      On::for_lanes(team, 0, glue.modes, [&](int k) { modes[k] = glue.at(first + r, k); });
    });
  }
};

/// An item has four packs; the first of the last team have what no pack holds.
template <class T>
struct Scaling {
  using On = Teams<warps>;
  using Index = typename On::Index;
  using Packed = Pack<T>;
  T* out;
  std::int64_t count;
  T by;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    auto* const packs = reinterpret_cast<Packed*>(out);
    const std::int64_t whole = count / Packed::length;
    const std::int64_t begin = std::int64_t{team.league_rank()} * (threads * own_packs);
    const bool last = team.league_rank() == team.league_size() - 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index item) {
      const std::int64_t first = begin + item;
      Packed own[own_packs] = {};
#pragma unroll
      for (int j = 0; j < own_packs; ++j) {
        if (first + j * threads < whole) own[j] = packs[first + j * threads];
      }
#pragma unroll
      for (int j = 0; j < own_packs; ++j) {
        for (T& number : own[j].at) number *= by;
        if (first + j * threads < whole) packs[first + j * threads] = own[j];
      }
      if (last && item < count % Packed::length) out[whole * Packed::length + item] *= by;
    });
  }
};

template <class Glue>
void for_modes(const Glue& glue, const Stream& on) {
  using Kernel = ShapeIn<kokkos_shapes, ModesOfDevice<Glue>, ModesOfHost<Glue>>;
  constexpr Tile tile = Kernel::tile;
  const TileGrid grid(columns_of(tile, glue.modes), ceil_div(glue.rows, tile.rows));
  Kokkos::parallel_for("portcost::fft::modes", Kernel::On::policy(on, grid), Kernel{glue, grid});
}

template <class Pass, class T, class Glue>
struct AxisKernel {
  using On = Teams<pass_threads / 32, axis_teams_per_multiprocessor<T>, Lanes::one>;
  using Mode = Complex<T>;
  static constexpr int elements = 2 * pass_slots, bytes = sizeof(Mode);
  Pass pass;
  Mode* spectrum;
  Glue glue;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    auto* const scratch = reinterpret_cast<Mode*>(aligned_scratch<On, T, bytes>(team, elements));
    Mode z[On::most_own(pass_threads)][own_elements];
    run_pass(
        pass, z, team.league_rank(),
        [&](int matrix, int row, int column) -> auto& {
          return spectrum[(std::int64_t{matrix} * Pass::n + row) * pass.columns + column];
        },
        glue, [&](int slot) -> auto& { return scratch[slot]; },
        [&](const auto& action) {
          On::template for_own<pass_threads>(
              team, [&](int item, int k) { action(On::of_team(team, item), k); });
        },
        [&] { team.team_barrier(); });
  }
};
/// Passes over the slowest axis of s.
template <class S, class Glue>
void for_axis(const S& s, const Glue& glue, const Stream& on) {
  using T = typename S::Number;
  const Shape shape = s.shape();
  over_axis(static_cast<int>(shape.slowest()), static_cast<int>(shape.per_node()), [&](auto pass) {
    using Kernel = AxisKernel<decltype(pass), T, Glue>;
    const int scratch = scratch_bytes<T>(Kernel::elements + aligned_extra<T, Kernel::bytes>);
    Kokkos::parallel_for("portcost::fft::axis", Kernel::On::policy(on, pass.teams(), scratch),
                         Kernel{pass, s.spectrum, glue});
  });
}

inline constexpr auto scale = []<class T>(T* out, std::int64_t count, T by, const Stream& on) {
  const auto league = static_cast<int>(ceil_div(count, std::int64_t{scaled_by_team<T>}));
  Kokkos::parallel_for("portcost::fft::scale", Scaling<T>::On::policy(on, league),
                       Scaling<T>{out, count, by});
};

}  // namespace portcost::fft::by_kokkos
