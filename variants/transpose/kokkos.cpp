// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants. A team works on one tile; ranges, never ranks, distribute its work, so a
// team of one thread does all of it.
#include <algorithm>

#include "variants/shared/kokkos_tiles.hpp"
#include "variants/transpose/kokkos/blocks.hpp"
#include "variants/transpose/kokkos/registers.hpp"

namespace portcost::transpose {

namespace {

// A copy, or a transposition with reads along rows and writes along columns.
template <bool copied, class T>
struct Flat {
  static constexpr FlatShape shape = flat_shape(kokkos_shapes);
  using On = Teams<tile_warps>;
  using Index = typename On::Index;
  Places<T> s;
  TileGrids tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const auto at = tiles.at(team.league_rank());
    const int i0 = at.line * shape.y, j0 = at.column * shape.x;
    if constexpr (shape.y == 1) {
      // One thread of the team does the work.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                           [&](int) { stretch(team, at.matrix, i0, j0); });
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index item) {
        elements(at.matrix, static_cast<int>(item), i0, j0);
      });
    }
  }

  KOKKOS_FUNCTION void stretch(const typename On::Member& team, int m, int i, int j0) const {
    const T* const from = s.row_of_a(m, i);
    const int end = compat::min(s.nx, j0 + int{shape.x});
    if constexpr (copied) {
      std::copy(from + j0, from + end, s.row_of_copy(m, i) + j0);
    } else {
      T* const to = s.row_of_b(m, 0) + i;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, j0, end),
                           [&](int j) { to[std::int64_t{j} * s.ny] = from[j]; });
    }
  }

  KOKKOS_FUNCTION void elements(int m, int item, int i0, int j0) const {
    T own[rows_a_thread] = {};
    load(own, s.row_of_a(m, 0), item % lanes, item / lanes, i0, j0, s.ny, s.nx);
    if constexpr (copied) {
      store(own, s.row_of_copy(m, 0), item % lanes, item / lanes, i0, j0, s.ny, s.nx);
    } else {
      const int j = j0 + item % lanes;
      if (j >= s.nx) return;
      T* const to = s.row_of_b(m, j);
#pragma unroll
      for (int r = 0; r < rows_a_thread; ++r) {
        const int i = i0 + item / lanes + r * tile_warps;
        if (i < s.ny) to[i] = own[r];
      }
    }
  }
};
template <class T>
using Copy = Flat<true, T>;
template <class T>
using Naive = Flat<false, T>;

// A tile goes through scratch, so that both reads and writes are along rows.
template <int pitch, bool diagonal, class T>
struct Tiled {
  using On = Teams<tile_warps>;
  using Index = typename On::Index;
  static constexpr int scratch() { return scratch_bytes<T>(tile * pitch); }
  Places<T> s;
  TileGrids tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const auto at = tiles.at(team.league_rank());
    const int i0 = (diagonal ? at.column : at.line) * tile;
    const int j0 =
        (diagonal ? diagonal_column(at.column, at.line, ceil_div(s.nx, tile)) : at.column) * tile;
    T* const scratch = On::template scratch<T>(team, tile * pitch);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      T own[rows_a_thread] = {};
      load(own, s.row_of_a(at.matrix, 0), item % lanes, item / lanes, i0, j0, s.ny, s.nx);
      put_rows<pitch>(scratch, own, item % lanes, item / lanes);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      T own[rows_a_thread] = {};
      get_columns<pitch>(own, scratch, item % lanes, item / lanes);
      store(own, s.row_of_b(at.matrix, 0), item % lanes, item / lanes, j0, i0, s.nx, s.ny);
    });
  }
};
template <class T>
using CoalescedTile = Tiled<bare_pitch, false, T>;
template <class T>
using PaddedTile = Tiled<padded_pitch, false, T>;
template <class T>
using Diagonal = Tiled<padded_pitch, true, T>;

