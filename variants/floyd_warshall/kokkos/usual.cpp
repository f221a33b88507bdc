// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 3): for
// each vertex a range over all elements, without tiles or scratch. Each form stands beside the same
// form with its documented options set.
#include <cstdint>
#include <string_view>

#include "variants/floyd_warshall/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::floyd_warshall {

namespace {

using Space = KokkosSpace;

// The matrix as a View whose rows are contiguous, as the tutorials' own arrays are in C.
template <class T>
struct Matrix {
  template <class Element>
  using View = Kokkos::View<Element**, Kokkos::LayoutRight, Space::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  explicit Matrix(const Graph<T>& g)
      : a(g.a, g.pitch, g.pitch), next(g.next, g.pitch, g.pitch), negative(g.negative), n(g.n) {}

  KOKKOS_FUNCTION void relax(int k, int i, int j) const {
    if (a(k, k) < 0) {
      if (i == k && j == k && *negative < 0) *negative = k;
      return;
    }
    T known = a(i, j);
    if (!relaxes(known, a(i, k), a(k, j))) return;
    a(i, j) = known;
    if (next.data() != nullptr) next(i, j) = next(i, k);
  }

  View<T> a;
  View<int> next;
  int* negative;
  int n;
};

template <class T, int first, int second>
void md_range(const Graph<T>& g, const Stream& stream, PolicyTile<first, second>) {
  using Policy =
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  using Point = typename Policy::point_type;
  const Matrix<T> m(g);
  const Point end{g.n, g.n};
  for (int k = 0; k < g.n; ++k) {
    Kokkos::parallel_for(
        "portcost::floyd_warshall::usual",
        first == 0 ? Policy(kokkos_space(stream), Point{0, 0}, end)
                   : Policy(kokkos_space(stream), Point{0, 0}, end, {first, second}),
        KOKKOS_LAMBDA(const int i, const int j) { m.relax(k, i, j); });
  }
}

// One index for all elements, row by row.
template <class Index, class T>
void range(const Graph<T>& g, const Stream& stream) {
  const Matrix<T> m(g);
  const auto n = static_cast<Index>(g.n);
  for (int k = 0; k < g.n; ++k) {
    Kokkos::parallel_for(
        "portcost::floyd_warshall::usual", RangeOf<Index>(kokkos_space(stream), 0, n * n),
        KOKKOS_LAMBDA(const Index at) {
          m.relax(k, static_cast<int>(at / n), static_cast<int>(at % n));
        });
  }
}

// A row a team, with the team size that Kokkos chooses.
template <class T>
void teams(const Graph<T>& g, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Matrix<T> m(g);
  for (int k = 0; k < g.n; ++k) {
    Kokkos::parallel_for(
        "portcost::floyd_warshall::usual", Policy(kokkos_space(stream), g.n, Kokkos::AUTO),
        KOKKOS_LAMBDA(const typename Policy::member_type& team) {
          const int i = team.league_rank();
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m.n),
                               [&](const int j) { m.relax(k, i, j); });
        });
  }
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive_2d", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& g, const Stream& on) { md_range(g, on, OwnTile()); }),
      usual(GoodTileOfRows::dial,
            [](const auto& g, const Stream& on) { md_range(g, on, GoodTileOfRows()); }),
      usual("policy=range", [](const auto& g, const Stream& on) { range<std::int64_t>(g, on); }),
      usual("policy=range,index=int32", [](const auto& g, const Stream& on) { range<int>(g, on); })
          .unless([](const Problem& p) { return no_int32(p.size.at("n") * p.size.at("n")); }),
      usual("policy=team", [](const auto& g, const Stream& on) { teams(g, on); }),
  };
}

}  // namespace portcost::floyd_warshall
