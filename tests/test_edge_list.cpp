// SPDX-License-Identifier: Apache-2.0
// Files of graphs: what is read, and the one line that is said of each that is none.
#include "src/files/graph.hpp"

#include "tests/support.hpp"

namespace portcost::test::test_edge_list {

using Edges = std::vector<Edge>;

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

EdgeList parsed(const std::string& text, ElementType type = ElementType::f64) {
  return parse_edge_list(text, "g", type);
}

void check_refused(const std::vector<Broken>& all, ElementType type = ElementType::f64) {
  check_refusals(all, [type](const std::string& text) {
    return message_of<UsageError>([&] { parsed(text, type); });
  });
}

void check_read(const std::string& what, const std::string& text, std::int64_t vertices,
                const Edges& edges) {
  CAPTURE(what);
  const EdgeList list = parsed(text);
  CHECK(list.vertices == vertices);
  CHECK(list.edges == edges);
}

TEST_CASE("edge list: all forms of a graph are read", "[edge_list]") {
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n",
                    pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  const Edges five{{0, 1, 0.5}, {1, 3, -0.3}, {2, 2, 7}, {0, 1, 2}, {3, 0, 0}};
  check_read("a general matrix, its comments, blank lines and repeated edges",
             banner +
                 "% a comment\n\n4 4 5\n1 2 0.5\n  2   4\t-3e-1 \n% another\n"
                 "3 3 7\n1 2 +2\n4 1 0\n",
             4, five);
  check_read("a banner in any letters",
             "%%matrixmarket MATRIX Coordinate INTEGER General\n2 2 1\n2 1 3\n", 2, {{1, 0, 3}});
  check_read("a symmetric matrix has both directions, of the diagonal one",
             symmetric + "3 3 2\n2 1 5\n3 3 1\n", 3, {{1, 0, 5}, {0, 1, 5}, {2, 2, 1}});
  check_read("edges of a pattern have length 1", pattern + "3 3 1\n3 1\n", 3,
             {{2, 0, 1}, {0, 2, 1}});
  check_read("a .gr file of DIMACS", "c roads\nc\np sp 3 2\nc more\na 1 3 17\na 3 2 4\n", 3,
             {{0, 2, 17}, {2, 1, 4}});
  check_read("one without edges", "p sp 1 0", 1, {});
  check_read("its comments need no blank, even in the first line",
             "c---- a challenge ----\nc x\np sp 2 1\na 1 2 3\n", 2, {{0, 1, 3}});
  check_read("lines end in CR LF", "p sp 2 1\r\na 1 2 9\r\n", 2, {{0, 1, 9}});
  check_read("those of a matrix, too",
             "%%MatrixMarket matrix coordinate real general\r\n2 2 1\r\n1 2 3\r\n", 2, {{0, 1, 3}});
  check_read("the last line ends in nothing, and the first begins with a mark",
             "\xEF\xBB\xBFp sp 2 1\na 1 2 9", 2, {{0, 1, 9}});
}

TEST_CASE("edge list: lengths are those of the type, rounded ones counted, what i32 takes known",
          "[edge_list]") {
  const std::string text = "p sp 3 3\na 1 2 -20000001\na 2 3 20000000\na 1 3 7\n";

  CHECK(parsed(text, ElementType::f32).rounded == 1);
  CHECK(parsed(text, ElementType::f64).rounded == 0);
  CHECK(parsed(text, ElementType::f32).first_rounded == "-20000001");
  CHECK(parsed(text, ElementType::f64).first_rounded == "");
  const EdgeList tenths = parsed("p sp 2 3\na 1 2 0.5\na 1 2 0.1\na 1 2 0.7\n", ElementType::f32);
  CHECK(tenths.rounded == 2);
  CHECK(tenths.first_rounded == "0.1");
  const auto fits = [](const std::string& length) {
    return parsed("p sp 2 2\na 1 2 1\na 1 1 " + length + "\n", ElementType::f32).fits_i32;
  };

  CHECK(fits("20000001"));
  CHECK(fits("1073741823"));
  CHECK(fits("-1073741823"));
  CHECK_FALSE(fits("1073741824"));
  CHECK_FALSE(fits("-2e9"));
  CHECK_FALSE(fits("0.5"));
  const std::string tenth = "p sp 2 1\na 1 2 0.1\n";

  CHECK(parsed(tenth).edges[0].length == 0.1);
  CHECK(parsed(tenth, ElementType::f32).edges[0].length == static_cast<double>(0.1f));
  CHECK(parsed("p sp 2 1\na 1 2 -7.0\n", ElementType::i32).edges[0].length == -7);
  CHECK(parsed("p sp 2 1\na 1 2 1073741823\n", ElementType::i32).edges[0].length == 1073741823);
  for (const char* zero : {"-0", "-0.0", "-1e-60"}) {
    const double length =
        parsed(std::string("p sp 2 1\na 1 2 ") + zero + "\n", ElementType::f32).edges[0].length;
    CHECK(length == 0);
    CHECK_FALSE(std::signbit(length));
  }
}

TEST_CASE("edge list: i32 takes whole lengths in range, f32 finite ones", "[edge_list]") {
  check_refused({{"p sp 2 1\na 1 2 0.5\n", "g:2: length 0.5 is not whole", "--type f32"},
                 {"p sp 2 1\na 1 2 1073741824\n", "g:2: length 1073741824 is out", "--type f32"},
                 {"p sp 2 1\na 1 2 -1073741824\n", "g:2: length -1073741824", "-1073741823"},
                 {"p sp 2 1\na 1 2 99999999999\n", "g:2: length 99999999999", "--type f32"}},
                ElementType::i32);
  check_refused({{"p sp 2 1\na 1 2 1e39\n", "g:2: length 1e39", "divide"}}, ElementType::f32);
}

TEST_CASE("edge list: what is no length and no vertex is named with its line", "[edge_list]") {
  check_refused({
      {"p sp 2 1\na 1 2 x\n", "g:2: ", "length 'x' is no number: write"},
      {"p sp 2 1\na 1 2 1.5.2\n", "g:2: ", "'1.5.2'"},
      {"p sp 2 1\na 1 2 1,5\n", "g:2: ", "'1,5'"},
      {"p sp 2 1\na 1 2 +-5\n", "g:2: ", "'+-5'"},
      {"p sp 2 1\na 1 2 0x10\n", "g:2: ", "'0x10'"},
      {"p sp 2 1\nc\na 1 2 nan\n", "g:3: ", "NaN"},
      {"p sp 2 1\na 1 2 inf\n", "g:2: ", "inf is not finite"},
      {"p sp 2 1\na 1 2 -infinity\n", "g:2: ", "write no edge"},
      {"p sp 2 1\na 1 2 1e999\n", "g:2: ", "1e999 is not finite"},
      {"p sp 2 1\na 1 2\n", "g:2: ", "the length is missing"},
      {"p sp 2 1\na 1 2 3 4\n", "g:2: ", "'4' is too much"},
      {banner + "2 2 1\n1 2\n", "g:3: ", "the length is missing"},
      {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 0.5\n",
       "g:3: length 0.5 is not whole", "'real'"},
      {"p sp 2 1\na 0 2 3\n", "g:2: vertex 0 ", "from 1 on"},
      {"p sp 2 1\na 1 3 3\n", "g:2: vertex 3 ", "there are 2"},
      {"p sp 2 1\na -1 2 3\n", "g:2: vertex -1 ", "out of range"},
      {"p sp 2 1\na 1.5 2 3\n", "g:2: vertex '1.5' ", "from 1 to 2"},
      {"p sp 2 1\na one 2 3\n", "g:2: vertex 'one' ", "no whole number"},
      {"p sp 2 1\na 99999999999999999999 2 3\n", "g:2: vertex 99999999999999999999 ", "range"},
      {"p sp 2 1\na 1\n", "g:2: ", "a vertex is missing"},
      {banner + "2 2 1\n1 3 1\n", "g:3: vertex 3 ", "there are 2"},
      {banner + "2 2 1\n0 1 1\n", "g:3: vertex 0 ", "from 1 on"},
  });
}

TEST_CASE("edge list: bad headers, other numbers of entries, and files that are no graphs",
          "[edge_list]") {
  const auto with = [](const std::string& words) {
    return "%%MatrixMarket " + words + "\n1 1 0\n";
  };
  check_refused({
      {"p sp 0 0\n", "g:1: the number of vertices is '0'", "from 1"},
      {"p sp -3 0\n", "g:1: ", "'-3'"},
      {"p sp 3\n", "g:1: the number of edges is missing", "add it"},
      {"p sp 3 -1\n", "g:1: the number of edges is '-1'", "from 0"},
      {"p sp 3 x\n", "g:1: ", "'x'"},
      {"p sp 3 1 7\n", "g:1: ", "'7' is too much"},
      {"p sp 2147483648 1\n", "g:1: 2147483648 vertices are more than 2147483647", "smaller"},
      {"p sp 99999999999999999999 1\n", "g:1: 99999999999999999999 vertices", "correct"},
      {"p max 3 1\n", "g:1: 'p max'", "p sp VERTICES EDGES"},
      {"p sp 3 1\np sp 3 1\n", "g:2: a second header", "remove"},
      {"a 1 2 3\np sp 3 1\n", "g:1: an edge before the header", "first"},
      {"c nothing\n", "g:1: there is no header", "p sp VERTICES EDGES"},
      {"p sp 3 1\nb 1 2 3\n", "g:2: a line that begins with 'b'", "a (edge)"},
      {"p sp 2 1\na 1 2 3\n\x1A", "g:3: a line that begins with '?'", "a (edge)"},
      {banner + "3 4 1\n1 2 3\n", "g:2: a matrix of 3 rows and 4 columns", "for each vertex"},
      {banner + "3000000000 3000000000 1\n", "g:2: 3000000000 rows", "2147483647"},
      {banner + "3 3\n", "g:2: the number of entries is missing", "add it"},
      {"p sp 3 1\na 1 2 3\na 2 3 4\n", "g:3: the header says 1 entries", "one more"},
      {"p sp 3 3\na 1 2 3\na 2 3 4\n", "g:3: the file ends after 2 of 3", "truncated"},
      {"p sp 3 9223372036854775807\na 1 2 3\n", "g:2: the file ends after 1 of", "truncated"},
      {banner + "3 3 0\n1 2 3\n", "g:3: the header says 0 entries", "remove"},
      {banner + "3 3 2\n1 2 3\n", "g:3: the file ends after 1 of 2", "Copy it again"},
      {banner, "g:1: ", "ROWS COLUMNS ENTRIES"},
      {with("matrix coordinate real skew-symmetric"), "g:1: skew-symmetric", "'general'"},
      {with("matrix coordinate real hermitian"), "g:1: 'hermitian'", "general or symmetric"},
      {with("matrix array real general"), "g:1: 'array'", "coordinate"},
      {with(""), "g:1: the banner has no object", "write"},
      {with("matrix coordinate real general more"), "g:1: 'more' is too much", "end"},
      {"", "g:1: the file is empty", "no graph"},
      {"\n \n\r\n", "g:3: the file is empty", "no graph"},
      {"from,to,length\n1,2,3\n", "g:1: 'from,to,length' begins neither", "convert"},
      {std::string("\177ELF\0\0", 6), "g:1: '\?ELF", "convert"},
      {std::string(1000, 'x'), "g:1: '" + std::string(40, 'x') + "...'", "convert"},
  });
}

TEST_CASE("edge list: a file of any name is read; no file is named", "[edge_list]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("graph.txt"), none = folder.file("none.gr");
  write_file(file, "p sp 2 1\na 2 1 4\n");

  CHECK(read_edge_list(file, ElementType::f32).edges == Edges{{1, 0, 4}});
  const auto message = [](const std::string& path) {
    return message_of<UsageError>([&] { read_edge_list(path, ElementType::f32); });
  };
  CHECK(mentions(message(none), "'" + none + "' (No such file"));
  CHECK(mentions(message(folder.file("")), "it is a folder"));
  write_file(file, "p sp 2 1\na 2 1 x\n");
  CHECK(message(file).starts_with(file + ":2: "));
}

}  // namespace portcost::test::test_edge_list
