// SPDX-License-Identifier: Apache-2.0
// Portable variants. A team's elements are shared out by ranges, never by rank, so a team of one
// thread does them all.
#include "variants/shared/kokkos_team.hpp"
#include "variants/strides/kokkos/shapes.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

using Shape = ShapeIn<kokkos_shapes, DeviceShape, HostShape>;

template <Side side, class T, Way way>
struct Strided {
  using On = Teams<way, warps>;
  Copies<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    Shape::template copy_stretch<On, side>(team, s, team.league_rank() * Shape::stretch);
  }
};

template <bool padded, class T, Way way>
struct Rows {
  using On = Teams<way, warps>;
  Copies<T> s;
  TileGrid<way> tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int line = tiles.row(team.league_rank());
    const int column = tiles.column(team.league_rank(), line) * Shape::tile.columns;
    Shape::template copy_tile<On, padded>(team, s, line * Shape::tile.rows, column);
  }
};

template <Side side, Way way, class T>
void strided(const char* label, const Copies<T>& s, const Stream& stream) {
  using Made = Strided<side, T, way>;
  Kokkos::parallel_for(label, Made::On::policy(stream, ceil_div(s.n, int{Shape::stretch})),
                       Made{s});
}

template <bool padded, Way way, class T>
void rows(const char* label, const Copies<T>& s, const Stream& stream) {
  using Made = Rows<padded, T, way>;
  const TileGrid<way> tiles(ceil_div(s.columns, int{Shape::tile.columns}),
                            ceil_div(s.rows, int{Shape::tile.rows}));
  Kokkos::parallel_for(label, Made::On::policy(stream, tiles), Made{s, tiles});
}

// The same steps, of which some problems have none.
Rungs of_rows(Rungs steps) {
  for (Rung& one : steps) one.unfit = no_rows;
  return steps;
}

}  // namespace

Rungs kokkos_rungs() {
  return joined(
      {team_step(works, "reads",
                 [](auto way, const auto& s, const Stream& on) {
                   strided<Side::reads, way.value>("portcost::strides::reads", s, on);
                 }),
       team_step(works, "writes",
                 [](auto way, const auto& s, const Stream& on) {
                   strided<Side::writes, way.value>("portcost::strides::writes", s, on);
                 }),
       team_step(works, "both",
                 [](auto way, const auto& s, const Stream& on) {
                   strided<Side::both, way.value>("portcost::strides::both", s, on);
                 }),
       of_rows(team_step(works, "packed_rows",
                         [](auto way, const auto& s, const Stream& on) {
                           rows<false, way.value>("portcost::strides::packed_rows", s, on);
                         })),
       of_rows(team_step(works, "padded_rows", [](auto way, const auto& s, const Stream& on) {
         rows<true, way.value>("portcost::strides::padded_rows", s, on);
       }))});
}

}  // namespace portcost::strides
