// SPDX-License-Identifier: Apache-2.0
// Points and boxes of the index space of an array of up to three dimensions, which part of the
// array belongs to which processor, and what moves between parts: arithmetic alone, without MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portcost::distributed {

/// A number for each axis: planes, rows, columns, the slowest first. An array of two dimensions has
/// one plane.
using Index = std::array<std::int64_t, 3>;
inline constexpr std::size_t axes = 3;
constexpr std::string_view axis_name(std::size_t axis) {
  return axis == 0 ? "planes" : axis == 1 ? "rows" : "columns";
}

constexpr Index operator+(Index a, const Index& b) {
  for (std::size_t i = 0; i < axes; ++i) a[i] += b[i];
  return a;
}
constexpr Index operator-(Index a, const Index& b) {
  for (std::size_t i = 0; i < axes; ++i) a[i] -= b[i];
  return a;
}

/// The points from `begin` to before `end`, on every axis.
struct Box {
  Index begin{}, end{};

  constexpr std::int64_t extent(std::size_t axis) const { return end[axis] - begin[axis]; }
  constexpr Index extents() const { return end - begin; }
  constexpr bool empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
  /// The number of its points; 0 where it is empty.
  constexpr std::int64_t volume() const { return empty() ? 0 : extent(0) * extent(1) * extent(2); }
  constexpr bool contains(const Index& point) const {
    for (std::size_t i = 0; i < axes; ++i) {
      if (point[i] < begin[i] || point[i] >= end[i]) return false;
    }
    return true;
  }
  constexpr bool contains(const Box& other) const {
    for (std::size_t i = 0; i < axes; ++i) {
      if (other.begin[i] < begin[i] || other.end[i] > end[i]) return false;
    }
    return true;
  }
  constexpr Box grown(const Index& width) const { return {begin - width, end + width}; }
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// The points of both; maybe empty.
constexpr Box common(const Box& a, const Box& b) {
  Box result;
  for (std::size_t i = 0; i < axes; ++i) {
    result.begin[i] = std::max(a.begin[i], b.begin[i]);
    result.end[i] = std::min(a.end[i], b.end[i]);
  }
  return result;
}

/// How the points of an axis are shared among `parts` parts of equal weight.
/// even: sizes differ by one at most, the longer ones first. ceil: all have ceil(points / parts)
/// but the last, which has what is left, never more.
enum class Sharing { even, ceil };

/// Where the parts begin, and the end: parts + 1 numbers, from 0 to `points`. No part is empty:
/// where that cannot be, throws UsageError "Cannot distribute, too many processors" with the
/// numbers (`what` names the points: "rows").
std::vector<std::int64_t> bounds_of(std::int64_t points, int parts, Sharing sharing,
                                    std::string_view what);
/// The same, with shares in proportion to positive weights, each at least one point: the whole
/// parts first, then a point more for the largest remainders (of equal ones, the first).
std::vector<std::int64_t> bounds_of(std::int64_t points, const std::vector<double>& weights,
                                    std::string_view what);

/// What bounds_of() throws for these, or nothing.
std::string why_not_shared(std::int64_t points, int parts, Sharing sharing, std::string_view what);

/// A grid of `parts` processors for an array of `global` points. Axes with 0 in `wanted` are chosen
/// so that the least is exchanged: the faces between parts have the fewest points (of equal grids,
/// the one that cuts the slower axes, whose faces are contiguous). Throws UsageError where there is
/// none.
Index choose_grid(const Index& global, int parts, const Index& wanted = {});

/// A global array of planes x rows x columns points, cut by a grid of processors into one box for
/// each. The boxes of a plane, row or column of processors have the same extent on that axis.
class Distribution {
 public:
  /// What is not said is chosen.
  struct Settings {
    Index grid{};                      // processors on each axis; 0: choose_grid()
    Sharing sharing = Sharing::even;   // among processors of equal weight
    std::vector<double> weights = {};  // of each processor; empty: all equal
  };

