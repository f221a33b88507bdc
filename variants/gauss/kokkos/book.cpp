// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp, in the order of rounds of problem.hpp.
#include "variants/gauss/kokkos/book.hpp"

#include "variants/gauss/kokkos/rounds_ahead.hpp"
#include "variants/gauss/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::gauss {

namespace {

constexpr bool device_shapes = kokkos_shapes == Place::device;

template <class Given>
auto system_of(const Given& s) {
  using T = std::remove_pointer_t<decltype(s.a)>;
  const std::size_t rows = static_cast<std::size_t>(rows_of(s)), pitch = s.pitch;
  using Pair = book::PackOf<T, 2>;
  using Pack = book::Pack<T>;
  return book::System<T>{book::Matrix<T>(s.a, rows, pitch),
                         book::Matrix<Pair>(reinterpret_cast<Pair*>(s.a), rows, pitch / 2),
                         book::Matrix<Pack>(reinterpret_cast<Pack*>(s.a), rows, pitch / 4),
                         Kokkos::View<int, KokkosSpace, book::Unmanaged>(s.bad_pivot),
                         s.n,
                         s.tiny};
}

// Calls f(the harness's work, the same in Views, space).
template <class F, class Given = std::remove_const_t<decltype(works)>>
Rung step(std::string_view name, const F& f, Given given = works) {
  return rung(given, name,
              [f](const auto& s, const Stream& on) { f(s, system_of(s), kokkos_space(on)); })
      .written(Way::book);
}

// The book's tiling of a shape of problem.hpp.
template <class Shape>
using TilingOf = book::Tiling<Shape::tile, Shape::slice, Shape::teams>;
template <class Tiles, class T>
using FactorisePivot = book::FactorisePivot<Tiles, T, Columns>;
template <int tile, class T>
using SolveCross = book::SolveCross<tile, T, Region>;
template <class Tiles, class T>
using Product = book::Product<Tiles, T, Region>;

template <class T>
void panel(const auto& given, const book::System<T>& s, const KokkosSpace& space) {
  using Panel = TilingOf<PanelShape<T>>;
  using Factorise = FactorisePivot<Panel, T>;
  using Solve = SolveCross<panel_tile, T>;
  using Update = Product<Panel, T>;
  const auto launch = [&](const auto& kernel, int threads) {
    Kokkos::parallel_for("gauss::book::panel", kernel.policy(space, team_size(threads)), kernel);
  };
  rounds(
      given, panel_tile, panel_tile,
      [&](int k, Columns) {
        launch(Factorise{s, k, {}, false}, Panel::threads);
      },
      [&](int k, const Region& region) {
        launch(Solve{s, region, k}, Solve::threads);
      },
      [&](const Region& region) {
        launch(Update{s, region}, Panel::threads);
      });
}

template <class T>
class BookLaunches {
 public:
  BookLaunches(const System<T>& s, const Stream& stream, const char* label)
      : s_(system_of(s)), stream_(stream), label_(label) {}

  template <class Node>
  Node factorise(const Node& after, int k) const {
    using Panel = TilingOf<PanelShape<T>>;
    return launch(after, FactorisePivot<Panel, T>{s_, k, {}, false}, Panel::threads);
  }
  template <class Node>
  Node factorise_narrow(const Node& after, int k, Columns before) const {
    using Narrow = TilingOf<NarrowShape>;
    return launch(after, FactorisePivot<Narrow, T>{s_, k, before, before.end > before.first},
                  Narrow::threads);
  }
  template <int tile, class Node>
  Node solve(const Node& after, int k) const {
    using Solve = SolveCross<tile, T>;
    const Tiles tiles(s_.n, tile);
    const Region cross = tiles.cross(k, tiles.of(k));
    return cross.count() == 0 ? after : launch(after, Solve{s_, cross, k}, Solve::threads);
  }
  template <class Shape, class Node>
  Node take(const Node& after, const Region& region) const {
    using Shared = TilingOf<Shape>;
    if (region.count() == 0) return after;
    return launch(after, Product<Shared, T>{s_, region}, Shared::threads);
  }
  int wave() const { return wave_of<T>(processors(stream_.place())); }

 private:
  template <class Node, class Kernel>
  Node launch(const Node& after, const Kernel& kernel, int threads) const {
    return after.then_parallel_for(label_, kernel.policy(kokkos_space(stream_), team_size(threads)),
                                   kernel);
  }

  book::System<T> s_;
  const Stream& stream_;
  const char* label_;
};

// A graph that f(work, launches, root node) builds.
template <class F>
Rung ahead(std::string_view name, const char* label, const F& f) {
  return rung(works, name,
              [=]<class T>(const System<T>& s, const Stream& on) {
                return as_graph(
                    on, [&](const GraphNode& root) { f(s, BookLaunches<T>(s, on, label), root); });
              })
      .written(Way::book);
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto naive = [](const auto&, const auto& s, const KokkosSpace& space) {
    if constexpr (device_shapes) {
      book::naive(space, team_size(naive_warps), s);
    } else {
      book::naive_rows(space, team_size(1), s);
    }
  };
  const auto block_r1 = [](const auto& given, const auto& s, const KokkosSpace& space) {
    const auto launch = [&](int k, const Region& region) {
      if constexpr (device_shapes) {
        book::block_r1(space, team_size(flat_warps), s, region, k);
      } else {
        book::block_rows(space, team_size(1), scratch_level, s, region, k);
      }
    };
    rounds(
        given, flat_tile, given.r1, [&](int k, Columns columns) { launch(k, alone(k, columns)); },
        launch, [&](const Region& region) { launch(-1, region); });
  };
  const auto panel_step = [](const auto& given, const auto& s, const KokkosSpace& space) {
    if constexpr (device_shapes) {
      panel(given, s, space);
    } else {
      const auto launch = [&](int k, const Region& region) {
        book::panel_strips(space, team_size(1), s, region, k);
      };
      rounds(
          given, panel_tile, panel_tile,
          [&](int k, Columns columns) { launch(k, alone(k, columns)); }, launch,
          [&](const Region& region) { launch(-1, region); });
    }
  };
  Rungs result{step("naive", naive), step("block_r1", block_r1),
               step("panel", panel_step, shared_works)};
  if constexpr (has_launch_graphs) {
    result.push_back(ahead("look_ahead", "gauss::book::look_ahead",
                           [](const auto&... given) { look_ahead(given...); }));
    result.push_back(ahead("narrow_tiles", "gauss::book::narrow_tiles",
                           [](const auto&... given) { narrow_tiles(given...); }));
    result.push_back(ahead("delayed_updates", "gauss::book::delayed_updates",
                           [](const auto&... given) { delayed_updates(given...); }));
  }
  return result;
}

}  // namespace portcost::gauss
