// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/transpose/kokkos/book.hpp"

#include "variants/shared/kokkos_space.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

namespace {

constexpr bool device = kokkos_shapes == Place::device;
constexpr FlatShape shape = flat_shape(kokkos_shapes);
constexpr int count = device ? rows_a_thread : 1;

// The arguments of a kernel: the matrices, the transposed matrices and the target of a copy.
template <class T>
struct Given {
  explicit Given(const Matrices<T>& s)
      : size{s.batch, s.ny, s.nx},
        a(s.a, matrices(s), rows(s), columns(s)),
        b(s.b, matrices(s), columns(s), rows(s)),
        copy(s.b, matrices(s), rows(s), columns(s)) {}
  book::Size size;
  book::Batch<T> a, b, copy;

 private:
  static std::size_t matrices(const Matrices<T>& s) { return static_cast<std::size_t>(s.batch); }
  static std::size_t rows(const Matrices<T>& s) { return static_cast<std::size_t>(s.ny); }
  static std::size_t columns(const Matrices<T>& s) { return static_cast<std::size_t>(s.nx); }
};

template <class T>
using ConstBatch = book::Batch<const T>;
template <class T>
book::Batch<book::Pack<T>> packs_of(const book::Batch<T>& all) {
  using Pack = book::Pack<T>;
  return book::Batch<Pack>(reinterpret_cast<Pack*>(all.data()), all.extent(0), all.extent(1),
                           all.extent(2) / Pack::length);
}
template <class T, class View>
book::Line<T> line_of(const View& all) {
  return book::Line<T>(all.data(), all.size());
}

template <class F>
Rung step(std::string_view name, const F& f) {
  return rung(works, name,
              [=]<class T>(const Matrices<T>& s, const Stream& on) {
                f(kokkos_space(on), Given<T>(s));
              })
      .written(Way::book);
}
// As step, but the answer is in `a`.
template <class F>
Rung step_in_place(std::string_view name, const F& f) {
  return rung(works, name,
              [=]<class T>(const Matrices<T>& s, const Stream& on) {
                f(kokkos_space(on), Given<T>(s));
                *s.answer = s.a;
              })
      .written(Way::book)
      .unless(not_in_place);
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto naive = []<class T>(const book::Space& space, const Given<T>& s) {
    book::flat<false, shape.x, shape.y, count, T>(space, team_size(8), s.a, s.b, s.size);
  };
  const auto copy = []<class T>(const book::Space& space, const Given<T>& s) {
    book::flat<true, shape.x, shape.y, count, T>(space, team_size(8), s.a, s.copy, s.size);
  };
  const auto coalesced_tile = []<class T>(const book::Space& space, const Given<T>& s) {
    book::tiled<bare_pitch, false, T>(space, team_size(8), s.a, s.b, s.size);
  };
  const auto padded_tile = []<class T>(const book::Space& space, const Given<T>& s) {
    book::tiled<padded_pitch, false, T>(space, team_size(8), s.a, s.b, s.size);
  };
  const auto diagonal = []<class T>(const book::Space& space, const Given<T>& s) {
    book::tiled<padded_pitch, true, T>(space, team_size(8), s.a, s.b, s.size);
  };
  const auto whole_sectors = []<class T>(const book::Space& space, const Given<T>& s) {
    book::whole_sectors<T, scratch_level, true>(space, team_size(8), ConstBatch<T>(s.a), s.b,
                                                s.size, 0, SectorShape<T>::most_past(s.size.rows));
  };
  const auto wide = [=]<class T>(const book::Space& space, const Given<T>& s) {
    if (!WideShape<T>::fits(s.size.columns, s.size.rows)) return whole_sectors(space, s);
    book::wide<T>(space, team_size(16), packs_of(s.a), packs_of(s.b), s.size);
  };
  const auto registers = []<class T>(const book::Space& space, const Given<T>& s) {
    if (SquareShape<T>::fits(s.size.columns, s.size.rows)) {
      book::registers<T>(space, packs_of(s.a), packs_of(s.b), s.size);
    } else {
      book::registers_of_elements<T>(space, s.a, s.b, s.size);
    }
  };
  const auto whole_matrices = []<class T>(const book::Space& space, const Given<T>& s) {
    book::whole_matrices<T>(space, team_size(8), line_of<const T>(s.a), line_of<T>(s.b), s.size);
  };
  const auto in_place = []<class T>(const book::Space& space, const Given<T>& s) {
    if constexpr (device) {
      book::in_place(space, team_size(8), s.a, s.size);
    } else {
      book::in_place_blocked(space, team_size(8), s.a, s.size);
    }
  };
  const auto in_place_registers = []<class T>(const book::Space& space, const Given<T>& s) {
    if (SquareShape<T>::fits(s.size.columns, s.size.rows)) {
      book::in_place_registers<T>(space, packs_of(s.a), s.size);
    } else {
      book::in_place_registers_of_elements<T>(space, s.a, s.size);
    }
  };
  Rungs result{step("naive", naive),
               step("coalesced_tile", coalesced_tile),
               step("padded_tile", padded_tile),
               step("diagonal", diagonal),
               step("whole_sectors", whole_sectors),
               step("wide", wide),
               step("registers", registers),
               step("whole_matrices", whole_matrices).unless(not_small),
               step_in_place("in_place", in_place),
               step_in_place("in_place_registers", in_place_registers),
               step("copy", copy)};
  if constexpr (kokkos_on_host) {
    const auto blocked = []<class T>(const book::Space& space, const Given<T>& s) {
      book::blocked<T>(space, team_size(8), s.a, s.b, s.size);
    };
    result.insert(result.begin() + 1, step("blocked", blocked));
  }
  return result;
}

}  // namespace portcost::transpose
