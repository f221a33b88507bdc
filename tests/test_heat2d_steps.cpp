// SPDX-License-Identifier: Apache-2.0
// heat2d_steps: passes of a run, depths that the catalogue's sizes do not ask for, the judge.
#include <numeric>

#include "tests/matrix_checks.hpp"
#include "variants/heat2d_steps/problem.hpp"

namespace portcost::test::test_heat2d_steps {
namespace {

using namespace heat2d_steps;

TEST_CASE("heat2d_steps: passes make all steps, and the last writes the answer", "[heat2d_steps]") {
  float in = 0, out = 0, spare = 0;
  for (int steps : {1, 2, 7, 8, 9, 30, 1000}) {
    const Run<float> run{{&in, &out, 5, 5, 32, {}}, &spare, steps, 7};
    std::vector<int> depths;
    const float* from = &in;
    for_passes(
        run, [](int left) { return std::min(left, 7); },
        [&](const Pass<float>& pass, int depth) {
          CHECK(pass.in == from);
          CHECK(pass.out != from);
          CHECK(pass.out != &in);
          from = pass.out;
          depths.push_back(depth);
        });
    CHECK(from == &out);
    CHECK(static_cast<int>(depths.size()) == (steps + 6) / 7);
    CHECK(std::accumulate(depths.begin(), depths.end(), 0) == steps);
    int made = 0, most = 0;
    for_stream_passes(run, [&]<int depth>(const Pass<float>&) {
      made += depth;
      most = std::max(most, depth);
    });
    CHECK(made == steps);
    CHECK(most == (steps >= 4 ? 4 : steps));  // of the compiled depths none above 7 but 4, 2 and 1
  }
}

TEST_CASE_IN_PLACES("heat2d_steps: every depth gives the same bits, on the {}",
                    "[heat2d_steps][kokkos]") {
  const Algorithm& row = algorithm_called("heat2d_steps");
  for (int depth : {1, 2, 3, 5, 8, 12, 13, 16}) {
    const std::string given = fmt::format("depth={}", depth);
    for (const ElementType type : real_types) {
      agree(row, place, problem_of(row, "nx=1100,ny=75,steps=17", given, type));
      agree(row, place, problem_of(row, "nx=3,ny=40,steps=33", given, type));
    }
  }
}

TEST_CASE("heat2d_steps refuses unstable coefficients and names them", "[heat2d_steps]") {
  const Algorithm& row = algorithm_called("heat2d_steps");
  const auto refusal = [&](const std::string& given) {
    return message_of<UsageError>(
        [&] { row.validate(problem_of(row, "nx=3,ny=3", given, ElementType::f32)); });
  };
  CHECK(mentions(refusal("x=0.3,y=0.3"), "x=0.3, y=0.3"));
  CHECK(mentions(refusal("x=0"), "x=0, "));
  CHECK_NOTHROW(row.validate(problem_of(row, "nx=3,ny=3", "x=0.25,y=0.25", ElementType::f32)));
}

}  // namespace
}  // namespace portcost::test::test_heat2d_steps
