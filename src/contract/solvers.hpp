// SPDX-License-Identifier: Apache-2.0
// What an algorithm hands over so that `portcost solve` can run it on a problem of the user's.
#pragma once

#include "src/contract/algorithm.hpp"

namespace portcost {

/// Steps of a model, the fastest first; one that a build lacks is passed over.
using StepsOf = std::vector<std::string_view> (*)(const Problem& problem, Model model);

/// Of one that calculates the distances of all pairs of a graph's vertices.
struct GraphSolver {
  std::int64_t most_vertices;
  ElementType standard_type;  // unless one is named
  /// The problem of so many vertices, with next hops where `paths`.
  Problem (*problem)(std::int64_t vertices, ElementType type, bool paths);
  /// An instance of it with given lengths of edges: rows of elements of the problem's type, from
  /// the row's vertex to the column's, no_path<T> (graph.hpp) where there is no edge, 0 on the
  /// diagonal. They are needed during the call only. An answer has the array "distance" of the same
  /// form and, with next hops, "next", i32: the vertex behind the row's on a shortest path to the
  /// column's, the row's own on the diagonal, -1 where there is no path. There is no negative
  /// cycle.
  std::unique_ptr<Instance> (*make)(const Problem& problem, std::span<const std::byte> lengths,
                                    Stream& stream);
  StepsOf steps;
  /// Distances in i32 stay exact where no path without a cycle is longer than this, or shorter than
  /// minus this.
  double longest_whole_path;
};

/// Of one that eliminates in a system of linear equations.
struct EquationSolver {
  std::int64_t most_unknowns;
  ElementType standard_type;  // unless one is named
  /// The problem of so many equations with as many unknowns.
  Problem (*problem)(std::int64_t unknowns, ElementType type);
  /// An instance of it with given equations: n rows of n + 1 finite elements of the problem's type,
  /// the coefficients and the right side. They are needed during the call only. An answer has the
  /// array "lu" of the same form: on and above the diagonal what elimination leaves (U, and the
  /// right sides to go on with), below it the multipliers (L, whose diagonal is 1): both are in the
  /// bound that the solution is held to (residual_allowed). And "bad_pivot", i32: the first column,
  /// from 0, whose pivot is too small to divide by, and what is in "lu" then means nothing, or -1.
  std::unique_ptr<Instance> (*make)(const Problem& problem, std::span<const std::byte> rows,
                                    Stream& stream);
  StepsOf steps;
};

/// Of one that calculates a field on a grid from sizes and parameters alone, which is written to a
/// file.
struct FieldSolver {
  std::string_view field;       // the array of an answer that is written, of two extents
  ElementType standard_type;    // unless one is named
  std::string_view parameters;  // key=value,...: defaults that are not those of measuring
  double (*nodes)(const Problem& problem);  // of the field
  /// Bytes that one of several processes takes for a step alone (Algorithm::footprint is of all).
  double (*footprint_over_ranks)(const Problem& problem);
  StepsOf steps;
  /// The iteration that is to be told when a phase begins; -1: none.
  std::int64_t (*told)(const Problem& problem, int phase);
};

/// What an instance over ranks is, besides, whose field is to be written: its ranks do so together,
/// each its own part. Everything is collective.
class FieldOverRanks {
 public:
  virtual ~FieldOverRanks() = default;
  /// `header`, then the field row by row (distributed/files.hpp, gather).
  virtual void write_field(const std::string& path, std::string_view header) = 0;
  virtual bool field_is_finite() = 0;
  /// Rows and columns of the whole field.
  virtual std::array<std::int64_t, 2> field_extents() const = 0;
  /// The arrays of the answer but the field; on rank 0 alone.
  virtual Answer found() = 0;
};

}  // namespace portcost
