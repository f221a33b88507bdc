// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/histogram/kokkos/book.hpp"

#include "variants/histogram/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::histogram {

namespace {

using book::Copies;

constexpr bool device = kokkos_shapes == Place::device;
constexpr Shape plain = plain_shape(kokkos_shapes), wide = wide_shape(kokkos_shapes);
constexpr int plain_threads = plain.threads(), wide_threads = wide.threads();
static_assert(book::loads == wide.loads && book::loads == private_shape.loads);

book::Keys keys_of(const Keys& s) {
  return {book::Line<const unsigned>(s.in, s.n),
          book::Line<const book::Pack>(reinterpret_cast<const book::Pack*>(s.in),
                                       s.n / book::Pack::length)};
}
book::Line<unsigned> counts_of(const Keys& s) { return book::Line<unsigned>(s.out, s.bins); }

template <Split split, Copies whose, class Layout>
void in_copies(const Keys& s, const Stream& on) {
  with_bins(s.bins, [&](auto bins) {
    constexpr int kept = copies<split, bins.value, kokkos_shapes>;
    book::in_copies<whose, Layout, scratch_level, wide_threads, kept, bins.value>(
        kokkos_space(on), static_cast<int>(plan(s, wide).teams), team_size(8), keys_of(s),
        counts_of(s));
  });
}
void lane_striped(const Keys& s, const Stream& on) {
  in_copies<Split::lane, device ? Copies::of_lanes : Copies::of_positions, Kokkos::LayoutLeft>(s,
                                                                                               on);
}

template <class F>
Rung step(std::string_view name, const F& f) {
  return rung(works, name, f).written(Way::book);
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto global_atomics = [](const Keys& s, const Stream& on) {
    book::global_atomics<plain_threads>(kokkos_space(on), static_cast<int>(plain_teams(s, plain)),
                                        team_size(8), keys_of(s), counts_of(s));
  };
  const auto scratch_atomics = [](const Keys& s, const Stream& on) {
    with_bins(s.bins, [&](auto bins) {
      book::scratch_atomics<plain_threads, bins.value>(kokkos_space(on),
                                                       static_cast<int>(plain_teams(s, plain)),
                                                       team_size(8), keys_of(s), counts_of(s));
    });
  };
  const auto wide_loads = [](const Keys& s, const Stream& on) {
    in_copies<Split::team, Copies::of_team, Kokkos::LayoutRight>(s, on);
  };
  const auto warp_private = [](const Keys& s, const Stream& on) {
    constexpr Copies whose = device ? Copies::of_warps : Copies::of_positions;
    in_copies<Split::warp, whose, Kokkos::LayoutRight>(s, on);
  };
  const auto lane_private = [](const Keys& s, const Stream& on) {
    with_bins(s.bins, [&](auto bins) {
      if constexpr (Columns<bins.value>::fit) {
        book::lane_private<scratch_level, bins.value>(
            kokkos_space(on), static_cast<int>(plan(s, private_shape).teams), team_size(4),
            keys_of(s), counts_of(s));
      } else {
        lane_striped(s, on);
      }
    });
  };
  return {step("global_atomics", global_atomics), step("scratch_atomics", scratch_atomics),
          step("wide_loads", wide_loads),         step("warp_private", warp_private),
          step("lane_striped", lane_striped),     step("lane_private", lane_private)};
}

}  // namespace portcost::histogram
