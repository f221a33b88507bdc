// SPDX-License-Identifier: Apache-2.0
// Which part of a global array belongs to which processor: arithmetic alone, without MPI.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/distributed/box.hpp"

namespace portcost::distributed {

/// How the points of an axis are shared among `parts` parts of equal weight.
/// even: sizes differ by one at most, the longer ones first. ceil: all have ceil(points / parts)
/// but the last, which has what is left, never more.
enum class Sharing { even, ceil };

/// Where the parts begin, and the end: parts + 1 numbers, from 0 to `points`. No part is empty:
/// where that cannot be, throws UsageError "Cannot distribute, too many processes" with the numbers
/// (`what` names the points: "rows").
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

}  // namespace portcost::distributed
