// SPDX-License-Identifier: Apache-2.0
// portcost solve as a user runs it. Its answers are read with NumPy in tests/scripts/test_solve.py.
#include "tests/command.hpp"

namespace portcost::test::test_solve {

// Vertices 1 to 4 and one that nothing leads to, a repeated edge and two loops.
const std::string small =
    "c small\np sp 5 8\na 1 2 3\na 2 3 -1\na 3 1 4\na 1 3 9\na 3 4 2\na 1 2 5\na 2 2 7\na 5 1 1\n";

// portcost with a made-up algorithm that solves graphs by three loops (made_up_catalogue.cpp).
Outcome solve(const TemporaryFolder& folder, const Arguments& more, const Around& around = {}) {
  return run_made_up(folder, joined({"solve", "three_loops"}, more), around);
}

// A ring of n vertices, edges of length 1 and back of length -1: every cycle has length 0.
std::string ring_of_zeros(int n) {
  std::string text = fmt::format("p sp {} {}\n", n, 2 * n - 2);
  for (int v = 1; v < n; ++v) {
    text += fmt::format("a {} {} 1\na {} {} -1\n", v, v + 1, v + 1, v);
  }
  return text;
}

TEST_CASE("solve: distances and next hops of a small graph", "[command][solve]") {
  const Files folder{{"small.gr", small}}, none{{"three.gr", "p sp 3 0\n"}};
  const Outcome unwritten = solve(folder, {"--graph", "small.gr", "--model", "reference"});
  REQUIRE(unwritten.status == 0);
  CHECK(mentions(said_of(unwritten, "time"), "three_loops/plain/reference"));
  CHECK(mentions(said_of(unwritten, "written"), "nothing"));
  CHECK(folder.entries() == Entries{"small.gr"});
  CHECK(mentions(said_of(solve(none, {"--graph", "three.gr"}), "diameter"), "none"));

  const Outcome outcome =
      solve(folder, {"--graph", "small.gr", "--paths", "--out", "d.npy", "--type", "i32"});

  INFO(outcome.err << outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK(said_of(outcome, "vertices") == "5");
  CHECK(said_of(outcome, "edges") == "6 (left out: 1 repeated ones, 1 from a vertex to itself)");
  CHECK(said_of(outcome, "reachable pairs") == "13 of 20");
  CHECK(said_of(outcome, "diameter") == "7 (from 3 to 2)");
  CHECK(mentions(said_of(outcome, "time"), "updates/s"));
  CHECK(mentions(said_of(outcome, "time"), "three_loops/plain/openmp"));
  CHECK(said_of(outcome, "written") == "d.npy, d.next.npy");
  CHECK(folder.entries() == Entries{"d.next.npy", "d.npy", "small.gr"});
  constexpr int no = 2147483647;
  CHECK(elements_of<int>(folder.file("d.npy")) == std::vector<int>{0,  3,  2, 4, no, 3,  0,  -1, 1,
                                                                   no, 4,  7, 0, 2,  no, no, no, no,
                                                                   0,  no, 1, 4, 3,  5,  0});
  CHECK(elements_of<int>(folder.file("d.next.npy")) ==
        std::vector<int>{0, 1,  1,  1,  -1, 2, 1,  2, 2, -1, 0, 0, 2,
                         3, -1, -1, -1, -1, 3, -1, 0, 0, 0,  0, 4});
}

TEST_CASE("solve: graphs without an answer are refused in one line", "[command][solve]") {
  struct Refused {
    std::string text, type;
    int status;
    std::string said;
  };
  std::string ring = "p sp 20 20\na 20 1 -20\n";
  for (int v = 1; v < 20; ++v) ring += fmt::format("a {} {} 1\n", v, v + 1);
  for (const auto& [text, type, status, said] : std::vector<Refused>{
           {"p sp 4 4\na 1 2 1\na 2 3 1\na 3 2 -9\na 2 1 1\n", "f32", 1,
            "g.gr: vertex 2 is on a negative cycle, of length -8 (2 -> 3 -> 2)"},
           {"p sp 2 1\na 2 2 -0.5\n", "f32", 1,
            "vertex 2 is on a negative cycle, of length -0.5 (2 -> 2)"},
           {ring, "f32", 1, "... (12 more) -> "},
           // Of 40 vertices the made-up algorithm lies.
           {"p sp 40 1\na 1 2 1\n", "f32", 1, "rounding in f32 puts vertex 40"},
           {"p sp 3 2\na 1 2 1000000\na 2 3 48577\n", "i32", 2,
            "a path may be as long as 1048577, and i32 holds 1048576 here: solve with"},
           {"p sp 3 2\na 1 2 1e38\na 2 3 1e38\n", "f32", 2,
            "g.gr: a path may be as long as 2e+38, and f32 holds 1.7e+38 here: divide"},
           {"p sp 3 2\na 1 2 -1e308\na 2 3 -1e308\n", "f64", 2,
            "a path may be as long as inf, and f64 holds 8.99e+307 here: divide"},
           {"p sp 50 1\na 1 2 1\n", "f32", 2, "need 1000000000010000 bytes"},
           {"p sp 2147483647 1\na 1 2 1\n", "f32", 2,
            "g.gr has 2147483647 vertices, and three_loops takes 60 at most"},
           {"p sp 2 1\na 1 2 x\n", "f32", 2, "g.gr:2: length 'x'"},
           {"p sp 2 1\na 1 2 0.5\n", "i32", 2, "g.gr:2: "}}) {
    const Files folder{{"g.gr", text}};
    CAPTURE(text);
    check_refused(solve(folder, {"--graph", "g.gr", "--out", "d.npy", "--type", type}), status,
                  said);
    CHECK(folder.entries() == Entries{"g.gr"});
  }
  // The longest paths that a type holds.
  const Files folder{{"whole.gr", "p sp 3 2\na 1 2 1000000\na 2 3 48576\n"},
                     {"long.gr", "p sp 3 2\na 1 2 1e38\na 2 3 1e38\n"}};
  CHECK(solve(folder, {"--graph", "whole.gr", "--type", "i32"}).status == 0);
  REQUIRE(solve(folder, {"--graph", "long.gr", "--type", "f64", "--out", "d.npy"}).status == 0);
  CHECK(elements_of<double>(folder.file("d.npy")).at(2) == 2e38);
}

TEST_CASE("solve: next hops that go round cycles of length 0 are mended", "[command][solve]") {
  constexpr int n = 30;
  const Files folder{{"g.gr", ring_of_zeros(n)}};

  const Outcome outcome =
      solve(folder, {"--graph", "g.gr", "--paths", "--out", "d.npy", "--type", "i32"});

  INFO(outcome.err << outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK(mentions(said_of(outcome, "next hops"), "made anew for 28 targets"));
  const auto next = elements_of<int>(folder.file("d.next.npy"));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) CHECK(next[i * n + j] == i + (j > i) - (j < i));
  }
}

TEST_CASE("solve: f32 says when it rounds lengths, or may round a sum", "[command][solve]") {
  const Files folder{{"whole.gr", "p sp 3 2\na 1 2 16777216\na 2 3 1\n"},
                     {"sums.gr", "p sp 3 2\na 1 2 -16777215\na 2 3 -2\n"},
                     {"halves.gr", "p sp 3 2\na 1 2 8388607.5\na 2 3 0.5\n"},
                     {"small.gr", "p sp 3 2\na 1 2 1\na 2 3 -0.5\n"},
                     {"just.gr", "p sp 3 2\na 1 2 16777214\na 2 3 1\n"}};
  const auto said = [&](const char* file) {
    const Outcome outcome = solve(folder, {"--graph", file});
    return mentions(outcome.out, "rounding") ? said_of(outcome, "rounding") : "";
  };

  for (const char* file : {"whole.gr", "sums.gr"}) {
    CHECK(said(file) == "f32 rounds sums of these lengths above 16777216");
  }
  CHECK(said("halves.gr") == "f32 rounds sums of these lengths above 8388608");
  for (const char* file : {"small.gr", "just.gr"}) CHECK(said(file) == "");
  CHECK_FALSE(mentions(solve(folder, {"--graph", "whole.gr", "--type", "f64"}).out, "rounds"));
}

TEST_CASE("solve: mistakes in the command are one line", "[command][solve]") {
  const Files folder{{"g.gr", "p sp 2 1\na 1 2 1\n"}};
  const auto check = [&](const Arguments& words, const std::string& said) {
    check_refused(run_made_up(folder, joined({"solve"}, words)), 2, said);
  };
  check({}, "ALGORITHM");
  check({"three_loops", "--graph", "none.gr"}, "'none.gr' (No such file");
  check({"three_loops", "--graph", "."}, "'.' (it is a folder)");
  check({"three_loops", "--graph", "a\nb"}, "cannot read 'a b'");
  check({"three_loops"}, "--graph");
  check({"three_lops", "--graph", "g.gr"},
        "'three_lops' is no algorithm: did you mean 'three_loops'");
  check({"three_loops", "--matrix", "g.gr"}, "--matrix has no meaning for three_loops");
  check({"three_loops", "--graph", "g.gr", "--rhs", "g.gr"},
        "--rhs has no meaning for three_loops");
  check({"no_graph", "--graph", "g.gr"},
        "no_graph cannot be run on a file of yours: three_loops, elimination can");
  check({"lost", "--graph", "g.gr"}, "lost is left out of this build");
  check({"three_loops", "--graph", "g.gr", "--type", "i64"}, "'i64'");
  check({"three_loops", "--graph", "g.gr", "--model", "opnmp"}, "did you mean 'openmp'");
  check({"three_loops", "--graph", "g.gr", "--model", "cuda"}, "--model cuda: ");
  check({"three_loops", "--graph", "g.gr", "--model", "kokkos"}, "--model kokkos: ");
  check({"three_loops", "--graph", "g.gr", "--paths"}, "--paths without --out");
  check({"three_loops", "--graph", "g.gr", "--out", "d.txt"}, "'d.txt' must end in .npy");
  check({"three_loops", "--graph", "g.gr", "--out", "missing/d.npy"}, "missing/d.npy");
  CHECK(folder.entries() == Entries{"g.gr"});
}

TEST_CASE("solve: files that exist are kept, unless --force replaces them", "[command][solve]") {
  const Files folder{{"g.gr", "p sp 2 1\na 1 2 1\n"}, {"d.next.npy", "old"}};
  const Arguments words{"--graph", "g.gr", "--paths", "--out", "d.npy"};

  check_refused(solve(folder, words), 2, "'d.next.npy' exists");
  CHECK(read_file(folder.file("d.next.npy")) == "old");
  CHECK(folder.entries() == Entries{"d.next.npy", "g.gr"});
  CHECK(solve(folder, joined(words, {"--force"})).status == 0);
  CHECK(read_file(folder.file("d.next.npy")).size() == 128 + 16);
}

TEST_CASE("solve: a full disk ends with 3 and one line, and leaves nothing", "[command][solve]") {
  const Files folder{{"g.gr", "p sp 35 0\n"}};

  check_one_line(solve(folder, {"--graph", "g.gr", "--paths", "--out", "d.npy"},
                       {.before = "trap '' XFSZ; ulimit -f 4;"}),
                 3, "d.npy.part' could not be written (File too large)");
  CHECK(folder.entries() == Entries{"g.gr"});
  check_refused(solve(folder, {"--graph", "g.gr"}, {.out = "/dev/full"}), 3,
                "the output could not be written (No space left on device)");
}

}  // namespace portcost::test::test_solve
