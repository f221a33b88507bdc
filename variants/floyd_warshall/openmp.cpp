// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or tiles, vectors along rows.
#include "variants/floyd_warshall/host_bodies.hpp"

namespace portcost::floyd_warshall {

namespace {

// Row k itself is left out: a path from k over k is no shorter.
constexpr auto naive_2d = []<class T>(const Graph<T>& g, const Stream&) {
  with_paths(g, [&](auto paths) {
    for (int k = 0; k < g.n; ++k) {
      if (negative_at(g, k)) continue;
#pragma omp parallel for schedule(static)
      for (int i = 0; i < g.n; ++i) {
        if (i != k) relax_row<paths>(g, i, k, 0, g.n);
      }
    }
  });
};

template <bool registers, bool paths, int tile, class T>
void product(const Graph<T>& g, const Region& region) {
#pragma omp parallel for schedule(dynamic)
  for (int index = 0; index < region.count(); ++index) {
    if constexpr (registers) {
      alignas(cache_line) T packed[tile * host_cols];
      product_in_registers<paths, tile>(g, region.at(index), region.k, region.depth, packed);
    } else {
      product_by_rows<paths, tile>(g, region.at(index), region.k, region.depth);
    }
  }
}

template <class Shape>
constexpr auto cubes = [](const auto& g, const Stream&) {
  constexpr int tile = Shape::tile;
  with_paths(g, [&](auto paths) {
    rounds(
        g, tile, 1,
        [&](int k) {
          if (!g.stopped()) close_tile<paths, tile>(g, k);
        },
        [&](const Region& region) {
          if (!g.stopped()) product<Shape::registers, paths, tile>(g, region);
        });
  });
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive_2d", naive_2d), rung(works, "block_3d", cubes<HostBlock3dShape>),
          rung(shared_works, "register_tile", cubes<HostRegisterShape>)};
}

}  // namespace portcost::floyd_warshall
