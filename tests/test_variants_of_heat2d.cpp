// SPDX-License-Identifier: Apache-2.0
// heat2d's variants against physics: a mode that decays by a known factor, edges that stay.
#include <numbers>

#include "tests/launches.hpp"
#include "variants/heat2d/problem.hpp"

namespace portcost::test::test_variants_of_heat2d {

namespace {

using namespace heat2d;

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

}  // namespace

// A sine mode is an eigenvector of the step: it keeps its shape and shrinks by a known factor.
TEST_CASE_IN_PLACES("heat2d: a sine mode decays by its factor in every {} variant",
                    "[heat2d][kokkos]") {
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

TEST_CASE_IN_PLACES("heat2d: edges stay fixed in every {} variant, on thin grids too",
                    "[heat2d][kokkos]") {
  check_edges<float>(place);
  check_edges<double>(place);
}

// Heat spreads from one node to its cross of neighbours, and to nothing else.
TEST_CASE_IN_PLACES("heat2d: heat spreads to a node's cross in every {} variant",
                    "[heat2d][kokkos]") {
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

}  // namespace portcost::test::test_variants_of_heat2d
