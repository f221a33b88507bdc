// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants. A team's elements are shared out by ranges, never by rank, so a team of
// one thread does them all.
#include "variants/shared/kokkos_team.hpp"
#include "variants/strides/kokkos/shapes.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

using Shape = ShapeIn<kokkos_shapes, DeviceShape, HostShape>;

template <Side side, class T>
struct Strided {
  using On = Teams<warps>;
  Copies<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    Shape::template copy_stretch<On, side>(team, s, team.league_rank() * Shape::stretch);
  }
};

template <bool padded, class T>
struct Rows {
  using On = Teams<warps>;
  Copies<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int line = tiles.row(team.league_rank());
    const int column = tiles.column(team.league_rank(), line) * Shape::tile.columns;
    Shape::template copy_tile<On, padded>(team, s, line * Shape::tile.rows, column);
  }
};

template <Side side, class T>
void strided(const char* label, const Copies<T>& s, const Stream& stream) {
  using Made = Strided<side, T>;
  Kokkos::parallel_for(label, Made::On::policy(stream, ceil_div(s.n, int{Shape::stretch})),
                       Made{s});
}

template <bool padded, class T>
void rows(const char* label, const Copies<T>& s, const Stream& stream) {
  using Made = Rows<padded, T>;
  const TileGrid tiles(ceil_div(s.columns, int{Shape::tile.columns}),
                       ceil_div(s.rows, int{Shape::tile.rows}));
  Kokkos::parallel_for(label, Made::On::policy(stream, tiles), Made{s, tiles});
}

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "reads",
               [](const auto& s, const Stream& on) {
                 strided<Side::reads>("portcost::strides::reads", s, on);
               }),
          rung(works, "writes",
               [](const auto& s, const Stream& on) {
                 strided<Side::writes>("portcost::strides::writes", s, on);
               }),
          rung(works, "both",
               [](const auto& s, const Stream& on) {
                 strided<Side::both>("portcost::strides::both", s, on);
               }),
          rung(works, "packed_rows",
               [](const auto& s, const Stream& on) {
                 rows<false>("portcost::strides::packed_rows", s, on);
               })
              .unless(no_rows),
          rung(works, "padded_rows", [](const auto& s, const Stream& on) {
            rows<true>("portcost::strides::padded_rows", s, on);
          }).unless(no_rows)};
}

}  // namespace portcost::strides
