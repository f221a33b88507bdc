// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or tiles, vectors along rows.
#include "variants/gauss/host_bodies.hpp"

namespace portcost::gauss {

namespace {

constexpr auto naive = []<class T>(const System<T>& s, const Stream&) {
  for (int k = 0; k < s.n; ++k) {
    const T* const from = s.row(k);
    const T pivot = from[k];
    if (refused(s, k, pivot)) return;
#pragma omp parallel for schedule(static)
    for (int i = k + 1; i < s.n; ++i) {
      T* const row = s.row(i);
      row[k] = multiplier(row[k], pivot);
      eliminate_row(row + k + 1, row[k], from + k + 1, s.n - k);
    }
  }
};

// Calls action(tile, memory for it) for the tiles of a region.
template <int elements, class T, class Action>
void for_tiles(const System<T>& s, const Region& region, const Action& action) {
  if (s.stopped()) return;
#pragma omp parallel for schedule(static) if (region.count() > 1)
  for (int index = 0; index < region.count(); ++index) {
    alignas(cache_line) T memory[elements];
    action(region.at(index), memory);
  }
}

constexpr auto block_r1 = []<class T>(const System<T>& s, const Stream&) {
  const auto eliminate_tiles = [&](int k, const Region& region) {
    for_tiles<flat_tile * flat_tile>(s, region, [&](Tile at, T* staged) {
      StagedTile<T>{s, staged}.eliminate_columns(at, k, region.columns);
    });
  };
  rounds(s, flat_tile, s.r1, eliminate_tiles);
};

constexpr auto panel = [](const auto& s, const Stream&) {
  using T = std::remove_pointer_t<decltype(s.a)>;
  const HostStrips<T> host{s};
  const auto eliminate_tiles = [&](int k, const Region& region) {
    for_tiles<HostStrips<T>::scratch>(s, region, [&](Tile at, T* right) {
      host.eliminate_columns(right, at, k, region.columns);
    });
  };
  rounds(s, panel_tile, panel_tile, eliminate_tiles);
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive", naive), rung(works, "block_r1", block_r1),
          rung(shared_works, "panel", panel)};
}

}  // namespace portcost::gauss
