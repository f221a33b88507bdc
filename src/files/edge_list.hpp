// SPDX-License-Identifier: Apache-2.0
// Graphs as files have them: Matrix Market coordinate files and the .gr files of the shortest-path
// challenge of DIMACS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/contract/element_type.hpp"

namespace portcost {

/// An edge from one vertex to another. Vertices count from 0; in files they count from 1.
struct Edge {
  std::int32_t from, to;
  double length;
  bool operator==(const Edge&) const = default;
};

/// What a file says: edges in its order, repeated ones and self-loops among them. Of a symmetric
/// matrix both directions of each entry are here.
struct EdgeList {
  std::int64_t vertices = 0;
  std::vector<Edge> edges;
  std::int64_t rounded = 0;  // lengths of the file that the element type does not hold, but rounds
  std::string first_rounded = {};  // the first of these, as the file has it
  bool fits_i32 = true;  // all lengths of the file are whole, and none beyond most_whole_length
};

/// Lengths of edges in i32 lie between minus this and this.
inline constexpr double most_whole_length = (1 << 30) - 1;

/// Reads a graph whose lengths are to be calculated with as `type`: f32 rounds them to nearest, i32
/// takes whole numbers up to most_whole_length only. The first line that is no empty one says the
/// format:
///
///   %%MatrixMarket matrix coordinate real general    also integer or pattern (length 1), symmetric
///   % comment
///   ROWS COLUMNS ENTRIES                             as many columns as rows
///   FROM TO LENGTH
///
///   c comment                                        https://www.diag.uniroma1.it/challenge9
///   p sp VERTICES EDGES
///   a FROM TO LENGTH
///
/// (Matrix Market: https://math.nist.gov/MatrixMarket/formats.html.) Lines may end in CR LF. Throws
/// UsageError, "FILE:LINE: what is wrong: what to do", for whatever is not such a file, and Failure
/// when reading breaks off.
EdgeList read_edge_list(const std::string& path, ElementType type);

/// The same of a text; `file` is the name in errors.
EdgeList parse_edge_list(std::string_view text, const std::string& file, ElementType type);

}  // namespace portcost
