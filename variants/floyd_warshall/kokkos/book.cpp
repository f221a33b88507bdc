// SPDX-License-Identifier: Apache-2.0
// Passes the harness's memory to the kernels of book.hpp, in the order of rounds of problem.hpp.
#include "variants/floyd_warshall/kokkos/book.hpp"

#include <string_view>
#include <type_traits>

#include "variants/floyd_warshall/kokkos/flow_run.hpp"
#include "variants/floyd_warshall/kokkos/rounds_ahead.hpp"
#include "variants/floyd_warshall/problem.hpp"
#include "variants/floyd_warshall/schedule.hpp"
#include "variants/shared/kokkos_graph.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::floyd_warshall {

namespace {

constexpr bool device_shapes = kokkos_shapes == Place::device;

template <class T>
book::Graph<T> graph_of(const Graph<T>& g) {
  const std::size_t pitch = g.pitch, rows = g.next == nullptr ? 0 : pitch;
  auto* const packs = reinterpret_cast<book::Pack<T>*>(g.a);
  return {book::Matrix<T>(g.a, pitch, pitch), book::Matrix<book::Pack<T>>(packs, pitch, pitch / 4),
          book::Matrix<int>(g.next, rows, pitch),
          Kokkos::View<int, KokkosSpace, book::Unmanaged>(g.negative), g.n};
}

// Calls f(std::true_type or std::false_type: with next hops, graph, the same in Views, space).
template <class F, class Given = std::remove_const_t<decltype(works)>>
Rung step(std::string_view name, const F& f, Given given = works) {
  return rung(given, name,
              [f](const auto& g, const Stream& on) {
                with_paths(g, [&](auto paths) { f(paths, g, graph_of(g), kokkos_space(on)); });
              })
      .written(Way::book);
}

template <class Tiles, bool paths, class T>
auto close_of(const book::Graph<T>& g, int k) {
  return book::ClosePivot<Tiles, paths, T>{g, k};
}
template <class Tiles, bool paths, class T>
auto product_of(const book::Graph<T>& g, const Region& region) {
  return book::Product<Tiles, paths, T, Region>{g, region};
}

// Rounds of `depth` tiles on a GPU.
template <class Tiles, bool paths, class T>
void in_rounds(const char* label, const auto& given, const book::Graph<T>& g,
               const KokkosSpace& space, int depth) {
  const int team = team_size(Tiles::threads);
  const auto launch = [&](const auto& kernel) {
    Kokkos::parallel_for(label, kernel.policy(space, team), kernel);
  };
  rounds(
      given, Tiles::tile, depth, [&](int k) { launch(close_of<Tiles, paths>(g, k)); },
      [&](const Region& region) { launch(product_of<Tiles, paths>(g, region)); });
}

// Rounds of one tile on a host, row by row or with register blocks.
template <class Shape, bool paths, class T>
void in_rounds_of_host(const auto& given, const book::Graph<T>& g, const KokkosSpace& space,
                       int depth) {
  rounds(
      given, Shape::tile, depth,
      [&](int k) { book::close_rows<paths>(space, team_size(1), g, k, Shape::tile); },
      [&](const Region& region) {
        if constexpr (Shape::registers) {
          book::product_blocks<paths>(space, team_size(1), g, region);
        } else {
          book::product_rows<paths>(space, team_size(1), g, region, Shape::tile);
        }
      });
}

// A step on cubes: `Tiles` for a GPU, `Shape` for a host; depth(graph, tile) is the tiles a round.
template <template <bool> class Tiles, class Shape, class Depth,
          class Given = std::remove_const_t<decltype(works)>>
Rung cubes(std::string_view name, const char* label, const Depth& depth, Given given = works) {
  const auto run = [=](auto paths, const auto& graph, const auto& g, const KokkosSpace& space) {
    if constexpr (device_shapes) {
      using Chosen = Tiles<paths.value>;
      in_rounds<Chosen, paths.value>(label, graph, g, space, depth(graph, Chosen::tile));
    } else {
      in_rounds_of_host<Shape, paths.value>(graph, g, space, depth(graph, Shape::tile));
    }
  };
  return step(name, run, given);
}
template <bool>
using Block3d = book::Block3d;
template <bool>
using Staged = book::Staged;

template <bool paths, class T>
void enqueue(const book::Graph<T>& g, const KokkosSpace& space, const GraphNode& root) {
  using Tiles = book::RegisterTile<paths>;
  const int team = team_size(Tiles::threads);
  const auto launch = [&](const GraphNode& after, const auto& kernel) -> GraphNode {
    return after.then_parallel_for("floyd_warshall::book::look_ahead", kernel.policy(space, team),
                                   kernel);
  };
  rounds_ahead(
      tiles_of(g.n, Tiles::tile), root,
      [&](const GraphNode& after, int k) { return launch(after, close_of<Tiles, paths>(g, k)); },
      [&](const GraphNode& after, const Region& region) {
        return region.count() == 0 ? after : launch(after, product_of<Tiles, paths>(g, region));
      },
      [](const GraphNode& one, const GraphNode& other) { return after_both(one, other); });
}

struct NamedFlow : Flow {
  using Section = floyd_warshall::Section;
  using Task = floyd_warshall::Task;
};

}  // namespace

Rungs kokkos_book_rungs() {
  const auto naive_2d = [](auto paths, const auto&, const auto& g, const KokkosSpace& space) {
    if constexpr (device_shapes) {
      book::naive_2d<paths.value>(space, team_size(8), g);
    } else {
      book::naive_rows<paths.value>(space, team_size(1), g);
    }
  };
  const auto block_2d = [](auto paths, const auto&, const auto& g, const KokkosSpace& space) {
    book::block_2d<paths.value>(space, team_size(8), g);
  };
  Rungs result{
      step("naive_2d", naive_2d),
      step("block_2d", block_2d),
      cubes<Block3d, HostBlock3dShape>("block_3d", "floyd_warshall::book::block_3d", one_tile),
      cubes<Staged, HostRegisterShape>("staged", "floyd_warshall::book::staged", one_tile),
      cubes<Staged, HostRegisterShape>("deep_k", "floyd_warshall::book::deep_k", tiles_of_r1),
      cubes<book::RegisterTile, HostRegisterShape>("register_tile",
                                                   "floyd_warshall::book::register_tile",
                                                   tiles_by_size<kokkos_shapes>, shared_works)};
  if constexpr (has_launch_graphs) {
    const auto look_ahead = [](const auto& g, const Stream& on, const GraphNode& root) {
      with_paths(g, [&](auto paths) { enqueue<paths.value>(graph_of(g), kokkos_space(on), root); });
    };
    result.push_back(graph_step(works, "look_ahead", look_ahead).written(Way::book));
  }
  if constexpr (device_shapes) {
    const auto launch = []<class T>(auto paths, const Graph<T>& g, const Flow& flow,
                                    const auto& sections, const auto& state, int teams,
                                    const Stream& on) {
      using Tiles = book::RegisterTile<paths.value>;
      using Kernel = book::Dataflow<Tiles, paths.value, T, NamedFlow>;
      Kokkos::parallel_for("floyd_warshall::book::dataflow",
                           Kernel::policy(kokkos_space(on), teams, team_size(Tiles::threads)),
                           Kernel{graph_of(g), {flow}, sections, state});
    };
    result.push_back(rung(works, "dataflow", [launch](const auto& g, const Stream& on) {
                       return flow_run(g, on, launch);
                     }).written(Way::book));
  }
  return result;
}

}  // namespace portcost::floyd_warshall
