// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/options/kokkos/book.hpp"

#include "variants/options/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::options {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);

template <class Body>
void reduce(const char* label, const Stream& on, std::uint64_t teams, unsigned turns,
            std::uint64_t count, Sums* out, const Body& body) {
  book::reduce(label, kokkos_space(on), static_cast<int>(teams), team_size(shape.warps),
               static_cast<int>(shape.lanes), static_cast<int>(shape.threads()),
               static_cast<int>(turns), count, book::Vector<Sums>(out, teams), body);
}

template <class T>
void add_teams(const Simulation<T>& s, std::uint64_t teams, const Stream& on) {
  add_up(shape, s, teams, [&](const Sums* from, std::uint64_t count, Sums* to, int many) {
    reduce("options::book::add_partials", on, static_cast<std::uint64_t>(many), shape.partials,
           count, to, book::Partial{book::Vector<const Sums>(from, count)});
  });
}

constexpr auto one_path = []<class T>(const Simulation<T>& s, const Stream& on) {
  const std::uint64_t teams = teams_of_paths(shape, s.paths);
  with_math<kokkos_shapes>(s, [&](auto fast) {
    reduce("options::book::one_path", on, teams, shape.paths, s.paths, s.partials[0],
           book::Path<decltype(fast)::value, T>{s.terms});
  });
  add_teams(s, teams, on);
};

constexpr auto many_paths = []<class T>(const Simulation<T>& s, const Stream& on) {
  const std::uint64_t teams = teams_of_groups<T>(kokkos_shapes, s.paths, s.processors);
  with_math<kokkos_shapes>(s, [&](auto fast) {
    reduce("options::book::many_paths", on, teams, 0, groups_of<T>(s.paths), s.partials[0],
           book::Group<decltype(fast)::value, T>{s.terms, s.paths});
  });
  add_teams(s, teams, on);
};

}  // namespace

Rungs kokkos_book_rungs() {
  const auto row = [](std::string_view step, const auto& f) {
    return rung(works, step, f).unless(no_fast_functions<kokkos_shapes>).written(Way::book);
  };
  return {row("one_path", one_path), row("many_paths", many_paths)};
}

}  // namespace portcost::options