// 16 bytes at a time: square blocks are transposed in registers.
template <class T>
struct Wide {
  using Shape = WideShape<T>;
  using On = Teams<Shape::warps>;
  using Index = typename On::Index;
  static constexpr int border = 16;  // bytes; packs are aligned to it
  static constexpr int scratch() {
    return scratch_bytes<T>(Shape::elements + aligned_extra<T, border>);
  }
  Places<T> s;
  TileGrids tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const auto in_grid = tiles.at(team.league_rank());
    const Tile at = Shape::Order::at(in_grid.column, in_grid.line);
    const int i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
    T* const scratch = aligned_scratch<On, T, border>(team, Shape::elements);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Shape::threads}), [&](Index item) {
      load_packs(s, scratch, On::of_team(team, static_cast<int>(item)), in_grid.matrix, i0, j0);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Shape::threads}), [&](Index item) {
      store_packs(s, scratch, On::of_team(team, static_cast<int>(item)), in_grid.matrix, i0, j0);
    });
  }
};

// A chunk of A, whole matrices, goes through scratch to the same chunk of B.
template <class T>
struct WholeMatrices {
  using Small = SmallMatrices<T>;
  using On = Teams<Small::warps, Small::held>;
  using Index = typename On::Index;
  static constexpr int scratch() { return scratch_bytes<T>(Small::room); }
  Places<T> s;
  Small small;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const std::uint64_t first = small.first(team.league_rank());
    const int count = small.count(first);
    T* const scratch = On::template scratch<T>(team, Small::room);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Small::threads}), [&](Index item) {
      load_chunk(small, scratch, s.a + first, On::of_team(team, static_cast<int>(item)), count);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Small::threads}), [&](Index item) {
      store_chunk(small, s.b + first, scratch, On::of_team(team, static_cast<int>(item)), count);
    });
  }
};

// Exchanges a tile with the tile on the other side of the diagonal; a tile on the diagonal has no
// partner.
template <class T>
struct InPlace {
  using On = Teams<tile_warps>;
  using Index = typename On::Index;
  static constexpr int side = tile, elements = tile * padded_pitch;
  static constexpr int scratch() { return scratch_bytes<T>(2 * elements); }
  Places<T> s;
  TileGrids pairs;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const auto in_grid = pairs.at(team.league_rank());
    const Tile at = PairGrid{ceil_div(s.nx, tile)}.at(in_grid.column, in_grid.line);
    const int i0 = at.row * tile, j0 = at.col * tile, n = s.nx;
    const bool two = i0 != j0;
    T* const a = s.row_of_a(in_grid.matrix, 0);
    T* const upper = On::template scratch<T>(team, 2 * elements);
    T* const lower = upper + elements;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      T own[rows_a_thread] = {}, other[rows_a_thread] = {};
      load(own, a, item % lanes, item / lanes, i0, j0, n, n);
      if (two) load(other, a, item % lanes, item / lanes, j0, i0, n, n);
      put_rows<padded_pitch>(upper, own, item % lanes, item / lanes);
      if (two) put_rows<padded_pitch>(lower, other, item % lanes, item / lanes);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      T own[rows_a_thread] = {}, other[rows_a_thread] = {};
      get_columns<padded_pitch>(own, two ? lower : upper, item % lanes, item / lanes);
      store(own, a, item % lanes, item / lanes, i0, j0, n, n);
      if (!two) return;
      get_columns<padded_pitch>(other, upper, item % lanes, item / lanes);
      store(other, a, item % lanes, item / lanes, j0, i0, n, n);
    });
  }
};

// The same of groups of blocks: a shape for hosts.
template <class T>
struct InPlaceOfHosts {
  using On = Teams<1>;
  static constexpr int side = group;
  Places<T> s;
  TileGrids pairs;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const auto in_grid = pairs.at(team.league_rank());
    const Tile at = PairGrid{ceil_div(s.nx, group)}.at(in_grid.column, in_grid.line);
    // One thread of the team does the work.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      exchange_groups(s, in_grid.matrix, at.row * group, at.col * group);
    });
  }
};
template <class T>
using InPlaceHere = ShapeIn<kokkos_shapes, InPlace<T>, InPlaceOfHosts<T>>;

template <class T>
using Blocked = BlockedOf<Places, T>;

// Launches a kernel on a grid of `columns` by `lines` tiles a matrix.
template <template <class> class Kernel, class T>
void launch(const char* label, const Matrices<T>& s, const Stream& stream, int columns, int lines) {
  launch_grid<Kernel<T>>(label, s, s.batch, stream, columns, lines);
}

}  // namespace

