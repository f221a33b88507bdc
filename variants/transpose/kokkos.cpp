// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants. A team works on one tile; ranges, never ranks, distribute its work, so a
// team of one thread does all of it.
#include <algorithm>

#include "variants/shared/kokkos_tiles.hpp"
#include "variants/transpose/kokkos/blocked.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/kokkos/in_place.hpp"
#include "variants/transpose/kokkos/registers.hpp"
#include "variants/transpose/kokkos/whole_matrices.hpp"
#include "variants/transpose/kokkos/whole_sectors.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

namespace {

// An item's elements of the tile at row i0 and column j0 of a matrix of rows by columns.
template <class T>
struct Own {
  T of[rows_a_thread] = {};  // 0 past the end

  KOKKOS_INLINE_FUNCTION void load(const T* from, int item, int i0, int j0, int rows, int columns) {
    const int j = j0 + item % lanes;
#pragma unroll
    for (int r = 0; r < rows_a_thread; ++r) {
      const int i = i0 + item / lanes + r * tile_warps;
      if (i < rows && j < columns) of[r] = from[times(i, columns) + static_cast<std::uint32_t>(j)];
    }
  }
  KOKKOS_INLINE_FUNCTION void store(T* to, int item, int i0, int j0, int rows, int columns) const {
    const int j = j0 + item % lanes;
#pragma unroll
    for (int r = 0; r < rows_a_thread; ++r) {
      const int i = i0 + item / lanes + r * tile_warps;
      if (i < rows && j < columns) to[times(i, columns) + static_cast<std::uint32_t>(j)] = of[r];
    }
  }
  // Stores the item's elements of rows to a tile in scratch; loads its elements of columns, which
  // are rows of the transposed tile.
  template <int pitch>
  KOKKOS_INLINE_FUNCTION void put_rows(T* scratch, int item) const {
#pragma unroll
    for (int r = 0; r < rows_a_thread; ++r) {
      scratch[(item / lanes + r * tile_warps) * pitch + item % lanes] = of[r];
    }
  }
  template <int pitch>
  KOKKOS_INLINE_FUNCTION void get_columns(const T* scratch, int item) {
#pragma unroll
    for (int r = 0; r < rows_a_thread; ++r) {
      of[r] = scratch[item % lanes * pitch + item / lanes + r * tile_warps];
    }
  }
};

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
    Own<T> own;
    own.load(s.row_of_a(m, 0), item, i0, j0, s.ny, s.nx);
    if constexpr (copied) {
      own.store(s.row_of_copy(m, 0), item, i0, j0, s.ny, s.nx);
    } else {
      const int j = j0 + item % lanes;
      if (j >= s.nx) return;
      T* const to = s.row_of_b(m, j);
#pragma unroll
      for (int r = 0; r < rows_a_thread; ++r) {
        const int i = i0 + item / lanes + r * tile_warps;
        if (i < s.ny) to[i] = own.of[r];
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
      Own<T> own;
      own.load(s.row_of_a(at.matrix, 0), item, i0, j0, s.ny, s.nx);
      own.template put_rows<pitch>(scratch, item);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      Own<T> own;
      own.template get_columns<pitch>(scratch, item);
      own.store(s.row_of_b(at.matrix, 0), item, j0, i0, s.nx, s.ny);
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
      load_packs(scratch, On::of_team(team, static_cast<int>(item)), in_grid.matrix, i0, j0);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Shape::threads}), [&](Index item) {
      store_packs(scratch, On::of_team(team, static_cast<int>(item)), in_grid.matrix, i0, j0);
    });
  }

  KOKKOS_FUNCTION void load_packs(T* scratch, int item, int m, int i0, int j0) const {
    constexpr int pack = Shape::pack;
    alignas(border) T own[Shape::blocks][pack][pack] = {};
#pragma unroll
    for (int k = 0; k < Shape::blocks; ++k) {
      const int at = item + k * Shape::threads;
      const int i = i0 + at / Shape::packs * pack, j = j0 + at % Shape::packs * pack;
#pragma unroll
      for (int r = 0; r < pack; ++r) {
        if (i < s.ny && j < s.nx) copy_pack<pack>(own[k][r], s.row_of_a(m, i + r) + j);
      }
    }
#pragma unroll
    for (int k = 0; k < Shape::blocks; ++k) {
      const int at = item + k * Shape::threads;
      const int i = at / Shape::packs * pack, j = at % Shape::packs * pack;
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        alignas(border) T column[pack];
#pragma unroll
        for (int r = 0; r < pack; ++r) column[r] = own[k][r][c];
        copy_pack<pack>(scratch + Shape::place(j + c, i), column);
      }
    }
  }
  KOKKOS_FUNCTION void store_packs(const T* scratch, int item, int m, int i0, int j0) const {
    constexpr int pack = Shape::pack;
#pragma unroll
    for (int k = 0; k < Shape::rows; ++k) {
      const int at = item + k * Shape::threads;
      const int row = at / Shape::packs, column = at % Shape::packs * pack;
      if (j0 + row < s.nx && i0 + column < s.ny) {
        copy_pack<pack>(s.row_of_b(m, j0 + row) + i0 + column, scratch + Shape::place(row, column));
      }
    }
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
      Own<T> own, other;
      own.load(a, item, i0, j0, n, n);
      if (two) other.load(a, item, j0, i0, n, n);
      own.template put_rows<padded_pitch>(upper, item);
      if (two) other.template put_rows<padded_pitch>(lower, item);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{tile_threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      Own<T> own, other;
      own.template get_columns<padded_pitch>(two ? lower : upper, item);
      own.store(a, item, i0, j0, n, n);
      if (!two) return;
      other.template get_columns<padded_pitch>(upper, item);
      other.store(a, item, j0, i0, n, n);
    });
  }
};

template <class T>
using InPlaceHere = ShapeIn<kokkos_shapes, InPlace<T>, InPlaceOfHosts<T>>;

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
