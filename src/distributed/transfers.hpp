// SPDX-License-Identifier: Apache-2.0
// What moves between parts of distributed arrays: arithmetic alone, without MPI.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "src/distributed/box.hpp"
#include "src/distributed/distribution.hpp"

namespace portcost::distributed {

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
