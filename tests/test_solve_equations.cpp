// SPDX-License-Identifier: Apache-2.0
// portcost solve with a matrix as a user runs it, and what a solution is held to. Its answers are
// held against NumPy's in tests/scripts/test_solve.py.
#include "tests/command.hpp"

namespace portcost::test::test_solve_equations {

// Three equations whose unknowns are 1, 2 and 3 with these right sides.
const std::string small =
    "%%MatrixMarket matrix coordinate integer general\n3 3 9\n1 1 2\n1 2 1\n1 3 -1\n2 1 4\n2 2 1\n"
    "2 3 2\n3 1 -2\n3 2 1\n3 3 2\n";
const std::string right = "%%MatrixMarket matrix array integer general\n3 1\n1\n12\n6\n";

// portcost with a made-up algorithm that eliminates (made_up_catalogue.cpp).
Outcome solve(const TemporaryFolder& folder, const Arguments& more) {
  return run_made_up(folder, joined({"solve", "elimination"}, more));
}

std::vector<double> unknowns_of(const std::string& path) {
  const std::vector<double> values = elements_of<double>(path);
  const auto count = static_cast<std::int64_t>(values.size());
  CHECK(read_file(path).starts_with(npy_header(ElementType::f64, count)));
  return values;
}

TEST_CASE("solve equations: unknowns, and what is said of them", "[command][solve]") {
  const Files folder{{"a.mtx", small}, {"b.mtx", right}};

  const Outcome outcome = solve(folder, {"--matrix", "a.mtx", "--rhs", "b.mtx", "--out", "x.npy"});

  INFO(outcome.err << outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.starts_with("elimination of a.mtx, f64\n"));
  CHECK(said_of(outcome, "unknowns") == "3");
  CHECK(said_of(outcome, "nonzeros") == "9 of 9");
  CHECK(said_of(outcome, "right side") == "b.mtx");
  CHECK(said_of(outcome, "residual").starts_with("0 "));
  CHECK(said_of(outcome, "backward error").starts_with("0 "));
  CHECK(said_of(outcome, "error") == "(nothing)");
  // What is left has 2, 1, -1, -1, 4, 9 on and above the diagonal; the greatest was 4.
  CHECK(said_of(outcome, "growth factor") ==
        "2.25 (greatest of U / greatest of A; Higham's is no less)");
  CHECK(mentions(said_of(outcome, "time"), " (one run, the first), "));
  CHECK(mentions(said_of(outcome, "time"), "FLOP/s (2/3 n^3 / time), elimination/plain/openmp"));
  CHECK(said_of(outcome, "written") == "x.npy");
  CHECK(unknowns_of(folder.file("x.npy")) == std::vector<double>{1, 2, 3});
  CHECK(folder.entries() == Entries{"a.mtx", "b.mtx", "x.npy"});
}

TEST_CASE("solve equations: gauss, by all its models", "[command][solve]") {
  const Files folder{
      {"a.mtx", small}, {"b.mtx", right}, {"singular.mtx", array_banner + "2 2\n1\n2\n2\n4\n"}};
  for (const std::string& model : models_here()) {
    for (const std::string type : {"f32", "f64"}) {
      CAPTURE(model, type);
      const Outcome outcome =
          run_command(folder, {"solve", "gauss", "--matrix", "a.mtx", "--rhs", "b.mtx", "--out",
                               "x.npy", "--force", "--type", type, "--model", model});
      INFO(outcome.err);
      REQUIRE(outcome.status == 0);
      CHECK(mentions(said_of(outcome, "time"), "/" + model));
      CHECK(unknowns_of(folder.file("x.npy")) == std::vector<double>{1, 2, 3});
      check_refused(run_command(folder, {"solve", "gauss", "--matrix", "singular.mtx", "--type",
                                         type, "--model", model}),
                    1, "singular.mtx: the pivot of column 2 (from 1) is 0, no greater than");
    }
  }
}

TEST_CASE("solve equations: without right sides all unknowns are 1", "[command][solve]") {
  const Files folder{{"a.mtx", dominant(20)}};

  const Outcome exact = solve(folder, {"--matrix", "a.mtx", "--out", "x.npy"});

  REQUIRE(exact.status == 0);
  CHECK(mentions(said_of(exact, "right side"), "A times ones"));
  CHECK(std::stod(said_of(exact, "error")) < 1e-15);
  for (const double one : unknowns_of(folder.file("x.npy"))) CHECK(std::abs(one - 1) < 1e-15);
  // f32 is held against the file's 0.1, and not against the f32 beside it.
  const Files tenth{{"a.mtx", array_banner + "1 1\n3\n"}, {"b.mtx", array_banner + "1 1\n0.1\n"}};
  const Outcome rounded = solve(tenth, {"--matrix", "a.mtx", "--rhs", "b.mtx", "--type", "f32"});
  CHECK(std::stod(said_of(rounded, "backward error")) > 7e-9);
}

TEST_CASE("solve equations: one unknown, and repeated entries", "[command][solve]") {
  const Files folder{
      {"one.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 2\n1 1 5\n1 1 -1\n"}};

  const Outcome outcome = solve(folder, {"--matrix", "one.mtx"});

  REQUIRE(outcome.status == 0);
  CHECK(said_of(outcome, "nonzeros") == "1 of 1 (1 repeated ones added up)");
  CHECK(said_of(outcome, "error").starts_with("0 "));
  CHECK(mentions(said_of(outcome, "written"), "nothing"));
}

TEST_CASE("solve equations: unfit variants are passed over, or say why", "[command][solve]") {
  const Files folder{{"a.mtx", dominant(32)}, {"b.mtx", dominant(33)}};
  const auto used = [&](const Arguments& words) { return said_of(solve(folder, words), "time"); };

  CHECK(used({"--matrix", "a.mtx"}).ends_with("elimination/plain/openmp"));
  CHECK(used({"--matrix", "b.mtx"}).ends_with("elimination/faster/openmp"));
  CHECK(used({"--matrix", "a.mtx", "--model", "reference"}).ends_with("plain/reference"));
  check_refused(solve(folder, {"--matrix", "b.mtx", "--model", "reference"}), 2,
                "elimination/plain/reference does not take n=33: it does not count to 33: take "
                "another --model or another --type");
}

TEST_CASE("solve equations: a pivot of 0 ends with 1 and names its column", "[command][solve]") {
  const Files folder{{"a.mtx", array_banner + "3 3\n1\n0\n0\n0\n0\n1\n0\n1\n0\n"}};

  const Outcome outcome = solve(folder, {"--matrix", "a.mtx", "--out", "x.npy"});

  check_refused(outcome, 1, "a.mtx: the pivot of column 2 (from 1) is 0");
  CHECK(mentions(outcome.err, "put the rows in an order"));
  CHECK_FALSE(mentions(outcome.err, "--type f64"));
  CHECK(mentions(solve(folder, {"--matrix", "a.mtx", "--type", "f32"}).err, "or take --type f64"));
  CHECK(folder.entries() == Entries{"a.mtx"});
}

TEST_CASE("solve equations: what has no solution is refused in one line", "[command][solve]") {
  struct Refused {
    std::string matrix, rhs, type;
    int status;
    std::string said;
  };
  for (const auto& [matrix, rhs, type, status, said] : std::vector<Refused>{
           // Of 31 the made-up algorithm leaves infinity, of 34 no multipliers.
           {dominant(31), "", "f64", 1, "a.mtx: what is left is not finite in f64"},
           {dominant(34), "", "f64", 1, "a.mtx: the bound of b - A x is not finite in f64"},
           {array_banner + "1 1\n1e-300\n", array_banner + "1 1\n1e300\n", "f64", 1,
            "a.mtx: the solution is not finite"},
           {array_banner + "2 2\n3e38\n0\n3e38\n1\n", "", "f32", 2,
            "a.mtx: the sum of row 1 is not finite in f32"},
           {array_banner + "1 2\n1\n2\n", "", "f64", 2,
            "a.mtx: a matrix of 1 rows and 2 columns is no system of equations"},
           {array_banner + "1 1\nnan\n", "", "f64", 2, "a.mtx:3: the value is NaN"},
           {coordinate_banner + "2147483647 2147483647 0\n", "", "f64", 2,
            "a.mtx has 2147483647 unknowns, and elimination takes 60 at most"},
           {coordinate_banner + "50 50 0\n", "", "f64", 2,
            "a.mtx has 50 unknowns, and its equations in f64 need 1000000000020400 bytes"},
           {small, array_banner + "2 1\n1\n2\n", "f64", 2,
            "b.mtx has 2 elements, where 3 are needed"}}) {
    const Files folder{{"a.mtx", matrix}, {"b.mtx", rhs}};
    Arguments words{"--matrix", "a.mtx", "--type", type, "--out", "x.npy"};
    if (!rhs.empty()) words.insert(words.end(), {"--rhs", "b.mtx"});
    check_refused(solve(folder, words), status, said);
    CHECK(folder.entries() == Entries{"a.mtx", "b.mtx"});
  }
}

TEST_CASE("solve equations: mistakes in the command are one line", "[command][solve]") {
  const Files folder{{"a.mtx", small}, {"a.npy", small}};
  const auto check = [&](const Arguments& words, const std::string& said) {
    check_refused(solve(folder, words), 2, said);
  };
  check({}, "elimination reads a file of yours: name it, --matrix FILE");
  check({"--graph", "a.mtx"}, "--graph has no meaning for elimination");
  check({"--matrix", "a.mtx", "--paths"}, "--paths has no meaning for elimination");
  check({"--matrix", "a.npy", "--out", "a.npy", "--force"},
        "--out a.npy writes a.npy, a file that is read");
  check({"--matrix", "a.mtx", "--rhs", "a.npy", "--out", "a.npy", "--force"},
        "--out a.npy writes a.npy, a file that is read");
  CHECK(read_file(folder.file("a.npy")) == small);
  check({"--matrix", "a.mtx", "--out", "a.npy"}, "'a.npy' exists");
}

TEST_CASE("solve bound: a solution beyond it ends with 1, not written", "[command][solve]") {
  const Files folder{{"twice.mtx", dominant(30)}};  // of 30 the made-up one doubles the last
  for (const std::string type : {"f32", "f64"}) {
    const Outcome outcome =
        solve(folder, {"--matrix", "twice.mtx", "--out", "x.npy", "--type", type});
    // The last unknown is 2, and the others make up for it in their rows, but not in the last.
    check_refused(outcome, 1,
                  "twice.mtx: |b - A x| of row 30 (from 1) is 29.5, where Higham's theorem 9.4 "
                  "allows ");
    CHECK(mentions(outcome.err, ": elimination/plain/openmp went wrong here"));
  }
  CHECK(folder.entries() == Entries{"twice.mtx"});
}

}  // namespace portcost::test::test_solve_equations
