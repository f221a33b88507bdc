// SPDX-License-Identifier: Apache-2.0
// heat2d's rule, coefficients and shapes by hand; heat2d_steps' passes of a run.
#include "tests/support.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/heat2d_steps/problem.hpp"

namespace portcost::test::test_heat2d {

using namespace heat2d;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string refusal(const Physics& physics) {
  return message_of<UsageError>([&] { coefficients(physics); });
}

TEST_CASE("heat2d rule: a step by west, east, north, south; constants stay", "[heat2d]") {
  const Coefficients<float> c{0.25f, 0.125f};

  // 4 + 0.25 (1 + 2 - 8) + 0.125 (3 + 9 - 8) = 4 - 1.25 + 0.5
  CHECK(heat_step(c, 4.0f, 1.0f, 2.0f, 3.0f, 9.0f) == 3.25f);
  CHECK(heat_step(Coefficients<double>{0.25, 0.125}, 4.0, 1.0, 2.0, 3.0, 9.0) == 3.25);
  const Coefficients<double> only_x{0.25, 0}, only_y{0, 0.25};

  CHECK(heat_step(only_x, 0.0, 4.0, 0.0, 100.0, 100.0) == 1.0);
  CHECK(heat_step(only_x, 0.0, 0.0, 8.0, 100.0, 100.0) == 2.0);
  CHECK(heat_step(only_y, 0.0, 100.0, 100.0, 4.0, 0.0) == 1.0);
  CHECK(heat_step(only_y, 0.0, 100.0, 100.0, 0.0, 8.0) == 2.0);
  const Coefficients<float> even{0.2f, 0.2f};

  for (float t : {0.0f, 0.1f, 1.0f / 3, 0.999999f, 12345.678f}) {
    CHECK(heat_step(even, t, t, t, t, t) == t);
  }
}

TEST_CASE("heat2d coefficients: alpha dt over squared distances, and stable", "[heat2d]") {
  const Coefficients<double> c = coefficients({2, 0.25, 2, 4});

  CHECK(c.x == 0.125);
  CHECK(c.y == 0.03125);
  const double above = std::nextafter(0.25, 1.0);

  CHECK_NOTHROW(coefficients({1, 0.25, 1, 1}));
  CHECK(mentions(refusal({1, above, 1, 1}), "dt=0.25000000000000006"));
  const std::string text = refusal({1, 0.3, 1, 1});

  CHECK(mentions(text, "dt=0.3 is unstable"));
  CHECK(mentions(text, "at most 0.25"));
  CHECK_FALSE(mentions(text, "\n"));
  const double nan = std::numeric_limits<double>::quiet_NaN();

  CHECK(mentions(refusal({0, 0.2, 1, 1}), "alpha=0 "));
  CHECK(mentions(refusal({-1, 0.2, 1, 1}), "alpha=-1 "));
  CHECK(mentions(refusal({1, 0, 1, 1}), "dt=0 "));
  CHECK(mentions(refusal({1, nan, 1, 1}), "dt=nan "));
  CHECK(mentions(refusal({1, 0.2, infinity, 1}), "dx=inf "));
  CHECK(mentions(refusal({1, 0.2, 1, -2}), "dy=-2 "));
  CHECK(mentions(refusal({1e308, 1e308, 1, 1}), "unstable"));
}

TEST_CASE("heat2d shapes: rows start on lines of 128 bytes, 64-bit past 2^31 nodes", "[heat2d]") {
  CHECK(heat_pitch<float>(1) == 32);
  CHECK(heat_pitch<float>(32) == 32);
  CHECK(heat_pitch<float>(33) == 64);
  CHECK(heat_pitch<double>(16) == 16);
  CHECK(heat_pitch<double>(17) == 32);
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  alignas(16) static float node = 0;
  const heat2d::Step<float> step{&node, &node, 60000, 100'000, 60032, {}};  // past 2^32 elements
  const auto bytes_from_start = [&](const float* row) {
    return reinterpret_cast<std::uintptr_t>(row) - reinterpret_cast<std::uintptr_t>(&node);
  };

  CHECK(heat_pitch<float>(longest) == longest);
  CHECK(heat_pitch<double>((std::int64_t{1} << 31) + 1) == (std::int64_t{1} << 31) + 16);
  CHECK(bytes_from_start(step.row_in(99999)) == std::uintptr_t{99999} * 60032 * 4);
  CHECK(bytes_from_start(step.row_out(99999)) == std::uintptr_t{99999} * 60032 * 4);
}

TEST_CASE("heat2d_steps: passes make all steps, and the last writes the answer", "[heat2d_steps]") {
  using namespace heat2d_steps;
  float in = 0, out = 0, spare = 0;
  const int steps = GENERATE(1, 2, 7, 8, 9, 30, 1000);
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

}  // namespace portcost::test::test_heat2d
