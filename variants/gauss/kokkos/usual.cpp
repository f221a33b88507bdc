// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 3): for
// each column a range over all elements right of and below its pivot, without tiles or scratch.
// Each form stands beside the same form with its documented options set.
#include <cstdint>

#include "variants/gauss/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::gauss {

namespace {

using Space = KokkosSpace;

// The equations as a View whose rows are contiguous, as the tutorials' own arrays are in C.
template <class T>
struct Matrix {
  using View = Kokkos::View<T**, Kokkos::LayoutRight, Space::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  explicit Matrix(const System<T>& s) : a(s.a, s.n, s.pitch), all(s) {}

  KOKKOS_FUNCTION bool goes_on(int k) const {
    return *all.bad_pivot < 0 && !all.refuses(k, a(k, k));
  }
  KOKKOS_FUNCTION void take(int k, int i, int j) const {
    if (!goes_on(k)) return;
    a(i, j) = eliminate(a(i, j), multiplier(a(i, k), a(k, k)), a(k, j));
  }

  View a;
  System<T> all;
};

// Stores column k in bad_pivot if its pivot is refused: a range of one index.
template <class T>
void check_pivot(const Matrix<T>& m, int k, const Stream& stream) {
  Kokkos::parallel_for(
      "portcost::gauss::usual", Kokkos::RangePolicy<Space>(kokkos_space(stream), k, k + 1),
      KOKKOS_LAMBDA(const int at) {
        if (*m.all.bad_pivot < 0 && m.all.refuses(at, m.a(at, at))) *m.all.bad_pivot = at;
      });
}

// Divides the elements below the diagonal by their pivots: a row an index.
template <class T>
void divide(const Matrix<T>& m, const Stream& stream) {
  Kokkos::parallel_for(
      "portcost::gauss::usual", Kokkos::RangePolicy<Space>(kokkos_space(stream), 0, m.all.n),
      KOKKOS_LAMBDA(const int i) {
        if (*m.all.bad_pivot >= 0) return;
        for (int j = 0; j < i; ++j) m.a(i, j) = multiplier(m.a(i, j), m.a(j, j));
      });
}

template <class T, class Step>
void columns(const System<T>& s, const Stream& stream, const Step& step) {
  const Matrix<T> m(s);
  for (int k = 0; k < s.n; ++k) {
    check_pivot(m, k, stream);
    if (k + 1 < s.n) step(m, k);
  }
  divide(m, stream);
}

template <class T, int first, int second>
void md_range(const System<T>& s, const Stream& stream, PolicyTile<first, second>) {
  using Policy =
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  using Point = typename Policy::point_type;
  columns(s, stream, [&](const Matrix<T>& m, int k) {
    const Point begin{k + 1, k + 1}, end{s.n, s.n + 1};
    Kokkos::parallel_for(
        "portcost::gauss::usual",
        first == 0 ? Policy(kokkos_space(stream), begin, end)
                   : Policy(kokkos_space(stream), begin, end, {first, second}),
        KOKKOS_LAMBDA(const int i, const int j) { m.take(k, i, j); });
  });
}

// One index for all elements, row by row.
template <class Index, class T>
void range(const System<T>& s, const Stream& stream) {
  columns(s, stream, [&](const Matrix<T>& m, int k) {
    const Index wide = s.n - k, high = s.n - 1 - k;
    Kokkos::parallel_for(
        "portcost::gauss::usual", RangeOf<Index>(kokkos_space(stream), 0, high * wide),
        KOKKOS_LAMBDA(const Index at) {
          m.take(k, k + 1 + static_cast<int>(at / wide), k + 1 + static_cast<int>(at % wide));
        });
  });
}

// A row a team, with the team size that Kokkos chooses.
template <class T>
void teams(const System<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  columns(s, stream, [&](const Matrix<T>& m, int k) {
    Kokkos::parallel_for(
        "portcost::gauss::usual", Policy(kokkos_space(stream), s.n - 1 - k, Kokkos::AUTO),
        KOKKOS_LAMBDA(const typename Policy::member_type& team) {
          if (!m.goes_on(k)) return;
          const int i = k + 1 + team.league_rank();
          const T factor = multiplier(m.a(i, k), m.a(k, k));
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, m.all.n + 1), [&](const int j) {
            m.a(i, j) = eliminate(m.a(i, j), factor, m.a(k, j));
          });
        });
  });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "naive", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { md_range(s, on, OwnTile()); }),
      usual(GoodTileOfRows::dial,
            [](const auto& s, const Stream& on) { md_range(s, on, GoodTileOfRows()); }),
      usual("policy=range", [](const auto& s, const Stream& on) { range<std::int64_t>(s, on); }),
      usual("policy=range,index=int32", [](const auto& s, const Stream& on) { range<int>(s, on); })
          .unless([](const Problem& p) { return no_int32(p.size.at("n") * p.size.at("n")); }),
      usual("policy=team", [](const auto& s, const Stream& on) { teams(s, on); }),
  };
}

}  // namespace portcost::gauss
