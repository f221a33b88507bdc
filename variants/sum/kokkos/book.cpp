// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp.
#include "variants/sum/kokkos/book.hpp"

#include "variants/shared/kokkos_space.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

static_assert(threads == book::threads);
constexpr WideShape shape = wide_shape(kokkos_shapes);
constexpr int items = static_cast<int>(shape.threads()), lanes_here = static_cast<int>(shape.lanes);

template <class T>
auto numbers_of(const Launched<T>& s) {
  return book::Vector<const T>(s.in, s.count);
}
template <class T>
auto sums_of(const Launched<T>& s, int teams) {
  return book::Vector<T>(s.out, static_cast<std::size_t>(teams));
}
template <class T>
auto packs_of(const T* in, std::uint64_t n) {
  using Pack = book::Pack<T, shape.bytes>;
  return book::Vector<const Pack>(reinterpret_cast<const Pack*>(in), n / Pack::length);
}

// A step of trees, launched until one value is left. f(space, teams, in, out).
template <class F>
Rung tree(std::string_view name, unsigned numbers, const F& f) {
  return rung(works, name,
              [=](const auto& s, const Stream& on) {
                launch_until_one(
                    s, [=](std::uint64_t count) { return ceil_div(count, numbers * threads); },
                    [&](const auto& launched, int teams) {
                      f(kokkos_space(on), teams, numbers_of(launched), sums_of(launched, teams));
                    });
              })
      .written(Way::book);
}

template <class T>
Plan plan_of(std::uint64_t n, int processors) {
  return plan<T, kokkos_shapes>(n, processors);
}

constexpr auto wide_loads = []<class T>(const Numbers<T>& s, const Stream& on) {
  launch_until_one(
      s, [&](std::uint64_t count) { return plan_of<T>(count, s.processors).teams; },
      [&](const Launched<T>& one, int teams) {
        const int rows = static_cast<int>(plan_of<T>(one.count, s.processors).rows);
        book::wide_loads<items>(kokkos_space(on), teams, team_size(shape.warps), lanes_here, rows,
                                numbers_of(one), packs_of(one.in, one.count), sums_of(one, teams));
      });
};

constexpr auto single_pass = []<class T>(const Numbers<T>& s, const Stream& on) {
  const Plan p = plan_of<T>(s.n, s.processors);
  const int teams = static_cast<int>(p.teams), rows = static_cast<int>(p.rows);
  if (teams == 1) return wide_loads(s, on);  // which then is one launch, without a ticket
  book::single_pass<items>(kokkos_space(on), teams, team_size(shape.warps), lanes_here, rows,
                           book::Vector<const T>(s.in, s.n), packs_of(s.in, s.n),
                           book::Vector<T>(s.partials[0], static_cast<std::size_t>(teams)),
                           book::Scalar<unsigned>(s.arrived), book::Scalar<T>(s.out));
};

template <End end, class T>
void one_total(const Numbers<T>& s, const Stream& on) {
  const Plan p = plan_of<T>(s.n, s.processors);
  book::wide_loads<items, end>(kokkos_space(on), static_cast<int>(p.teams), team_size(shape.warps),
                               lanes_here, static_cast<int>(p.rows),
                               book::Vector<const T>(s.in, s.n), packs_of(s.in, s.n),
                               book::Vector<T>(s.out, 1), book::Scalar<unsigned>(s.arrived));
}

constexpr auto stretches = []<class T>(const Numbers<T>& s, const Stream& on) {
  book::stretches<T>(kokkos_space(on), team_size(32), stretch_of(s.n),
                     book::Vector<const T>(s.in, s.n), book::Scalar<T>(s.out));
};

template <unsigned numbers, class Tree>
Rung tree_of(std::string_view name, const char* label) {
  return tree(name, numbers, [label](const auto& space, int teams, auto in, auto out) {
    book::launch_tree<numbers>(label, space, teams, team_size(threads), in, out, Tree());
  });
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto atomic = [](const auto& s, const Stream& on) { one_total<End::atomic>(s, on); };
  const auto under_lock = [](const auto& s, const Stream& on) { one_total<End::lock>(s, on); };
  Rungs result{tree_of<one_number, book::Interleaved>("interleaved", "sum::book::interleaved"),
               tree_of<one_number, book::Strided>("strided", "sum::book::strided"),
               tree_of<one_number, book::Sequential>("sequential", "sum::book::sequential"),
               tree_of<two_numbers, book::Sequential>("first_add", "sum::book::first_add"),
               tree("warp_finish", four_numbers,
                    [](const auto& space, int teams, auto in, auto out) {
                      book::warp_finish(space, teams, team_size(warps), in, out);
                    }),
               rung(works, "wide_loads", wide_loads).written(Way::book),
               rung(works, "atomic_blocks", atomic).written(Way::book),
               rung(works, "locked_blocks", under_lock).written(Way::book),
               rung(works, "single_pass", single_pass).written(Way::book)};
  if constexpr (kokkos_on_host) {
    result.insert(result.begin(), rung(works, "stretches", stretches).written(Way::book));
  }
  return result;
}

}  // namespace portcost::sum
