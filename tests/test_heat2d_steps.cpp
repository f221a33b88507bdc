// SPDX-License-Identifier: Apache-2.0
// heat2d_steps: passes, shapes, coefficients that are refused, truth on wrong answers.
#include <bit>

#include "tests/matrix_checks.hpp"
#include "variants/heat2d_steps/problem.hpp"

namespace portcost::test::test_heat2d_steps {
namespace {

using namespace heat2d_steps;

const Algorithm& row() { return algorithm_called("heat2d_steps"); }

TEST_CASE("heat2d_steps passes: they begin at the input and end in the answer", "[heat2d_steps]") {
  const float in = 0;
  float out = 0, spare = 0;
  for (const auto next : {any_depth, power_depth}) {
    for (int steps = 1; steps <= 40; ++steps) {
      for (int depth = 1; depth <= most_depth; ++depth) {
        const Steps<float> s{&in, &out, &spare, 1, 1, 32, steps, depth, {0, 0}};
        const float* from = &in;
        int done = 0;
        for_passes(s, depth, next, [&](const Pass<float>& p, int of_pass) {
          CHECK(p.in == from);
          CHECK(p.out != from);
          CHECK(of_pass >= 1);
          CHECK(of_pass <= depth);
          if (next == power_depth) CHECK(std::has_single_bit(static_cast<unsigned>(of_pass)));
          from = p.out;
          done += of_pass;
        });
        CHECK(from == &out);
        CHECK(done == steps);
      }
    }
  }
}

TEST_CASE("heat2d_steps shapes: halos are whole pieces, stretches fill a GPU", "[heat2d_steps]") {
  CHECK(halo_of<float>(1) == 4);
  CHECK(halo_of<float>(5) == 8);
  CHECK(halo_of<double>(3) == 4);
  CHECK(strip<float, 8> == 112);
  CHECK(strip<double, 8> == 112);
  const int stretch = stretch_of(129, 14400, 8);
  CHECK(129 * ceil_div(14400, stretch) <= 6336);
  CHECK(stretch_of(1, 10, 8) == 32);
  CHECK(stretch_of(10'000'000, 100, 8) == 100);
}

TEST_CASE("heat2d_steps: unstable coefficients and depths are refused", "[heat2d_steps]") {
  const auto refused = [](const char* parameters) {
    return message_of<UsageError>([&] {
      row().validate(problem_of(row(), "nx=9,ny=9,steps=3", parameters, ElementType::f32));
    });
  };
  CHECK(mentions(refused("cx=0.3,cy=0.3"), "cx=0.3 and cy=0.3 must be positive"));
  CHECK(mentions(refused("cx=0"), "cx=0 and cy=0.2 must be positive"));
  CHECK(mentions(refused("depth=9"), "depth=9"));
  CHECK(mentions(refused("depth=0"), "depth=0"));
  CHECK(mentions(refusal(row(), "steps=0"), "steps=0"));
}

TEST_CASE("heat2d_steps truth: another temperature, and an edge that moves", "[heat2d_steps]") {
  const Reference reference(row(),
                            problem_of(row(), "nx=31,ny=29,steps=11", "depth=4", ElementType::f64));
  CHECK(reference.fault(reference.answer()) == "");
  for (const std::size_t node : {std::size_t{5}, std::size_t{10 * 31 + 7}}) {
    CHECK(reference.fault(reference.answer_with<double>("temperature", node, 0.51)) != "");
  }
}

}  // namespace
}  // namespace portcost::test::test_heat2d_steps
