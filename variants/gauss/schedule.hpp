// SPDX-License-Identifier: Apache-2.0
// The launch order of CUDA's overlapping steps, apart from the launches, so that a test can follow
// it without a GPU (tests/test_gauss.cpp). `on`: GraphStreams of
// variants/shared/cuda_graph.cuh, or a test's.
#pragma once

#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

/// panel with look-ahead: the next pivot tile is factorised and its cross solved during the
/// trailing update. Without priorities the trailing update is two launches, and the next pivot tile
/// is factorised beside the second.
///
/// Each round updates by the columns of the round before. For tile k, stream `ahead` updates tile k
/// in the smallest tiles, factorises it (factorise(k)) and solves for its cross (cross(k)).
/// Meanwhile `side` updates its row and column (next(k, columns) launches both updates), and `rest`
/// updates all other tiles (take(region)). Tiles first .. end - 1 are factorised. `taken`: the
/// columns of the round before the first, if any.
template <bool priorities, class Streams, class Next, class Factorise, class Cross, class Take>
void order_ahead(int n, [[maybe_unused]] int wave, const Streams& on, int first, int end,
                 Columns taken, const Next& next, const Factorise& factorise, const Cross& cross,
                 const Take& take) {
  const Tiles tiles(n, panel_tile);
  for (int k = first; k < end; ++k) {
    const bool waits = taken.end > 0;
    if (waits) {
      const Region rest = tiles.rest(k + 1, taken);
      on.rest.waits();
      on.side.waits();
      if constexpr (priorities) {
        take(rest);
        next(k, taken);
      } else {
        next(k, taken);
        for (const Region& part : in_waves(rest, wave)) take(part);
      }
      on.side.ends();
      on.rest.ends();
    }
    factorise(k);
    if (waits) on.side.joins();
    cross(k);
    if (waits) on.rest.joins();
    taken = tiles.of(k);
  }
}

/// The same with two pivot tiles a round, `count` tiles, an even number. When a round has
/// factorised both and solved for their crosses, `ahead` updates the first of the next two tiles by
/// both, `side` its row and column, `soon` the row and column of the second, which then need only
/// the update by the first, and `rest` all others. take(region, stream).
template <bool priorities, class Streams, class Next, class Factorise, class Cross, class Take>
void order_of_two(int n, [[maybe_unused]] int wave, const Streams& on, int count, const Next& next,
                  const Factorise& factorise, const Cross& cross, const Take& take) {
  const Tiles tiles(n, panel_tile);
  // Updates tile k by `columns`, factorises it and solves for its cross.
  const auto eliminate_tile = [&](int k, Columns columns) {
    next(k, columns);
    on.side.ends();
    factorise(k);
    on.side.joins();
    cross(k);
  };
  for (int first = 0; first < count; first += 2) {
    if (first == 0) {
      factorise(0);
      cross(0);
    } else {
      const Columns before = columns_of_two(first - 2);
      const Region line = tiles.inner(first, first + 2, before);
      const Region rest = tiles.rest(first + 2, before);
      on.side.waits();
      on.soon.waits();
      on.rest.waits();
      if constexpr (priorities) {
        take(rest, on.rest);
        take(line, on.soon);
      }
      eliminate_tile(first, before);
      if constexpr (!priorities) {
        take(line, on.soon);
        for (const Region& part : in_waves(rest, wave_beside(wave, line))) take(part, on.rest);
      }
      on.rest.ends();
      on.soon.ends();
      on.soon.joins();
    }
    on.side.waits();
    eliminate_tile(first + 1, tiles.of(first));
    if (first > 0) on.rest.joins();
  }
}

/// The rounds of narrow pivot tiles, after `taken`, the columns of the last wide round.
/// factorise(k, columns), on `ahead`, updates its tile before it factorises it; beside(columns), on
/// `side`, updates the tile's row and column; others(columns), on `rest`, all other tiles; cross(k)
/// runs on `ahead`.
template <class Streams, class Factorise, class Cross, class Beside, class Others>
void order_narrow(int n, const Streams& on, Columns taken, const Factorise& factorise,
                  const Cross& cross, const Beside& beside, const Others& others) {
  const Tiles tiles(n, narrow_tile);
  if (taken.end == 0) {
    factorise(0, taken);
    cross(0);
    taken = tiles.of(0);
  }
  for (int k = taken.end / narrow_tile; k < tiles.rows; ++k) {
    on.rest.waits();
    on.side.waits();
    factorise(k, taken);
    beside(taken);
    others(taken);
    on.side.ends();
    on.rest.ends();
    on.side.joins();
    cross(k);
    on.rest.joins();
    taken = tiles.of(k);
  }
}

}  // namespace portcost::gauss
