// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/transfers.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "src/support/error.hpp"

namespace portcost::distributed {

namespace {

// The sides, edges and corners to which a halo reaches, in a fixed order.
std::vector<Index> directions(const Stencil& stencil) {
  std::vector<Index> result;
  for (std::int64_t p = -1; p <= 1; ++p) {
    for (std::int64_t r = -1; r <= 1; ++r) {
      for (std::int64_t c = -1; c <= 1; ++c) {
        const Index d{p, r, c};
        const std::int64_t moves = p * p + r * r + c * c;
        bool reaches = moves > 0 && (stencil.type == StencilType::box || moves == 1);
        for (std::size_t axis = 0; axis < axes; ++axis) {
          reaches = reaches && (d[axis] == 0 || stencil.width[axis] > 0);
        }
        if (reaches) result.push_back(d);
      }
    }
  }
  return result;
}

// Who stands one step in a direction from there; nobody past the end of an axis.
std::optional<int> neighbour(const Distribution& distribution, const Stencil& stencil, int part,
                             const Index& direction) {
  Index place = distribution.position(part) + direction;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t size = distribution.grid()[axis];
    if (place[axis] >= 0 && place[axis] < size) continue;
    if (stencil.boundary[axis] != BoundaryType::periodic) return std::nullopt;
    place[axis] = (place[axis] + size) % size;
  }
  return distribution.part_at(place);
}

// What `from` sends in a direction: its outermost points there, to the halo on the other side.
Transfer sent(const Distribution& distribution, const Stencil& stencil, int from, int to,
              const Index& direction) {
  const Box mine = distribution.corners(from), its = distribution.corners(to);
  Transfer result{from, to, mine, its};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t width = stencil.width[axis];
    if (direction[axis] > 0) {
      result.source.begin[axis] = mine.end[axis] - width;
      result.target.begin[axis] = its.begin[axis] - width;
      result.target.end[axis] = its.begin[axis];
    } else if (direction[axis] < 0) {
      result.source.end[axis] = mine.begin[axis] + width;
      result.target.begin[axis] = its.end[axis];
      result.target.end[axis] = its.end[axis] + width;
    }
  }
  return result;
}

// Calls f with the place of every box of `distribution` that has points in `box`.
template <class F>
void for_places(const Distribution& distribution, const Box& box, const F& f) {
  const Index first = distribution.position(distribution.owner(box.begin));
  const Index last = distribution.position(distribution.owner(box.end - Index{1, 1, 1}));
  for (std::int64_t p = first[0]; p <= last[0]; ++p) {
    for (std::int64_t r = first[1]; r <= last[1]; ++r) {
      for (std::int64_t c = first[2]; c <= last[2]; ++c) f(distribution.part_at({p, r, c}));
    }
  }
}

}  // namespace

void check_stencil(const Distribution& distribution, const Stencil& stencil) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t width = stencil.width[axis];
    if (width < 0) {
      throw UsageError(
          fmt::format("a halo has a width of 0 or more {}, not {}", axis_name(axis), width));
    }
    const bool copied =
        distribution.grid()[axis] > 1 || stencil.boundary[axis] == BoundaryType::periodic;
    if (!copied) continue;
    const auto& bounds = distribution.bounds(axis);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const std::int64_t extent = bounds[i + 1] - bounds[i];
      if (width <= extent) continue;
      Index place{};
      place[axis] = static_cast<std::int64_t>(i);
      throw UsageError(fmt::format(
          "a halo of {} {} is wider than the block of process {}, which has {} of {} among {}: "
          "take a narrower halo or fewer processes",
          width, axis_name(axis), distribution.part_at(place), extent, bounds.back(),
          distribution.grid()[axis]));
    }
  }
}

std::vector<Transfer> halo_transfers(const Distribution& distribution, const Stencil& stencil,
                                     const Concerns& wanted) {
  const std::vector<Index> ways = directions(stencil);
  // Pairs of a sender and a direction, in the order in which both ends list them.
  std::set<std::pair<int, std::size_t>> sends;
  for (int part = 0; part < distribution.parts(); ++part) {
    if (!wanted(part)) continue;
    for (std::size_t way = 0; way < ways.size(); ++way) {
      sends.emplace(part, way);
      const auto sender = neighbour(distribution, stencil, part, Index{} - ways[way]);
      if (sender) sends.emplace(*sender, way);
    }
  }
  std::vector<Transfer> result;
  for (const auto& [from, way] : sends) {
    const auto to = neighbour(distribution, stencil, from, ways[way]);
    if (to) result.push_back(sent(distribution, stencil, from, *to, ways[way]));
  }
  return result;
}

std::vector<Transfer> redistribution_transfers(const Distribution& from, const Distribution& to,
                                               const Concerns& from_wanted,
                                               const Concerns& to_wanted) {
  if (from.global() != to.global()) {
    throw UsageError("arrays of different extents cannot be copied into each other");
  }
  std::set<std::pair<int, int>> pairs;
  for (int part = 0; part < from.parts(); ++part) {
    if (!from_wanted(part)) continue;
    for_places(to, from.corners(part), [&](int other) { pairs.emplace(part, other); });
  }
  for (int part = 0; part < to.parts(); ++part) {
    if (!to_wanted(part)) continue;
    for_places(from, to.corners(part), [&](int other) { pairs.emplace(other, part); });
  }
  std::vector<Transfer> result;
  for (const auto& [sender, receiver] : pairs) {
    const Box box = common(from.corners(sender), to.corners(receiver));
    result.push_back({sender, receiver, box, box});
  }
  return result;
}

Box piece_of(const Box& box, int piece, int pieces) {
  Box result = box;
  const std::int64_t rows = box.extent(1);
  result.begin[1] = box.begin[1] + rows * piece / pieces;
  result.end[1] = box.begin[1] + rows * (piece + 1) / pieces;
  return result;
}

std::vector<Transfer> portion_of(const std::vector<Transfer>& all, const Portion& portion) {
  std::vector<Transfer> result;
  for (const Transfer& one : all) {
    if (!portion.own && one.from == one.to) continue;
    const Box box = piece_of(one.source, portion.piece, portion.pieces);
    if (!box.empty()) result.push_back({one.from, one.to, box, box});
  }
  return result;
}

}  // namespace portcost::distributed
