// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/scan/kokkos/book.hpp"

#include "variants/scan/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::scan {

namespace {

// 256 rows on a device and on a host, whose tiles have the same size.
constexpr int rows = static_cast<int>(shape_in(Place::device).threads());
constexpr int window = static_cast<int>(shape_in(kokkos_shapes).lanes);
template <class T>
using Numbers = book::Numbers<T, 16>;
template <class T>
using Tile = book::Tile<
    T, rows, static_cast<int>(tile_size<T, kokkos_shapes>) / rows / Numbers<T>::Plain::length, 16>;

// f(space, team size, tiles, in, out); no tiles: no launch.
template <class T, class F>
void with_tiles(const Sequence<T>& s, const Stream& on, const F& f) {
  const unsigned tiles = tiles_of<T, kokkos_shapes>(s.n);
  if (tiles == 0) return;
  f(kokkos_space(on), team_size(rows / book::lanes), tiles, Numbers<const T>(s.in, s.n),
    Numbers<T>(s.out, s.n));
}

constexpr auto reduce_then_scan = []<class T>(const Sequence<T>& s, const Stream& on) {
  with_tiles(s, on, [&](const auto& space, int team, unsigned tiles, auto in, auto out) {
    const book::Vector<T> totals(s.totals, tiles);
    if (tiles > 1) {
      book::add_tiles<Tile<T>>(space, team, in, totals);
      book::scan_totals<Tile<T>>(space, team, Numbers<T>(s.totals, tiles));
    }
    book::scan_tiles<Tile<T>>(space, team, in, out, totals);
  });
};

constexpr auto one_pass = []<class T>(const Sequence<T>& s, const Stream& on) {
  with_tiles(s, on, [&](const auto& space, int team, unsigned tiles, auto in, auto out) {
    const book::Published published{
        book::Vector<std::uint64_t>(s.states, std::size_t{tiles} * State<T>::words),
        book::Published::Counter(s.counters + ticket), book::Published::Counter(s.counters + runs)};
    book::one_pass<window, Tile<T>>(space, team, static_cast<int>(tiles), in, out, published);
  });
};

}  // namespace

Rungs kokkos_book_rungs() {
  return {rung(works, "reduce_then_scan", reduce_then_scan).written(Way::book),
          rung(works, "look_back", one_pass).written(Way::book)};
}

}  // namespace portcost::scan