  /// Throws UsageError where extents or weights are not positive, the grid does not have `parts`
  /// processors, or one of them would get nothing.
  ///
  /// With weights, an axis is shared in proportion to the sums of the weights of the processors
  /// that lie side by side on it, so that only a grid of one row or one column follows every
  /// weight.
  Distribution(const Index& global, int parts, const Settings& settings);
  Distribution(const Index& global, int parts) : Distribution(global, parts, Settings()) {}

  const Index& global() const { return global_; }
  const Index& grid() const { return grid_; }
  int parts() const { return static_cast<int>(grid_[0] * grid_[1] * grid_[2]); }
  Box domain() const { return {{}, global_}; }

  /// Where processor `part` stands in the grid, and who stands there: the last axis is the fastest.
  Index position(int part) const;
  int part_at(const Index& position) const;
  Box corners(int part) const;
  int owner(const Index& point) const;
  /// Where the boxes begin on an axis, and the end.
  const std::vector<std::int64_t>& bounds(std::size_t axis) const { return bounds_[axis]; }

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  std::vector<double> weights_on(std::size_t axis, const std::vector<double>& weights) const;

  Index global_, grid_;
  std::array<std::vector<std::int64_t>, axes> bounds_;
};

/// What is held of an array at a time where the whole of a part would be too much: little memory of
/// the host for a device's part, and a number of bytes that MPI's int counts.
inline constexpr std::int64_t slab_bytes = std::int64_t{1} << 26;

/// A box in pieces of at most slab_bytes, in order, each a stretch of the box's points: planes,
/// rows of one plane, or a piece of one row.
std::vector<Box> slabs_of(const Box& box, std::int64_t element_bytes);

/// star: the halo has no corners (a five- or seven-point stencil needs none). box: it has them.
enum class StencilType { star, box };

/// What lies beyond the ends of an axis. ghosted: points that the user fills and no exchange
/// touches (boundary values). periodic: the other end.
enum class BoundaryType { ghosted, periodic };

/// How far an array's parts reach into their neighbours' (their ghost points).
struct Stencil {
  Index width{};  // ghost points on each side, for each axis
  StencilType type = StencilType::star;
  std::array<BoundaryType, axes> boundary{};

  friend bool operator==(const Stencil&, const Stencil&) = default;
};

/// The points `source` of part `from` go to the points `target` of part `to`. Boxes are in global
/// numbers; `target` lies outside of the array where it is the halo of a periodic axis.
struct Transfer {
  int from = 0, to = 0;
  Box source, target;
};

/// Throws UsageError, which names part and numbers, where a halo is wider than a box that it would
/// be copied from.
void check_stencil(const Distribution& distribution, const Stencil& stencil);

/// Says of a part whether its transfers are wanted.
using Concerns = std::function<bool(int part)>;

/// What an exchange of halos moves to or from the parts that are wanted, ordered by sender and
/// direction: two ranks that make their lists of the transfers between them have equal ones.
std::vector<Transfer> halo_transfers(const Distribution& distribution, const Stencil& stencil,
                                     const Concerns& wanted);

/// What changing from one distribution of the same points to another moves, ordered by sender and
/// receiver.
std::vector<Transfer> redistribution_transfers(const Distribution& from, const Distribution& to,
                                               const Concerns& from_wanted,
                                               const Concerns& to_wanted);

/// A part of what a redistribution moves.
struct Portion {
  int piece = 0, pieces = 1;  // of each transfer, piece_of its box; pieces >= 1
  bool own = true;            // also what stays with its processor

  friend bool operator==(const Portion&, const Portion&) = default;
};
/// The rows of a box in pieces of about equal height, of which this is number `piece`; maybe empty.
Box piece_of(const Box& box, int piece, int pieces);
/// Those transfers of a redistribution among the same processors that a portion has.
std::vector<Transfer> portion_of(const std::vector<Transfer>& all, const Portion& portion);

}  // namespace portcost::distributed
