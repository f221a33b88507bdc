// SPDX-License-Identifier: Apache-2.0
// dataflow: register_tile in one launch. Teams take tiles by tickets, in an order in which a tile
// waits only for tiles with earlier tickets: those are done or some running team has them, so that
// none waits for ever, however many teams run at a time. Plain C++.
//
// A round takes all paths over the vertices of `depth` tiles. Its panel, the rows and columns of
// these tiles, is taken while the rest of the round before is: look_ahead without barriers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "variants/floyd_warshall/problem.hpp"

namespace portcost::floyd_warshall {

/// Consecutive tickets: the tiles of `region` from number `skip` on, or the closing of its tile
/// (k, k). What it waits for: `panel_parts` parts of panels, counted over all rounds; and, where a
/// round has its tiles for the first time (`touches`), each tile by itself (Flow::before).
struct Section {
  int first_ticket, skip;
  bool closes, touches, panel;
  int round, panel_parts;
  Region region;

  int count() const { return closes ? 1 : region.count(); }
};

/// Teams that may be running, about: so many tiles of the rest lie between the parts of a panel, so
/// that one part is done when the next has its turn. An H200 or H100 runs 264.
inline constexpr int flow_teams = 264;

/// Teams to start, of `all` that there are threads for. A team has one tile at a time. Where tiles
/// are few, as many as there are processors, so that no two that work share one while others have
/// none: up to three tiles for two processors, as far as it was measured to be faster.
constexpr int flow_teams_of(int tiles, int all, int processors) {
  const bool few = std::int64_t{2} * tiles * tiles <= std::int64_t{3} * processors;
  return few ? std::min(all, processors) : all;
}

/// Tiles a round. Each visit of a tile of the rest costs a ticket, counts, and its reading and
/// writing; a panel of several tiles takes longer, which only a large rest hides.
constexpr int flow_depth(int tiles) { return tiles >= 64 ? 4 : 1; }

/// The order of all tickets; then a section of depth 0, which has all others, and one that no
/// ticket reaches, where a search ends.
inline std::vector<Section> flow_sections(int tiles, int depth) {
  std::vector<Section> result;
  int ticket = 0, parts = 0;
  const auto add = [&](Section section, int count) {  // the first `count` of its tiles
    if (count == 0) return;
    section.first_ticket = ticket;
    result.push_back(section);
    ticket += count;
  };
  // The steps by which round `round` takes its panel.
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

/// Where a step waits until a count is no less than `least`.
struct Awaited {
  int place, least;
};

/// What a ticket stands for: tile `at` over the vertices of tiles [k, k + depth), or the closing of
/// tile (k, k). `depth` 0: there is nothing left to do. `round` -1: a part of a panel.
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

/// What teams share. `state`, all 0 at first: the next ticket; parts of panels that are done; for
/// each tile one more than the last round that took it in its rest; and for each round and each row
/// and column of tiles how many tiles of it the rest has had.
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

  /// What a round waits for before it changes a tile for the first time. Where the round before had
  /// it in its rest, for that. Where it was in the panel of the round before, for those who read it
  /// there: a tile in a row of the panel is read by its column. Within both, only by the panel.
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
