// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/distribution.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "src/support/reject.hpp"

namespace portcost::distributed {

namespace {

// MPI describes extents by int.
constexpr std::int64_t most_points = std::numeric_limits<int>::max();

[[noreturn]] void too_many(std::int64_t points, std::int64_t parts, std::string_view what,
                           const std::string& why) {
  reject(
      "Cannot distribute, too many processors: {} {} for {} of them{}; take fewer processes or a "
      "larger array",
      points, what, parts, why);
}

// The number of points in the faces between parts: what one exchange of a halo of width 1 moves.
double faces(const Index& global, const Index& grid) {
  double result = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    double face = 1;
    for (std::size_t other = 0; other < axes; ++other) {
      if (other != axis) face *= static_cast<double>(global[other]);
    }
    result += static_cast<double>(grid[axis] - 1) * face;
  }
  return result;
}

bool fits(const Index& global, const Index& grid, const Index& wanted) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (grid[axis] > global[axis]) return false;
    if (wanted[axis] != 0 && wanted[axis] != grid[axis]) return false;
  }
  return true;
}

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

std::vector<std::int64_t> bounds_of(std::int64_t points, int parts, Sharing sharing,
                                    std::string_view what) {
  std::vector<std::int64_t> result{0};
  if (parts > points) too_many(points, parts, what, "");
  const std::int64_t ceil = (points + parts - 1) / parts;
  if (sharing == Sharing::ceil && ceil * (parts - 1) >= points) {
    too_many(points, parts, what,
             fmt::format(", each with {} but the last, for which none is left", ceil));
  }
  for (int part = 0; part < parts; ++part) {
    const std::int64_t even = points / parts + (part < points % parts ? 1 : 0);
    const std::int64_t share =
        sharing == Sharing::even ? even : std::min(ceil, points - result.back());
    result.push_back(result.back() + share);
  }
  return result;
}

std::string why_not_shared(std::int64_t points, int parts, Sharing sharing, std::string_view what) {
  try {
    bounds_of(points, parts, sharing, what);
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::vector<std::int64_t> bounds_of(std::int64_t points, const std::vector<double>& weights,
                                    std::string_view what) {
  const auto parts = static_cast<std::int64_t>(weights.size());
  if (parts > points) too_many(points, parts, what, "");
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  // Each has one point for certain; the others are shared.
  std::vector<std::int64_t> shares;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = static_cast<double>(points) * (weights[i] / sum);
    const double whole = std::max(1.0, std::floor(exact));
    shares.push_back(static_cast<std::int64_t>(whole));
    remainders.emplace_back(whole - exact, i);
  }
  std::ranges::sort(remainders);
  std::int64_t left = points - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  for (std::size_t i = 0; left > 0; i = (i + 1) % remainders.size(), --left) {
    ++shares[remainders[i].second];
  }
  // Those that were given one point without a right to it take it from the largest.
  for (; left < 0; ++left) --*std::ranges::max_element(shares);
  std::vector<std::int64_t> result{0};
  for (const std::int64_t share : shares) result.push_back(result.back() + share);
  return result;
}

Index choose_grid(const Index& global, int parts, const Index& wanted) {
  Index best{};
  double fewest = std::numeric_limits<double>::infinity();
  // From many planes to few, so that of equal grids the first found cuts the slower axes.
  for (std::int64_t planes = parts; planes >= 1; --planes) {
    if (parts % planes != 0) continue;
    for (std::int64_t rows = parts / planes; rows >= 1; --rows) {
      if (parts / planes % rows != 0) continue;
      const Index grid{planes, rows, parts / planes / rows};
      if (fits(global, grid, wanted) && faces(global, grid) < fewest) {
        best = grid;
        fewest = faces(global, grid);
      }
    }
  }
  if (best[0] != 0) return best;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (wanted[axis] > global[axis]) too_many(global[axis], wanted[axis], axis_name(axis), "");
  }
  const std::string array =
      fmt::format("an array of {} x {} x {}", global[0], global[1], global[2]);
  const std::int64_t named = std::max<std::int64_t>(1, wanted[0]) *
                             std::max<std::int64_t>(1, wanted[1]) *
                             std::max<std::int64_t>(1, wanted[2]);
  if (named <= 0 || parts % named != 0) {
    reject("a grid of {} x {} x {} (0: any) is not one of {} processes", wanted[0], wanted[1],
           wanted[2], parts);
  }
  reject(
      "Cannot distribute, too many processors: {} has no grid of {} processes with at least one "
      "point for each; take fewer processes or a larger array",
      array, parts);
}

