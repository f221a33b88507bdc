// SPDX-License-Identifier: Apache-2.0
// dataflow: register_tile in one launch. Teams draw tickets, whose order ensures that a tile
// depends only on tiles with earlier tickets. Those are done or in the hands of a running team, so
// that no team waits for ever, however many teams run at a time. Plain C++.
//
// A round relaxes all paths over the vertices of `depth` tiles. Its panel, the rows and columns of
// these tiles, overlaps the remainder of the round before: look_ahead without barriers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "variants/floyd_warshall/problem.hpp"

namespace portcost::floyd_warshall {

/// Consecutive tickets: the tiles of `region` from number `skip` on, or the pivot tile (k, k). They
/// wait for `panel_parts` parts of panels, counted over all rounds; and, where a round first writes
/// their tiles (`touches`), each tile for its own counter (Flow::before).
struct Section {
  int first_ticket, skip;
  bool closes, touches, panel;
  int round, panel_parts;
  Region region;

  int count() const { return closes ? 1 : region.count(); }
};

/// About the number of teams that run at a time. So many tiles of the remainder lie between the
/// parts of a panel, so that a part is done when the next part has its turn. An H200 or H100 runs
/// 264.
inline constexpr int flow_teams = 264;

/// Teams to launch, of `all` that the device has threads for. A team has one tile at a time. With
/// few tiles it launches as many teams as processors, so that no two working teams share a
/// processor while another idles: up to three tiles for two processors, as far as measured to be
/// faster.
constexpr int flow_teams_of(int tiles, int all, int processors) {
  const bool few = std::int64_t{2} * tiles * tiles <= std::int64_t{3} * processors;
  return few ? std::min(all, processors) : all;
}

/// Tiles a round. Each visit of a tile of the remainder costs a ticket, its counters, a read and a
/// write; a panel of several tiles takes longer, which only a large remainder hides.
constexpr int flow_depth(int tiles) { return tiles >= 64 ? 4 : 1; }

/// The order of all tickets; then a section of depth 0, for all later tickets, and a section that
/// no ticket reaches, where a search ends.
inline std::vector<Section> flow_sections(int tiles, int depth) {
  std::vector<Section> result;
  int ticket = 0, parts = 0;
  const auto add = [&](Section section, int count) {  // the first `count` of its tiles
    if (count == 0) return;
    section.first_ticket = ticket;
    result.push_back(section);
    ticket += count;
  };
  // The steps of the panel of round `round`.
  const auto panel_of = [&](int round) {
    std::vector<Section> steps;
    const int first = round * depth, deep = std::min(depth, tiles - first);
    const auto step = [&](bool closes, bool touches, const Region& region) {
      const Section made{0, 0, closes, touches, true, round, parts, region};
      if (made.count() == 0) return;
      steps.push_back(made);
      parts += made.count();
    };
    for (int k = first; k < first + deep; ++k) {
      step(true, k == first, {k, 1, {}, {}, {}, {}});
      step(false, k == first, cross_of(tiles, k));
      step(false, k == first, inner_of(tiles, first, deep, k));
    }
    return steps;
  };
  for (const Section& step : panel_of(0)) add(step, step.count());
  for (int round = 0; round * depth < tiles; ++round) {
    const int first = round * depth, deep = std::min(depth, tiles - first);
    const int next = std::min(depth, tiles - first - deep), panel_parts = parts;
    const LineRange ahead{next, first + deep, tiles, 0}, others{tiles - deep, 0, first, deep},
        far{tiles - deep - next, 0, first, deep + next};
    const Region panel_next{first, deep, ahead, others, far, ahead};
    const Region rest{first, deep, far, far, {}, {}};
    add({0, 0, false, true, false, round, panel_parts, panel_next}, panel_next.count());
    int taken = 0;
    const auto take_rest = [&](int count) {
      add({0, taken, false, true, false, round, panel_parts, rest}, count);
      taken += count;
    };
    if (next > 0) {
      const std::vector<Section> steps = panel_of(round + 1);
      const int apart = std::min(flow_teams, rest.count() / (static_cast<int>(steps.size()) + 1));
      for (const Section& step : steps) {
        take_rest(apart);
        add(step, step.count());
      }
    }
    take_rest(rest.count() - taken);
  }
  result.push_back({ticket, 0, false, false, false, 0, 0, {}});
  result.push_back({std::numeric_limits<int>::max(), 0, false, false, false, 0, 0, {}});
  return result;
}

/// A counter, and the value at which a wait for it ends.
struct Awaited {
  int place, least;
};

/// A ticket's task: tile `at` over the vertices of tiles [k, k + depth), or the pivot tile (k, k).
/// `depth` 0: no work is left. `round` -1: a part of a panel.
struct Task {
  Tile at;
  int k, depth, round;
  bool closes;

  static PORTCOST_HOST_DEVICE Task none() { return {{0, 0}, 0, 0, 0, false}; }
  static PORTCOST_HOST_DEVICE Task of(const Section& section, int ticket) {
    const Region& region = section.region;
    const Tile at = section.closes ? Tile{region.k, region.k}
                                   : region.at(ticket - section.first_ticket + section.skip);
    return {at, region.k, region.depth, section.panel ? -1 : section.round, section.closes};
  }
};

/// The data that teams share. `state`, all 0 at first: the next ticket; the finished parts of
/// panels; for each tile, one more than the last round whose remainder relaxed it; and for each
/// round, and each row and column of tiles, how many of its tiles the remainder has relaxed.
struct Flow {
  const Section* sections;
  int* state;
  int tiles, depth;

  static constexpr int ticket = 0, panel = 32;  // apart, because all teams add to them
  static constexpr int first_tile = 64;
  PORTCOST_HOST_DEVICE int tile(Tile at) const { return first_tile + at.row * tiles + at.col; }
  PORTCOST_HOST_DEVICE int row(int round, int i) const {
    return first_tile + (tiles + 2 * round) * tiles + i;
  }
  PORTCOST_HOST_DEVICE int col(int round, int j) const { return row(round, j) + tiles; }
  static std::size_t state_size(int tiles, int depth) {
    const int rounds = ceil_div(tiles, depth);
    return static_cast<std::size_t>(first_tile) +
           static_cast<std::size_t>(tiles + 2 * rounds) * static_cast<std::size_t>(tiles);
  }

  /// The counter that a round awaits before it first writes a tile. If the tile was in the
  /// remainder of the round before, the tile's own counter. If the tile was in a row of that
  /// round's panel, the counter of its column, whose tiles read it; in a column, the counter of its
  /// row. In both, only the panel reads the tile.
  PORTCOST_HOST_DEVICE Awaited before(int round, Tile at) const {
    const bool in_row = round > 0 && at.row / depth == round - 1;
    const bool in_col = round > 0 && at.col / depth == round - 1;
    if (in_row && in_col) return {ticket, 0};
    if (in_row) return {col(round - 1, at.col), tiles - depth};
    if (in_col) return {row(round - 1, at.row), tiles - depth};
    return {tile(at), round};
  }
};

}  // namespace portcost::floyd_warshall
