// SPDX-License-Identifier: Apache-2.0
// heat2d's rule, coefficients and shapes by hand; its variants against physics.
#include <numbers>

#include "tests/launches.hpp"
#include "variants/heat2d/problem.hpp"

namespace portcost::test::test_heat2d {
namespace {

using namespace heat2d;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string refusal(const Physics& physics) {
  return message_of<UsageError>([&] { coefficients(physics); });
}

struct Shape {
  int nx, ny;
};

// `steps` steps on a dense grid: padded, poisoned where it must not matter, and dense again.
template <class T>
std::vector<T> advance(const Launch<Step<T>>& launch, Shape shape, Coefficients<T> c,
                       const std::vector<T>& grid, int steps, Stream& stream) {
  const auto nx = static_cast<std::size_t>(shape.nx), ny = static_cast<std::size_t>(shape.ny);
  const auto pitch = static_cast<std::size_t>(pitch_of<T>(shape.nx));
  std::vector<T> padded(pitch * ny, std::nan(""));
  for (std::size_t y = 0; y < ny; ++y) {
    std::copy_n(grid.data() + y * nx, nx, padded.data() + y * pitch);
  }
  Buffer<T> in(padded.size(), stream.place()), out(padded.size(), stream.place());
  in.upload(padded, stream);
  for (int step = 0; step < steps; ++step) {
    out.poison(stream);
    launch({in.data(), out.data(), shape.nx, shape.ny, static_cast<decltype(Step<T>::pitch)>(pitch),
            c},
           stream);
    in.swap(out);
  }
  const std::vector<T> last = in.download(stream);
  std::vector<T> result(nx * ny);
  for (std::size_t y = 0; y < ny; ++y) {
    std::copy_n(last.data() + y * pitch, nx, result.data() + y * nx);
  }
  return result;
}

bool on_edge(Shape shape, int x, int y) {
  return x == 0 || y == 0 || x == shape.nx - 1 || y == shape.ny - 1;
}

// sin(j pi x / (nx - 1)) sin(k pi y / (ny - 1)), zero on the edges.
std::vector<double> mode(Shape shape, int j, int k) {
  std::vector<double> grid;
  for (int y = 0; y < shape.ny; ++y) {
    for (int x = 0; x < shape.nx; ++x) {
      const double value = std::sin(std::numbers::pi * j * x / (shape.nx - 1)) *
                           std::sin(std::numbers::pi * k * y / (shape.ny - 1));
      grid.push_back(on_edge(shape, x, y) ? 0 : value);
    }
  }
  return grid;
}

double decay(Shape shape, int j, int k, Coefficients<double> c) {
  const double x = std::sin(std::numbers::pi * j / (2.0 * (shape.nx - 1)));
  const double y = std::sin(std::numbers::pi * k / (2.0 * (shape.ny - 1)));
  return 1 - 4 * c.x * x * x - 4 * c.y * y * y;
}

// One hot inner node among zeros and an edge of its own value.
template <class T>
void check_edges(Place place) {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 70}, Shape{70, 1}, Shape{2, 2}, Shape{2, 40},
                            Shape{3, 3}, Shape{33, 17}, Shape{66, 34}}) {
    std::vector<T> start;
    for (int i = 0; i < shape.nx * shape.ny; ++i) start.push_back(static_cast<T>(i % 7) / 4);
    for (const auto& [name, launch] : launches<Step<T>>("heat2d", place)) {
      CAPTURE(name, shape.nx, shape.ny);
      const auto grid =
          advance<T>(launch, shape, {T(0.25), T(0.25)}, start, 3, shared_stream(place));
      int moved_edges = 0, missing = 0;
      for (int i = 0; i < shape.nx * shape.ny; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool edge = on_edge(shape, i % shape.nx, i / shape.nx);
        moved_edges += edge && grid[at] != start[at];
        missing += std::isnan(grid[at]);
      }
      CHECK(moved_edges == 0);
      CHECK(missing == 0);
    }
  }
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
  CHECK(heat2d::pitch_of<float>(1) == 32);
  CHECK(heat2d::pitch_of<float>(32) == 32);
  CHECK(heat2d::pitch_of<float>(33) == 64);
  CHECK(heat2d::pitch_of<double>(16) == 16);
  CHECK(heat2d::pitch_of<double>(17) == 32);
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  alignas(16) static float node = 0;
  const heat2d::Step<float> step{&node, &node, 60000, 60000, 60032, {}};
  const auto bytes_from_start = [&](const float* row) {
    return reinterpret_cast<std::uintptr_t>(row) - reinterpret_cast<std::uintptr_t>(&node);
  };

  CHECK(heat2d::pitch_of<float>(longest) == longest);
  CHECK(heat2d::pitch_of<double>((std::int64_t{1} << 31) + 1) == (std::int64_t{1} << 31) + 16);
  CHECK(bytes_from_start(step.row_in(59999)) == std::uintptr_t{59999} * 60032 * 4);
  CHECK(bytes_from_start(step.row_out(59999)) == std::uintptr_t{59999} * 60032 * 4);
}

