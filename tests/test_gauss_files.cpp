// SPDX-License-Identifier: Apache-2.0
// gauss on the matrix of a file (--parameter file=), and its peer that does not take every input.
#include "src/contract/solvers.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::test::test_gauss_files {

using namespace gauss;

const Algorithm& row() { return algorithm_called("gauss"); }

Problem problem_of(std::int64_t n, const std::string& parameters, ElementType type) {
  return test::problem_of(row(), n, parameters, type);
}

Answer answer_of(const Variant& variant, const Problem& problem) {
  const auto instance = row().make(problem, shared_stream(Place::host));
  return run_afresh(*instance, *variant.make(problem, *instance));
}

/// The conductances of a grid of 10 x 20 nodes, each grounded: no pivot is small.
std::string network() {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n200 200 570\n";
  for (int v = 1; v <= 200; ++v) {
    text += fmt::format("{0} {0} 4.25\n", v);
    if (v % 20 != 0) text += fmt::format("{} {} {}\n", v + 1, v, -(1 + v % 4) / 4.0);
    if (v + 20 <= 200) text += fmt::format("{} {} {}\n", v + 20, v, -(1 + v % 3) / 4.0);
  }
  return text;
}

TEST_CASE("gauss inputs: coefficients from a file, in place of the made-up ones", "[gauss]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.mtx");
  write_file(path, "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 3 0.1\n3 3 4\n");
  const Problem problem = problem_of(3, "file=" + path, ElementType::f64);

  row().validate(problem);
  const Input input = input_of(problem);

  CHECK((input.at(0, 0) == 2 && input.at(1, 2) == 0.1 && input.at(2, 2) == 4));
  CHECK((input.at(0, 1) == 0 && input.at(2, 1) == 0));
  CHECK(std::abs(input.at(1, 3)) <= 1);
  CHECK(input.at(1, 3) != input.at(2, 3));
}

TEST_CASE("gauss inputs: files that are not n x n, or no matrices, are refused", "[gauss]") {
  const TemporaryFolder folder;
  const auto check = [&](std::int64_t n, const std::string& text, std::string_view said) {
    const std::string path = folder.file("a" + std::to_string(folder.entries().size()) + ".mtx");
    write_file(path, "%%MatrixMarket matrix array real general\n" + text);
    check_throws<UsageError>(
        said, [&] { row().validate(problem_of(n, "file=" + path, ElementType::f32)); });
  };

  check(4096, "2 2\n1\n0\n0\n1\n", "where n=4096 has as many");
  check(4096, "2 2\n1\n0\n0\n1\n", "give --size n=2");
  check(2, "2 3\n1\n0\n0\n1\n1\n1\n", "2 rows and 3 columns");
  check(2, "2 2\n1\n0\nx\n1\n", ".mtx:5: value 'x'");
  check(2, "2 2\n1\n0\n1e39\n1\n", "1e39 is not finite in f32");
}

TEST_CASE("gauss: variants agree on a file's matrix, or name its exchange", "[gauss][kokkos]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.mtx");
  write_file(path, network());
  agree(row(), Place::host, problem_of(200, "file=" + path, ElementType::f64));

  const std::string exchanging = folder.file("b.mtx");
  write_file(exchanging, "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n");
  const Reference refused(row(), problem_of(2, "file=" + exchanging, ElementType::f64));
  CHECK(mentions(refused.fault(refused.answer()),
                 "column 0 is refused; where it is that small, the file is no input"));
}

TEST_CASE("gauss: LAPACK's LU takes only what needs no exchange of rows", "[gauss]") {
  for (const Variant& variant : row().variants) {
    const bool picky = variant.step == "lapack", in_f64 = variant.step == "tensor_cores";
    CAPTURE(variant_name(row(), variant));
    CHECK(variant.unfit(problem_of(65, "", ElementType::f32)).empty() != in_f64);
    for (const char* other : {"matrix=random", "matrix=hilbert", "matrix=integer"}) {
      CHECK(variant.unfit(problem_of(65, other, ElementType::f64)).empty() != picky);
    }
    if (!picky) continue;
    for (const std::int64_t n : {1, 2, 3, 64, 129, 300}) {
      for (const ElementType type : {ElementType::f32, ElementType::f64}) {
        const Problem problem = problem_of(n, "", type);
        const auto instance = row().make(problem, shared_stream(Place::host));
        CHECK(row().judge(problem, "lapack", answer_of(variant, problem), *instance).fault == "");
      }
    }
    check_throws<Failure>("LAPACK has exchanged columns 0 and ", [&] {
      answer_of(variant, problem_of(65, "matrix=random", ElementType::f64));
    });
  }
}

TEST_CASE("gauss: a user's equations are given to the fastest step first", "[gauss]") {
  const Problem problem = equation_solver.problem(100, ElementType::f64);
  const auto steps = equation_solver.steps(problem, Model::cuda);
  CHECK(steps.front() == "whole_tile");  // of all records of GPUs
  CHECK(steps.back() == "panel");        // which every place has
  CHECK(equation_solver.steps(problem, Model::reference) == std::vector<std::string_view>{"naive"});
}

}  // namespace portcost::test::test_gauss_files
