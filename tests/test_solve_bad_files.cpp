// SPDX-License-Identifier: Apache-2.0
// portcost solve on files and names that are wrong or strange: one line of error, nothing written.
#include "tests/solve_files.hpp"

namespace portcost::test::test_solve_bad_files {
namespace {

struct Case {
  std::string text, said;
};

// Each text as a file of `algorithm`, which `option` names, in turn.
void check_all(const std::string& algorithm, const std::string& option,
               const std::vector<Case>& cases) {
  for (const auto& [text, said] : cases) {
    const Files folder{{"a", text}};
    CAPTURE(text);
    check_refused(solve(folder, algorithm, {option, "a", "--out", "x.npy"}), 2, said);
    CHECK(folder.entries() == Entries{"a"});
  }
}

std::string with_returns(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

TEST_CASE("solve bad files: equations", "[command][solve][gauss]") {
  check_all(
      "gauss", "--matrix",
      {{coordinate_banner + "9223372036854775807 9223372036854775807 1\n1 1 1\n",
        "a:2: 9223372036854775807 rows are more than 2147483647"},
       {coordinate_banner + "1 1 9223372036854775807\n1 1 1\n", "a:3: the file ends after 1 of"},
       {coordinate_banner + "1 1 9223372036854775808\n1 1 1\n", "more than can be counted"},
       {array_banner + "2147483647 2147483647\n1\n", "a has 2147483647 unknowns, and gauss takes"},
       {array_banner + "0 0\n", "a:2: the number of rows is '0'"},
       {array_banner + "1 1\nNaN\n", "a:3: the value is NaN"},
       {array_banner + "1 1\n" + std::string(100000, '9') + "\n", "is not finite in f64"},
       {array_banner + "1 1\n1\n\x1A", "a:4: the header says 1 entries, and this is one more"},
       {coordinate_banner + "1 1 1\n1 1 2" + std::string(1, '\0') + "\n", "a:3: value '2?' is no"},
       {std::string("\xFF\xFE%\0%\0", 6), "a:1: the file is UTF-16 text"},
       {"%%MatrixMarket", "a:1: the banner has no object"}});
}

TEST_CASE("solve bad files: graphs", "[command][solve][floyd_warshall]") {
  check_all("floyd_warshall", "--graph",
            {{"p sp 9223372036854775807 1\n", "a:1: 9223372036854775807 vertices are more than"},
             {"p sp 2 9223372036854775807\na 1 2 3\n", "a:2: the file ends after 1 of"},
             {"p sp 2147483647 0\n", "a has 2147483647 vertices, and floyd_warshall takes"},
             {"p sp 0 0\n", "a:1: the number of vertices is '0'"},
             {"p sp 2 1\na 1 2 nan\n", "a:2: the length is NaN"},
             {"p sp 2 1\na 1 2 3\n\x1A", "a:3: a line that begins with '?'"},
             {"p sp 2 1\na 1 2 3e38\n", "a: a path may be as long as 3e+38, and f32 holds"},
             {std::string(1000000, 'a'), "begins neither a Matrix Market file"},
             {std::string("\xFE\xFF\0p\0 ", 6), "a:1: the file is UTF-16 text"}});
}

TEST_CASE("solve bad files: marks, CR LF and tabs are read", "[command][solve][gauss]") {
  const std::string mark = "\xEF\xBB\xBF";
  const Files folder{
      {"a", mark + with_returns(coordinate_banner + "2\t2\t2\n1\t1\t4\n2\t2\t5\t\n")},
      {"g", mark + with_returns("p\tsp\t2\t1\na\t1\t2\t3\n\n")}};

  const Outcome equations = solve(folder, "gauss", {"--matrix", "a"});
  const Outcome graph = solve(folder, "floyd_warshall", {"--graph", "g"});

  CHECK(said_of(equations, "nonzeros") == "2 of 4");
  CHECK(said_of(equations, "error").starts_with("0 "));
  CHECK(said_of(graph, "diameter") == "3 (from 1 to 2)");
}

TEST_CASE("solve bad files: a length of -0 is no distance of -0", "[command][solve]") {
  const Files folder{{"g", "p sp 2 1\na 1 2 -0\n"}};

  CHECK(said_of(solve(folder, "floyd_warshall", {"--graph", "g"}), "diameter") ==
        "0 (from 1 to 2)");
}

TEST_CASE("solve bad files: folders and devices are no files", "[command][solve]") {
  const Files folder{{"a", array_banner + "1 1\n3\n"}};
  for (const std::string device : {"/dev/zero", "/dev/full", "/dev/null"}) {
    const std::string said = "cannot read '" + device + "' (it is a device)";
    check_refused(solve(folder, "gauss", {"--matrix", device}), 2, said);
    check_refused(solve(folder, "gauss", {"--matrix", "a", "--rhs", device}), 2, said);
    check_refused(solve(folder, "floyd_warshall", {"--graph", device}), 2, said);
  }
  check_refused(solve(folder, "gauss", {"--matrix", "a", "--rhs", "."}), 2, "(it is a folder)");
  check_refused(solve(folder, "gauss", {"--matrix", "a\nb"}), 2, "cannot read 'a b'");
}

TEST_CASE("solve bad files: what cannot be written to", "[command][solve]") {
  const Files folder{{"a", array_banner + "1 1\n3\n"}};
  const auto check = [&](const std::string& out, const std::string& said) {
    check_refused(solve(folder, "gauss", {"--matrix", "a", "--out", out}), 2, said);
  };

  check("/dev/full", "'/dev/full' must end in .npy");
  check("a/x.npy", "cannot write 'a/x.npy.part' (Not a directory)");
  std::filesystem::create_symlink("/dev/full", folder.file("link.npy"));
  check("link.npy", "'link.npy' exists");
  std::filesystem::create_symlink("/dev/full", folder.file("y.npy.part"));
  check("y.npy", "cannot write 'y.npy.part' (it is no regular file)");
  CHECK(folder.entries() == Entries{"a", "link.npy", "y.npy.part"});
}

TEST_CASE("solve bad files: an output that is full ends with 3", "[command][solve]") {
  const Files folder{{"a", array_banner + "1 1\n3\n"}};

  check_refused(solve(folder, "gauss", {"--matrix", "a"}, {.out = "/dev/full"}), 3,
                "the output could not be written (No space left on device)");
}

}  // namespace
}  // namespace portcost::test::test_solve_bad_files
