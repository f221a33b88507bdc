// SPDX-License-Identifier: Apache-2.0
#include "src/files/edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/files/line_reader.hpp"
#include "src/files/matrix_market.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

constexpr std::string_view smaller = "take a smaller graph";
constexpr EntryWords edge{"FROM TO LENGTH", "length", "write one, or remove the edge",
                          "where there is no way, write no edge"};

// A length as `type` has it.
double length_in(ElementType type, const LineReader& reader, LineReader::Number number) {
  const double value = number.value + 0.0;  // -0 would be shown as a distance of -0
  const std::string_view text = number.text;
  if (type == ElementType::f64) return value;
  if (type == ElementType::f32) {
    if (std::abs(value) > std::numeric_limits<float>::max()) {
      reader.refuse(fmt::format(
          "length {} is not finite in f32: divide all lengths by a power of 2", shown(text)));
    }
    return static_cast<float>(value) + 0.0;
  }
  if (value != std::trunc(value)) {
    reader.refuse(
        fmt::format("length {} is not whole, as i32 needs it: solve with --type f32", shown(text)));
  }
  if (std::abs(value) > most_whole_length) {
    reader.refuse(
        fmt::format("length {} is out of i32's range here, {:.0f} to {:.0f}: solve with --type f32",
                    shown(text), -most_whole_length, most_whole_length));
  }
  return value;
}

// The same, and what it does to the file's length.
double read_length(EdgeList& list, ElementType type, const LineReader& reader,
                   LineReader::Number number) {
  const double length = length_in(type, reader, number);
  if (length != number.value && list.rounded == 0) list.first_rounded = shown(number.text);
  list.rounded += length != number.value;
  list.fits_i32 = list.fits_i32 && number.value == std::trunc(number.value) &&
                  std::abs(number.value) <= most_whole_length;
  return length;
}

// The rest of the line: FROM TO LENGTH, the length as `field` of a banner has it.
Edge read_edge(EdgeList& list, ElementType type, LineReader& reader, std::string_view field) {
  const std::int32_t from = reader.index("vertex", "vertices", list.vertices, edge),
                     to = reader.index("vertex", "vertices", list.vertices, edge);
  const double length = read_length(list, type, reader, read_value(reader, field, edge));
  reader.end_of_line();
  list.edges.push_back({from, to, length});
  return list.edges.back();
}

// A file of `bytes` bytes cannot have more edges, whatever its header says.
void reserve(EdgeList& list, std::int64_t entries, std::size_t bytes, int directions) {
  constexpr std::size_t shortest_line = 4;  // "1 1\n"
  list.edges.reserve(std::min(static_cast<std::size_t>(entries), bytes / shortest_line + 1) *
                     static_cast<std::size_t>(directions));
}

MatrixMarketBanner read_banner_of_graph(LineReader& reader) {
  MatrixMarketBanner banner = read_banner(reader);
  const auto& [format, field, symmetry] = banner;
  if (format != "coordinate") {
    reader.refuse(
        fmt::format("'{}' is not read: convert it to 'coordinate', an edge a line", shown(format)));
  }
  if (field != "real" && field != "integer" && field != "pattern") {
    reader.refuse(fmt::format("'{}' numbers are no lengths of edges: give real, integer or pattern",
                              shown(field)));
  }
  if (symmetry == "skew-symmetric") {
    reader.refuse(
        "skew-symmetric would give each edge its negative as a way back, and so each pair "
        "of vertices a cycle of length 0: write the edges you mean as 'general'");
  }
  if (symmetry != "general" && symmetry != "symmetric") {
    reader.refuse(fmt::format("'{}' is not read: give general or symmetric", shown(symmetry)));
  }
  return banner;
}

EdgeList parse_matrix_market(LineReader reader, std::size_t bytes, ElementType type) {
  reader.next_line();
  const MatrixMarketBanner banner = read_banner_of_graph(reader);
  const bool symmetric = banner.symmetry == "symmetric";
  if (!next_content_line(reader)) {
    reader.refuse("the file ends before ROWS COLUMNS ENTRIES: is it truncated?");
  }
  EdgeList list;
  list.vertices = reader.extent("rows", smaller);
  const std::int64_t columns = reader.extent("columns", smaller),
                     entries = reader.count("entries", 0);
  reader.end_of_line();
  if (columns != list.vertices) {
    reader.refuse(
        fmt::format("a matrix of {} rows and {} columns is no graph: it needs a row and a "
                    "column for each vertex",
                    list.vertices, columns));
  }
  reserve(list, entries, bytes, symmetric ? 2 : 1);
  std::int64_t done = 0;
  for (; next_content_line(reader); ++done) {
    reader.check_one_more(done, entries);
    const auto [from, to, length] = read_edge(list, type, reader, banner.field);
    if (symmetric && from != to) list.edges.push_back({to, from, length});
  }
  reader.check_all(done, entries);
  return list;
}

EdgeList parse_dimacs(LineReader reader, std::size_t bytes, ElementType type) {
  EdgeList list;
  std::int64_t entries = -1, done = 0;
  while (reader.next_line()) {
    if (reader.line().front() == 'c') continue;
    const std::string_view kind = reader.word();
    if (kind == "a") {
      if (entries < 0)
        reader.refuse("an edge before the header: write 'p sp VERTICES EDGES' first");
      reader.check_one_more(done, entries);
      read_edge(list, type, reader, "real");
      ++done;
    } else if (kind == "p") {
      if (entries >= 0) reader.refuse("a second header: remove one of the two");
      const std::string_view problem = reader.word();
      if (problem != "sp") {
        reader.refuse(fmt::format("'p {}' is no shortest-path graph: write 'p sp VERTICES EDGES'",
                                  shown(problem)));
      }
      list.vertices = reader.extent("vertices", smaller);
      entries = reader.count("edges", 0);
      reader.end_of_line();
      reserve(list, entries, bytes, 1);
    } else {
      reader.refuse(
          fmt::format("a line that begins with '{}': lines begin with c (comment), p "
                      "(header) or a (edge)",
                      shown(kind)));
    }
  }
  if (entries < 0) reader.refuse("there is no header: write 'p sp VERTICES EDGES'");
  reader.check_all(done, entries);
  return list;
}

}  // namespace

EdgeList parse_edge_list(std::string_view text, const std::string& file, ElementType type) {
  LineReader first(text, file);
  if (!first.next_line()) first.refuse("the file is empty: it has no graph");
  const std::string_view line = first.line();
  const std::string_view word = first.word();
  const LineReader reader(text, file);
  if (lower(word) == "%%matrixmarket") return parse_matrix_market(reader, text.size(), type);
  // A comment may have no blank behind its c.
  if (word.starts_with('c') || word == "p" || word == "a")
    return parse_dimacs(reader, text.size(), type);
  first.refuse(
      fmt::format("'{}' begins neither a Matrix Market file (%%MatrixMarket matrix "
                  "coordinate ...) nor a .gr file of DIMACS (p sp ...): convert the graph",
                  shown(line)));
}

EdgeList read_edge_list(const std::string& path, ElementType type) {
  return parse_edge_list(file_contents(path, "name a graph's file"), path, type);
}

}  // namespace portcost
