// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "variants/heat2d_steps/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::heat2d_steps {

namespace {

constexpr std::int64_t longest = 1 << 30;  // indices, and their strides, stay below 2^31
constexpr std::array size_keys{SizeKey{"nx", 14400, 1, longest, "nodes along a row"},
                               SizeKey{"ny", 14400, 1, longest, "rows"},
                               SizeKey{"steps", 1000, 1, 1'000'000, "time steps"}};
constexpr std::array parameter_keys{
    ParameterKey::real("x", 0.2, "alpha dt / dx^2"),
    ParameterKey::real("y", 0.2, "alpha dt / dy^2"),
    ParameterKey::whole("depth", 0, "most time steps a pass; 0: each step's own choice", 0,
                        most_depth)};

template <class T>
struct Data final : DataOf<Run<T>> {
  Data(const Problem& p, Stream& on) : DataOf<Run<T>>(p, on) {
    this->in_answer(
        [this] { return dense_rows("temperature", last.data(), pitch, ny, nx, this->stream()); });
  }
  Run<T> work(int) const override {
    const Parameters& p = this->problem().parameters;
    return {{first.data(),
             last.data(),
             nx,
             ny,
             static_cast<std::uint32_t>(pitch),
             {static_cast<T>(p.real("x")), static_cast<T>(p.real("y"))}},
            spare.data(),
            this->size("steps"),
            static_cast<int>(p.whole("depth"))};
  }

  int nx = this->size("nx"), ny = this->size("ny");
  std::int64_t pitch = heat_pitch<T>(nx);
  Buffer<T> first = this->input(pitch * std::int64_t{ny}, [this](std::uint64_t i) {
    return heat_input<T>(this->seed(), i, nx, pitch);
  });
  Workspace<T> last{*this, first.size()}, spare{*this, first.size()};
};

// The grid is read and written once, and each update takes six instructions of a multiply-add unit,
// each of which counts as two operations in the limit.
Cost cost(const Problem& p) {
  const double nodes = real(p, "nx") * real(p, "ny");
  return {{2 * nodes * bytes(p.type), "copy"}, {12 * nodes * real(p, "steps"), fma_limit(p)}};
}

}  // namespace

Algorithm algorithm() {
  const Draw extent{1, 130, {1, 2, 3, 31, 32, 33, 111, 112, 113, 127, 128, 129}};
  return {
      .name = "heat2d_steps",
      .summary = "many time steps of the 2D heat equation, several a pass over memory",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .unequal_work =
          {{"persistent", "launches", "the counter that Kokkos's teams spin on is set to 0 first"},
           {"persistent", "atomic operations",
            "Kokkos's teams add to a counter; CUDA's barrier of the grid is the runtime's own"},
           {"persistent", "loads", "a team that waits reads the counter again and again"}},
      .validate =
          [](const Problem& p) {
            const double x = p.parameters.real("x"), y = p.parameters.real("y");
            demand(x > 0 && y > 0 && x + y <= 0.5,
                   fmt::format(
                       "x={}, y={} are unstable: both must be positive and their sum at most 0.5",
                       x, y));
          },
      .footprint = [](const Problem& p) { return heat_footprint(p, real(p, "ny")); },
      .cost = cost,
      .measured = {.device = "14400,=,1000 1024,=,1000",
                   .device_full = "14400,=,1000 256|1024|4096|10007,=,1000",
                   .host = "4096,=,64 512,=,64"},
      .checked = "1,1,3 1,257,9 263,1,2 3,3,17 33,17,5 64,64,16 127,93,13 1031,517,11",
      .drawn = {extent, extent, {1, 13}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::heat2d_steps