Distribution::Distribution(const Index& global, int parts, const Settings& settings)
    : global_(global) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (global[axis] >= 1 && global[axis] <= most_points) continue;
    reject("a distributed array has 1 to {} {}, not {}", most_points, axis_name(axis),
           global[axis]);
  }
  if (parts < 1) reject("{} processes cannot share an array", parts);
  if (!settings.weights.empty() && settings.weights.size() != static_cast<std::size_t>(parts)) {
    reject("{} weights for {} processes", settings.weights.size(), parts);
  }
  for (const double weight : settings.weights) {
    if (weight > 0 && std::isfinite(weight)) continue;
    reject("a processor's weight is a positive number, not {}", weight);
  }
  grid_ = choose_grid(global, parts, settings.grid);
  const std::vector<double>& weights = settings.weights;
  const bool equal = std::ranges::adjacent_find(weights, std::not_equal_to<>()) == weights.end();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    bounds_[axis] = equal ? bounds_of(global[axis], static_cast<int>(grid_[axis]), settings.sharing,
                                      axis_name(axis))
                          : bounds_of(global[axis], weights_on(axis, weights), axis_name(axis));
  }
}

std::vector<double> Distribution::weights_on(std::size_t axis,
                                             const std::vector<double>& weights) const {
  std::vector<double> result(static_cast<std::size_t>(grid_[axis]), 0.0);
  for (int part = 0; part < parts(); ++part) {
    result[position(part)[axis]] += weights[part];
  }
  return result;
}

Index Distribution::position(int part) const {
  require(part >= 0 && part < parts(), fmt::format("there is no processor {}", part));
  return {part / (grid_[1] * grid_[2]), part / grid_[2] % grid_[1], part % grid_[2]};
}

int Distribution::part_at(const Index& p) const {
  require(Box{{}, grid_}.contains(p), "a place outside of the grid of processors");
  return static_cast<int>((p[0] * grid_[1] + p[1]) * grid_[2] + p[2]);
}

Box Distribution::corners(int part) const {
  const Index place = position(part);
  Box result;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto at = static_cast<std::size_t>(place[axis]);
    result.begin[axis] = bounds_[axis].at(at);
    result.end[axis] = bounds_[axis].at(at + 1);
  }
  return result;
}

int Distribution::owner(const Index& point) const {
  require(domain().contains(point), "a point outside of the array has no owner");
  Index place;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto& bounds = bounds_[axis];
    place[axis] = std::ranges::upper_bound(bounds, point[axis]) - bounds.begin() - 1;
  }
  return part_at(place);
}

std::vector<Box> slabs_of(const Box& box, std::int64_t element_bytes) {
  std::vector<Box> result;
  if (box.empty()) return result;
  const auto most = [](std::int64_t wanted, std::int64_t fit) {
    return std::max<std::int64_t>(1, std::min(wanted, fit));
  };
  const std::int64_t points = slab_bytes / element_bytes;
  const std::int64_t columns = most(box.extent(2), points);
  const std::int64_t rows = most(box.extent(1), points / box.extent(2));
  const std::int64_t planes = most(box.extent(0), points / (box.extent(1) * box.extent(2)));
  for (std::int64_t p = box.begin[0]; p < box.end[0]; p += planes) {
    for (std::int64_t r = box.begin[1]; r < box.end[1]; r += rows) {
      for (std::int64_t c = box.begin[2]; c < box.end[2]; c += columns) {
        result.push_back(common({{p, r, c}, {p + planes, r + rows, c + columns}}, box));
      }
    }
  }
  return result;
}

void check_stencil(const Distribution& distribution, const Stencil& stencil) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t width = stencil.width[axis];
    if (width < 0) reject("a halo has a width of 0 or more {}, not {}", axis_name(axis), width);
    const bool copied =
        distribution.grid()[axis] > 1 || stencil.boundary[axis] == BoundaryType::periodic;
    if (!copied) continue;
    const auto& bounds = distribution.bounds(axis);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const std::int64_t extent = bounds[i + 1] - bounds[i];
      if (width <= extent) continue;
      Index place{};
      place[axis] = static_cast<std::int64_t>(i);
      reject(
          "a halo of {} {} is wider than the block of process {}, which has {} of {} among {}: "
          "take a narrower halo or fewer processes",
          width, axis_name(axis), distribution.part_at(place), extent, bounds.back(),
          distribution.grid()[axis]);
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
