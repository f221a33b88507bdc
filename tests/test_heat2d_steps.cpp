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

}  // namespace
}  // namespace portcost::test::test_heat2d_steps
