// SPDX-License-Identifier: Apache-2.0
// heat2d's row: names, sizes, inputs.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "src/support/error.hpp"
#include "variants/data.hpp"
#include "variants/heat2d/problem.hpp"

namespace portcost::heat2d {

namespace {

constexpr std::int64_t longest = 1 << 30;  // indices, and their strides, stay below 2^31
constexpr std::array size_keys{SizeKey{"nx", 14400, 1, longest, "nodes along a row"},
                               SizeKey{"ny", 14400, 1, longest, "rows"},
                               SizeKey{"steps", 1, 1, 1'000'000, "time steps, each a launch"}};
constexpr std::array parameter_keys{
    ParameterKey::real("alpha", Physics{}.alpha, "diffusivity"),
    ParameterKey::real("dt", Physics{}.dt, "time step"),
    ParameterKey::real("dx", Physics{}.dx, "distance of nodes along a row"),
    ParameterKey::real("dy", Physics{}.dy, "distance of rows")};
constexpr std::array types{ElementType::f32, ElementType::f64};

Physics physics_of(const Problem& problem) {
  const Parameters& p = problem.parameters;
  return {p.real("alpha"), p.real("dt"), p.real("dx"), p.real("dy")};
}

// Two grids that swap at each step, and the initial one to restore them from.
template <class T>
class Grids final : public InstanceOf<Step<T>> {
 public:
  Grids(const Problem& problem, Stream& stream)
      : InstanceOf<Step<T>>(stream),
        nx_(problem.size.at("nx")),
        ny_(problem.size.at("ny")),
        steps_(static_cast<int>(problem.size.at("steps"))),
        initial_(static_cast<std::size_t>(pitch() * ny_), stream.place()),
        front_(initial_.size(), stream.place()),
        back_(initial_.size(), stream.place()) {
    const Coefficients<double> c = coefficients(physics_of(problem));
    c_ = {static_cast<T>(c.x), static_cast<T>(c.y)};
    const auto nx = static_cast<std::uint64_t>(nx_), stride = static_cast<std::uint64_t>(pitch());
    fill(initial_, stream, [=, seed = problem.seed](std::uint64_t i) {
      const std::uint64_t y = i / stride, x = i % stride;
      return x < nx ? static_cast<T>(temperature(seed, y * nx + x)) : T(0);
    });
  }
  void reset() override {
    front_.copy_from(initial_, this->stream());
    back_.poison(this->stream());
  }
  Answer answer() override {
    const auto columns = static_cast<std::size_t>(nx_), rows = static_cast<std::size_t>(ny_);
    const Stream& stream = this->stream();
    Array grid{"temperature",
               element_type_of<T>,
               {rows, columns},
               Buffer<std::byte>(rows * columns * sizeof(T), stream.place())};
    copy_rows(grid.bytes.data(), columns * sizeof(T), front_.data(),
              static_cast<std::size_t>(pitch()) * sizeof(T), columns * sizeof(T), rows, stream);
    stream.synchronize();
    Answer result;
    result.arrays.push_back(std::move(grid));
    return result;
  }
  bool repeatable() const override { return true; }  // a further step costs what the first did
  // Global synchronisation by the host: each step is a launch of its own, then the grids swap.
  int phases() const override { return steps_; }
  void enqueued(int) override { front_.swap(back_); }
  Step<T> work(int) const override {
    return {front_.data(),
            back_.data(),
            static_cast<int>(nx_),
            static_cast<int>(ny_),
            static_cast<std::uint32_t>(pitch()),
            c_};
  }

 private:
  std::int64_t pitch() const { return pitch_of<T>(nx_); }

  std::int64_t nx_, ny_;
  int steps_;
  Coefficients<T> c_;
  Buffer<T> initial_, front_, back_;
};

Size size_of(std::int64_t nx, std::int64_t ny, std::int64_t count) {
  return Size({{"nx", nx}, {"ny", ny}, {"steps", count}});
}

// Initial, front and back grids, and a dense copy of the answer that another is compared with, and
// that other.
double footprint(const Problem& p) {
  const std::int64_t nx = p.size.at("nx");
  const auto pitch =
      static_cast<double>(p.type == ElementType::f64 ? pitch_of<double>(nx) : pitch_of<float>(nx));
  return real(p, "ny") * bytes(p.type) * (3 * pitch + 2 * real(p, "nx"));
}

// Each step reads every node once and writes it once.
Cost cost(const Problem& p) {
  return {{2 * real(p, "nx") * real(p, "ny") * real(p, "steps") * bytes(p.type), "copy"}};
}

// From bound by the launch to bound by memory. The main size is the lecture's.
std::vector<Size> sizes(Campaign campaign, Place place) {
  std::vector<Size> result{size_of(14400, 14400, 1)};
  const auto sweep =
      campaign == Campaign::full
          ? std::vector<std::int64_t>{64, 128, 256, 512, 1024, 2048, 4096, 8192, 10007}
          : std::vector<std::int64_t>{64, 256, 1024, 4096};
  for (const std::int64_t n : sweep) {
    // A host takes seconds for what a GPU does in one: fewer sizes keep the default in two minutes.
    if (place == Place::host && campaign == Campaign::standard && (n == 64 || n == 1024)) continue;
    result.push_back(size_of(n, n, 1));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(1, 1, 3),   size_of(1, 257, 2),  size_of(263, 1, 2),     size_of(33, 17, 5),
          size_of(64, 64, 4), size_of(127, 93, 3), size_of(1031, 517, 10), size_of(4099, 2053, 2)};
}

Size random_size(std::uint64_t seed) {
  SizeDraw draw(seed);
  const auto extent = [&] {
    return draw(1, 300, {1, 2, 3, 15, 16, 17, 31, 32, 33, 65, 97, 127, 129, 257});
  };
  const std::int64_t nx = extent(), ny = extent();
  return size_of(nx, ny, draw(1, 4));
}

}  // namespace

Coefficients<double> coefficients(const Physics& p) {
  const std::array<std::pair<std::string_view, double>, 4> named{
      {{"alpha", p.alpha}, {"dt", p.dt}, {"dx", p.dx}, {"dy", p.dy}}};
  for (const auto& [key, value] : named) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw UsageError(fmt::format("{}={} must be positive and finite", key, value));
    }
  }
  const Coefficients<double> c{p.alpha * p.dt / (p.dx * p.dx), p.alpha * p.dt / (p.dy * p.dy)};
  if (!(c.x + c.y <= 0.5)) {
    const double most = 0.5 / (p.alpha * (1 / (p.dx * p.dx) + 1 / (p.dy * p.dy)));
    throw UsageError(
        fmt::format("dt={} is unstable with alpha={}, dx={}, dy={}: dt must be at most {:.6g}",
                    p.dt, p.alpha, p.dx, p.dy, most));
  }
  return c;
}

Algorithm algorithm() {
  return {
      .name = "heat2d",
      .summary = "explicit five-point step of the 2D heat equation, fixed edges",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .validate = [](const Problem& problem) { coefficients(physics_of(problem)); },
      .footprint = footprint,
      .cost = cost,
      .sizes = sizes,
      .check_sizes = check_sizes,
      .random_size = random_size,
      .make = make_instance<Grids, float, double>,
      .judge = judge,
  };
}

}  // namespace portcost::heat2d