Rungs kokkos_rungs() {
  const auto copy = [](const auto& s, const Stream& on) {
    constexpr FlatShape flat = flat_shape(kokkos_shapes);
    launch<Copy>("portcost::transpose::copy", s, on, ceil_div(s.nx, flat.x),
                 ceil_div(s.ny, flat.y));
  };
  const auto naive = [](const auto& s, const Stream& on) {
    constexpr FlatShape flat = flat_shape(kokkos_shapes);
    launch<Naive>("portcost::transpose::naive", s, on, ceil_div(s.nx, flat.x),
                  ceil_div(s.ny, flat.y));
  };
  const auto coalesced_tile = [](const auto& s, const Stream& on) {
    launch<CoalescedTile>("portcost::transpose::coalesced_tile", s, on, ceil_div(s.nx, tile),
                          ceil_div(s.ny, tile));
  };
  const auto padded_tile = [](const auto& s, const Stream& on) {
    launch<PaddedTile>("portcost::transpose::padded_tile", s, on, ceil_div(s.nx, tile),
                       ceil_div(s.ny, tile));
  };
  const auto diagonal = [](const auto& s, const Stream& on) {
    launch<Diagonal>("portcost::transpose::diagonal", s, on, ceil_div(s.ny, tile),
                     ceil_div(s.nx, tile));
  };
  const auto whole_sectors = []<class T>(const Matrices<T>& s, const Stream& on) {
    launch_sectors<Places, T>("portcost::transpose::whole_sectors", s, s.batch, on);
  };
  const auto wide = [whole_sectors]<class T>(const Matrices<T>& s, const Stream& on) {
    using Shape = WideShape<T>;
    if (!Shape::fits(s.nx, s.ny)) return whole_sectors(s, on);
    using Order = typename Shape::Order;
    const int columns = ceil_div(s.nx, Shape::tile), lines = ceil_div(s.ny, Shape::tile);
    launch<Wide>("portcost::transpose::wide", s, on, Order::fast(columns, lines),
                 Order::slow(columns, lines));
  };
  const auto of_squares = []<class T>(const Matrices<T>& s, const Stream& on) {
    if (SquareShape<T>::fits(s.nx, s.ny)) return registers<true>(s, on);
    registers<false>(s, on);
  };
  const auto whole_matrices = []<class T>(const Matrices<T>& s, const Stream& on) {
    using Made = WholeMatrices<T>;
    const SmallMatrices<T> small(s);
    Kokkos::parallel_for("portcost::transpose::whole_matrices",
                         Made::On::policy(on, small.teams(), Made::scratch()), Made{s, small});
  };
  const auto in_place = []<class T>(const Matrices<T>& s, const Stream& on) {
    const PairGrid pairs{ceil_div(s.nx, InPlaceHere<T>::side)};
    launch<InPlaceHere>("portcost::transpose::in_place", s, on, pairs.columns(), pairs.lines());
    *s.answer = s.a;
  };
  const auto squares_in_place = []<class T>(const Matrices<T>& s, const Stream& on) {
    if (SquareShape<T>::fits(s.nx, s.ny)) return in_place_registers<true>(s, on);
    in_place_registers<false>(s, on);
  };
  const auto blocked = [](const auto& s, const Stream& on) {
    launch<Blocked>("portcost::transpose::blocked", s, on, ceil_div(s.ny, group),
                    ceil_div(s.nx, group));
  };
  return {
      rung(works, "naive", naive),
      host_step(works, "blocked", blocked),
      rung(works, "coalesced_tile", coalesced_tile),
      rung(works, "padded_tile", padded_tile),
      rung(works, "diagonal", diagonal),
      rung(works, "whole_sectors", whole_sectors),
      rung(works, "wide", wide),
      absent_rung("bulk_copies", "Kokkos has no name for copies to and from scratch by an engine"),
      rung(works, "registers", of_squares),
      rung(works, "whole_matrices", whole_matrices).unless(not_small),
      rung(works, "in_place", in_place).unless(not_in_place),
      rung(works, "in_place_registers", squares_in_place).unless(not_in_place),
      rung(works, "copy", copy)};
}

}  // namespace portcost::transpose
