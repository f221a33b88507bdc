// SPDX-License-Identifier: Apache-2.0
// portcost solve with a grid as a user runs it: the files, what is said, and what is refused.
#include "tests/command.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_solve_field {

Outcome solve(const TemporaryFolder& folder, const Arguments& more) {
  return run_command(folder, joined({"solve", "jacobi"}, more));
}

const std::string few = "rows=5,columns=7,iterations=40";

TEST_CASE("solve: inner nodes are written, alike from all models", "[solve][jacobi][command]") {
  const TemporaryFolder folder;
  std::string first;
  for (const std::string& model : models_here()) {
    CAPTURE(model);
    for (const char* file : {"t.npy", "t.raw"}) {
      const Outcome outcome =
          solve(folder, {"--size", few, "--model", model, "--out", file, "--force"});
      CHECK(outcome.status == 0);
      CHECK(outcome.err == "Iteration 0\n");
    }
    const std::string raw = read_file(folder.file("t.raw"));
    CHECK(raw.size() == 5 * 7 * sizeof(double));
    CHECK(read_file(folder.file("t.npy")) == npy_header(ElementType::f64, 5, 7) + raw);
    if (first.empty()) first = raw;
    CHECK(raw == first);
  }
  // Zero inside and one around at first: nodes come near 1 from below, those in the middle last.
  const std::vector<double> nodes = elements_of<double>(folder.file("t.npy"));
  CHECK((nodes[0] > nodes[2 * 7 + 3] && nodes[0] < 1 && nodes[2 * 7 + 3] > 0.5));
  for (std::size_t i = 0; i < nodes.size(); ++i) CHECK(nodes[i] == nodes[nodes.size() - 1 - i]);
}

// Fields of 0, boundary 1, dx 0.5, dy 0.25, 5000 iterations.
TEST_CASE("solve: the HOWTO's own run", "[solve][jacobi][command]") {
  const TemporaryFolder folder;
  const Outcome outcome = solve(folder, {"--size", "rows=60,columns=90", "--out", "t.npy"});
  CHECK(outcome.err ==
        "Iteration 0\nIteration 1000\nIteration 2000\nIteration 3000\nIteration 4000\n");
  const std::vector<double> right = howto(60, 90, 5000);
  const std::vector<double> found = elements_of<double>(folder.file("t.npy"));
  REQUIRE(found.size() == right.size());
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(found[i] - right[i]));
  }
  CHECK((right[29 * 90 + 44] < 0.99 && largest < 1e-12));  // not converged: each iteration counts
}

TEST_CASE("solve: a field in f32, and random where that is asked for", "[solve][jacobi][command]") {
  const TemporaryFolder folder;
  CHECK(solve(folder, {"--size", few, "--type", "f32", "--out", "a.raw"}).status == 0);
  CHECK(solve(folder,
              {"--size", few, "--type", "f32", "--parameter", "fields=random", "--out", "b.raw"})
            .status == 0);
  const std::string zero = read_file(folder.file("a.raw")),
                    random = read_file(folder.file("b.raw"));
  CHECK(zero.size() == 5 * 7 * sizeof(float));
  CHECK((random.size() == zero.size() && random != zero));
}

TEST_CASE("solve: a field says its sweeps and its residual", "[solve][jacobi][command]") {
  const TemporaryFolder folder;
  const Outcome outcome = solve(
      folder, {"--size", "rows=9,columns=11", "--parameter", "check_every=10,tolerance=1e-6"});
  CHECK(outcome.status == 0);
  const int sweeps = std::stoi(said_of(outcome, "sweeps"));
  CHECK((sweeps > 10 && sweeps < 5000 && sweeps % 10 == 0));
  CHECK(std::stod(said_of(outcome, "residual")) <= 1e-6);
  CHECK(mentions(said_of(outcome, "written"), "nothing"));
}

TEST_CASE("solve: what has no meaning for a field, or exists, is refused",
          "[solve][jacobi][command]") {
  const Files folder{{"t.raw", "mine"}};
  check_refused(solve(folder, {"--graph", "a.gr"}), 2, "--graph has no meaning for jacobi");
  check_refused(solve(folder, {"--size", few, "--out", "t.raw"}), 2, "exists");
  CHECK(read_file(folder.file("t.raw")) == "mine");
  check_refused(solve(folder, {"--size", "rows=0"}), 2, "rows=0");
  check_refused(solve(folder, {"--size", "rows=3,lines=2"}), 2, "lines");
  check_refused(solve(folder, {"--size", few, "--parameter", "tolerance=1"}), 2, "check_every=");
  check_refused(solve(folder, {"--size", few, "--out", "t.dat"}), 2, "must end in .npy or .raw");
  check_refused(solve(folder, {"--size", "rows=1000000000,columns=1000000000"}), 2,
                "take a smaller --size");
  check_refused(run_command(folder, {"solve", "gauss", "--size", "n=3"}), 2,
                "--size has no meaning for gauss");
  CHECK(folder.entries() == Entries{"t.raw"});
}

}  // namespace portcost::test::test_solve_field
