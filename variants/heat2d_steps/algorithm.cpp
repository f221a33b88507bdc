// SPDX-License-Identifier: Apache-2.0
// heat2d_steps' row: names, sizes, inputs.
#include <fmt/format.h>

#include <array>

#include "src/support/error.hpp"
#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::heat2d_steps {

namespace {

constexpr std::int64_t longest = 1 << 30;  // indices, and their strides, stay below 2^31
constexpr std::array size_keys{SizeKey{"nx", 14400, 1, longest, "nodes along a row"},
                               SizeKey{"ny", 14400, 1, longest, "rows"},
                               SizeKey{"steps", 1000, 1, 1'000'000, "time steps"}};
constexpr std::array parameter_keys{
    ParameterKey::real("cx", 0.2, "alpha dt / dx^2"),
    ParameterKey::real("cy", 0.2, "alpha dt / dy^2"),
    ParameterKey::whole("depth", most_depth, "most steps of a pass over memory", 1, most_depth)};

template <class T>
struct Data final : DataOf<Steps<T>> {
  Data(const Problem& p, Stream& on) : DataOf<Steps<T>>(p, on) {
    this->in_answer(
        [this] { return dense_rows("temperature", out.data(), pitch, ny, nx, this->stream()); });
  }
  Steps<T> work(int) const override {
    const Parameters& p = this->problem().parameters;
    return {in.data(),
            out.data(),
            spare.data(),
            nx,
            ny,
            static_cast<std::uint32_t>(pitch),
            this->size("steps"),
            static_cast<int>(p.whole("depth")),
            {static_cast<T>(p.real("cx")), static_cast<T>(p.real("cy"))}};
  }

  int nx = this->size("nx"), ny = this->size("ny");
  std::int64_t pitch = pitch_of<T>(nx);
  Buffer<T> in = this->input(pitch * std::int64_t{ny}, [this](std::uint64_t i) {
    const auto at = static_cast<std::int64_t>(i), y = at / pitch, x = at % pitch;
    const auto node = static_cast<std::uint64_t>(y * nx + x);
    return x < nx ? static_cast<T>(temperature(this->seed(), node)) : T(0);
  });
  Workspace<T> out{*this, in.size()}, spare{*this, in.size()};
};

}  // namespace

Algorithm algorithm() {
  const Draw extent{1, 300, {1, 2, 3, 15, 16, 17, 31, 32, 33, 65, 97, 111, 112, 113, 127, 129}};
  return {
      .name = "heat2d_steps",
      .summary = "many steps of the 2D heat equation, several in one pass over memory",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .validate =
          [](const Problem& problem) {
            const double cx = problem.parameters.real("cx"), cy = problem.parameters.real("cy");
            demand(
                cx > 0 && cy > 0 && cx + cy <= 0.5,
                fmt::format("cx={} and cy={} must be positive, and their sum at most 0.5: beyond "
                            "it the scheme is unstable",
                            cx, cy));
          },
      // Three grids, and two dense copies of the answer.
      .footprint =
          [](const Problem& p) {
            const std::int64_t nx = p.size.at("nx");
            const auto pitch = static_cast<double>(
                p.type == ElementType::f64 ? pitch_of<double>(nx) : pitch_of<float>(nx));
            return bytes(p.type) * (3 * pitch + 2 * static_cast<double>(nx)) * real(p, "ny");
          },
      // A pass reads and writes each node once. A step of a node is five instructions, each of
      // which takes the place of a fused multiply-add.
      .cost = [](const Problem& p) -> Cost {
        const double nodes = real(p, "nx") * real(p, "ny"), steps = real(p, "steps");
        const double passes = std::ceil(steps / static_cast<double>(p.parameters.whole("depth")));
        return {{2 * nodes * bytes(p.type) * passes, "copy"}, {10 * nodes * steps, fma_limit(p)}};
      },
      .measured = {.device = "14400,=,1000 512,=,1000",
                   .device_full = "14400,=,1000 512|2048|8192,=,1000",
                   .host = "4096,=,100 512,=,100"},
      .checked = "1,1,3 1,257,2 263,1,9 33,17,5 64,64,8 127,93,13 1031,517,10",
      .drawn = {extent, extent, {1, 20}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::heat2d_steps
