// SPDX-License-Identifier: Apache-2.0
// Portable variants. A team's elements are shared out by ranges, never by rank, so a team of one
// thread does them all.
#include "variants/kokkos_team.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

constexpr bool one_thread = kokkos_shapes == Place::host;

template <Side side, class T, Way way>
struct Strided {
  using On = Teams<way, warps>;
  using Index = typename On::Index;
  Copies<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int first = team.league_rank() * stretch(kokkos_shapes);
    if constexpr (one_thread) {
      // One thread's work, if the team has more of them.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) { vectors(team, first); });
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}),
                           [&](Index item) { elements(first + static_cast<int>(item)); });
    }
  }

  // From one stride to another, each known to be 1 where it is.
  KOKKOS_FUNCTION void vectors(const typename On::Member& team, int first) const {
    const T* const from = s.a + source<side>(s, first);
    T* const to = s.b + target<side>(s, first);
    const std::int64_t from_apart = side == Side::writes ? 1 : s.stride;
    const std::int64_t to_apart = side == Side::reads ? 1 : s.stride;
    Kokkos::parallel_for(
        Kokkos::ThreadVectorRange(team, compat::min(s.n - first, stretch(kokkos_shapes))),
        [&](int i) { to[i * to_apart] = from[i * from_apart]; });
  }

  KOKKOS_FUNCTION void elements(int first) const {
    T own[loads] = {};
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int i = first + k * threads;
      if (i < s.n) own[k] = s.a[source<side>(s, i)];
    }
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int i = first + k * threads;
      if (i < s.n) s.b[target<side>(s, i)] = own[k];
    }
  }
};

template <bool padded, class T, Way way>
struct Rows {
  static constexpr TileShape shape = tile_shape(kokkos_shapes);
  using On = Teams<way, warps>;
  using Index = typename On::Index;
  Copies<T> s;
  TileGrid<way> tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int line = tiles.row(team.league_rank());
    const int column = tiles.column(team.league_rank(), line) * shape.columns;
    const int row = line * shape.rows;
    if constexpr (one_thread) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                           [&](int) { vectors(team, row, column); });
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index index) {
        const int item = static_cast<int>(index);
        elements(row + item / lanes, column + item % lanes);
      });
    }
  }

  KOKKOS_FUNCTION void vectors(const typename On::Member& team, int row, int column) const {
    const T* const from = s.a + row_of<padded>(s, row);
    T* const to = s.b + row_of<padded>(s, row);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(
                             team, column, compat::min(s.columns, column + int{shape.columns})),
                         [&](int c) { to[c] = from[c]; });
  }

  KOKKOS_FUNCTION void elements(int first, int column) const {
    T own[loads] = {};
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int r = first + k * warps;
      if (r < s.rows && column < s.columns) own[k] = s.a[row_of<padded>(s, r) + column];
    }
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int r = first + k * warps;
      if (r < s.rows && column < s.columns) s.b[row_of<padded>(s, r) + column] = own[k];
    }
  }
};

template <Side side, Way way, class T>
void strided(const char* label, const Copies<T>& s, const Stream& stream) {
  using Made = Strided<side, T, way>;
  Kokkos::parallel_for(label, Made::On::policy(stream, ceil_div(s.n, stretch(kokkos_shapes))),
                       Made{s});
}

template <bool padded, Way way, class T>
void rows(const char* label, const Copies<T>& s, const Stream& stream) {
  using Made = Rows<padded, T, way>;
  const TileGrid<way> tiles(ceil_div(s.columns, int{Made::shape.columns}),
                            ceil_div(s.rows, int{Made::shape.rows}));
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