TEST_CASE("heat2d shapes: rim nodes lie on a tile's border, in the grid", "[heat2d]") {
  std::vector<std::pair<int, int>> seen;
  for (int i = 0; i < heat2d::rim_nodes; ++i) {
    const heat2d::RimNode rim = heat2d::rim_node(i);
    const bool beside = (rim.x == -1 || rim.x == heat2d::tile_x) !=  //
                        (rim.y == -1 || rim.y == heat2d::tile_y);
    CAPTURE(i, rim.x, rim.y);
    CHECK(beside);
    CHECK(std::find(seen.begin(), seen.end(), std::pair(rim.x, rim.y)) == seen.end());
    seen.emplace_back(rim.x, rim.y);
  }
  const heat2d::Step<float> step{nullptr, nullptr, 100, 50, 128, {}};

  CHECK(step.holds(1, 1, 32, 16));
  CHECK(step.holds(67, 33, 32, 16));
  CHECK_FALSE(step.holds(68, 33, 32, 16));
  CHECK_FALSE(step.holds(67, 34, 32, 16));
  CHECK_FALSE(step.holds(0, 1, 32, 16));
  CHECK_FALSE(step.holds(1, 0, 32, 16));
}

// A sine mode is an eigenvector of the step: it keeps its shape and shrinks by a known factor.
TEST_CASE_IN_PLACES("heat2d: a sine mode decays in every {} variant", "[heat2d][kokkos]") {
  constexpr int steps = 10;
  const Coefficients<double> c{0.2, 0.15};
  for (const Shape shape : {Shape{67, 35}, Shape{33, 130}}) {
    const std::vector<double> start = mode(shape, 3, 2);
    const double factor = std::pow(decay(shape, 3, 2, c), steps);
    for (const auto& [name, launch] : launches<Step<double>>("heat2d", place)) {
      CAPTURE(name, shape.nx, shape.ny);
      const auto grid = advance(launch, shape, c, start, steps, shared_stream(place));
      int wrong = 0;
      for (std::size_t i = 0; i < grid.size(); ++i) {
        wrong += !(std::abs(grid[i] - factor * start[i]) < 1e-14);  // NaN is wrong, too
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_IN_PLACES("heat2d: edges stay fixed in every {} variant", "[heat2d][kokkos]") {
  check_edges<float>(place);
  check_edges<double>(place);
}

// Heat spreads from one node to its cross of neighbours, and to nothing else.
TEST_CASE_IN_PLACES("heat2d: heat spreads to a cross in {} variants", "[heat2d][kokkos]") {
  const Shape shape{65, 33};
  for (const auto& [x, y] :
       std::vector<std::pair<int, int>>{{1, 1}, {31, 15}, {32, 16}, {63, 31}}) {
    const auto at = [&](int dx, int dy) {
      return static_cast<std::size_t>((y + dy) * shape.nx + x + dx);
    };
    std::vector<float> start(static_cast<std::size_t>(shape.nx * shape.ny), 0);
    start[at(0, 0)] = 8;
    std::vector<float> wanted = start;
    wanted[at(0, 0)] = 8 - 2 * 8 * 0.25f - 2 * 8 * 0.125f;
    for (const int d : {-1, 1}) {
      if (!on_edge(shape, x + d, y)) wanted[at(d, 0)] = 2;
      if (!on_edge(shape, x, y + d)) wanted[at(0, d)] = 1;
    }
    for (const auto& [name, launch] : launches<Step<float>>("heat2d", place)) {
      CAPTURE(name, x, y);
      CHECK(advance<float>(launch, shape, {0.25f, 0.125f}, start, 1, shared_stream(place)) ==
            wanted);
    }
  }
}

}  // namespace
}  // namespace portcost::test::test_heat2d
