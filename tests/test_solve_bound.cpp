// SPDX-License-Identifier: Apache-2.0
// portcost solve with a matrix: what a solution is held to.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/command.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::test::test_solve_bound {

namespace {

using Arguments = std::vector<std::string>;
using Entries = std::vector<std::string>;

// portcost with a made-up algorithm that eliminates (solving_catalogue.cpp).
Outcome solve(const TemporaryFolder& folder, const Arguments& more) {
  Arguments words{"solve", "elimination"};
  words.insert(words.end(), more.begin(), more.end());
  return run_command(folder, words, {.program = PORTCOST_SOLVING});
}

template <class Element>
std::string array_of(std::int64_t rows, std::int64_t columns, const Element& element) {
  std::string text =
      fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", rows, columns);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) text += fmt::format("{:.17g}\n", element(i, j));
  }
  return text;
}

// n on the diagonal and, everywhere else, 1.
std::string dominant(std::int64_t n) {
  return array_of(n, n, [&](auto i, auto j) { return i == j ? static_cast<double>(n) : 1.0; });
}

// Solved in all models: the backward error is within what is allowed, and that is not much more
// than a solution of such a matrix has.
void check_gauss(const TemporaryFolder& folder, const std::string& type, double most_allowed) {
  for (const std::string& model : models_here()) {
    const Outcome outcome = run_command(folder, {"solve", "gauss", "--matrix", "a.mtx", "--rhs",
                                                 "b.mtx", "--type", type, "--model", model});
    CAPTURE(model, type, outcome.out, outcome.err);
    REQUIRE(outcome.status == 0);
    const double error = std::stod(said_of(outcome, "backward error"));
    const double allowed = std::stod(said_of(outcome, "allowed"));
    CHECK(error <= allowed);
    CHECK(allowed > 0);
    CHECK(allowed < most_allowed);
  }
}

}  // namespace

TEST_CASE("solve bound: a solution beyond it ends with 1, and is never written",
          "[command][solve]") {
  const TemporaryFolder folder;
  write_file(folder.file("twice.mtx"), dominant(30));  // of 30 the made-up one doubles the last
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

TEST_CASE("solve bound: without multipliers there is none", "[command][solve]") {
  const TemporaryFolder folder;
  write_file(folder.file("a.mtx"), dominant(34));  // of 34 the made-up one leaves none
  check_refused(solve(folder, {"--matrix", "a.mtx", "--out", "x.npy"}), 1,
                "a.mtx: the bound of b - A x is not finite in f64");
  CHECK(folder.entries() == Entries{"a.mtx"});
}

TEST_CASE("solve bound: gauss, all kinds of matrices in all models", "[command][solve]") {
  const Algorithm& row = algorithm_called("gauss");
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const double rounding = type == ElementType::f32 ? 0x1p-24 : 0x1p-53;
    for (const std::string_view kind : gauss::kind_names) {
      const TemporaryFolder folder;
      const std::int64_t n = 150;
      const Problem problem = problem_of(row, n, fmt::format("matrix={}", kind), type);
      const gauss::Input input = gauss::input_of(problem);
      const auto element = [&](auto i, auto j) { return input.at(i, j); };
      write_file(folder.file("a.mtx"), array_of(n, n, element));
      write_file(folder.file("b.mtx"),
                 array_of(n, 1, [&](auto i, auto) { return input.at(i, n); }));
      CAPTURE(kind);
      // By how much |L||U| may outweigh the matrix: nothing bounds it in `random`.
      const double growth = kind == "random" ? 1e5 : 20;
      check_gauss(folder, std::string(name(type)), 3 * n * rounding * growth);
    }
  }
}

TEST_CASE("solve bound: a multiplier that is too small for the type is no fault",
          "[command][solve]") {
  const TemporaryFolder folder;
  write_file(folder.file("a.mtx"),
             "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1.2676506002282294e30\n"
             "2 1 2.6645352591003757e-15\n2 2 1.2089258196146292e24\n");
  write_file(folder.file("b.mtx"),
             "%%MatrixMarket matrix array real general\n2 1\n1.2676506002282294e30\n"
             "2.6645352591003757e-15\n");
  check_gauss(folder, "f32", 1e-5);
  check_gauss(folder, "f64", 1e-14);
}

}  // namespace portcost::test::test_solve_bound
