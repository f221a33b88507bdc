// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "src/distributed/path.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/shared/data.hpp"

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
    ParameterKey::real("dy", Physics{}.dy, "distance of rows"),
    ParameterKey::choice("block", block_names,
                         "threads of full_halo and inner_halo, tuned and native"),
    ParameterKey::choice("halos", distributed::path_names,
                         "distributed: the path of halos between processes")};

Physics physics_of(const Problem& problem) {
  const Parameters& p = problem.parameters;
  return {p.real("alpha"), p.real("dt"), p.real("dx"), p.real("dy")};
}

template <class T>
struct Data final : DataOf<Step<T>> {
  Data(const Problem& p, Stream& on) : DataOf<Step<T>>(p, on) {
    const Coefficients<double> exact = coefficients_of(p);
    c = {static_cast<T>(exact.x), static_cast<T>(exact.y)};
    this->in_answer(
        [this] { return dense_rows("temperature", front.data(), pitch, ny, nx, this->stream()); });
    this->template sends<T>(front.initial(), [this] { return front.data(); });
    this->fetches([this] { return front.data(); }, front.bytes());
  }
  // Global synchronisation by the host: each step is a launch of its own, then the grids swap.
  int phases() const override { return this->size("steps"); }
  void enqueued(int) override { front.swap(back); }
  Step<T> work(int) const override {
    return {front.data(), back.data(), nx, ny, static_cast<std::uint32_t>(pitch), c, lecture};
  }

  int nx = this->size("nx"), ny = this->size("ny");
  std::int64_t pitch = heat_pitch<T>(nx);
  Coefficients<T> c;
  bool lecture = is_lecture(this->problem());
  Restored<T> front{*this, this->input(pitch* std::int64_t{ny}, [this](std::uint64_t i) {
                      return heat_input<T>(this->seed(), i, nx, pitch);
                    })};
  Workspace<T> back{*this, front.size()};
};

// The grids: initial, front and back. Of several processes, rank 0 has the copies of the answer.
double footprint(const Problem& p) {
  return heat_footprint(p, largest_share(p, "ny") + (p.ranks > 0 ? 2 : 0));
}

// Each step reads every node once and writes it once. A process with two neighbours sends each a
// row.
Cost cost(const Problem& p) {
  const double row = real(p, "nx") * bytes(p.type) * real(p, "steps");
  return with_halos(p, {{2 * row * largest_share(p, "ny"), "copy"}}, row);
}

}  // namespace

Coefficients<double> coefficients_of(const Problem& problem) {
  return coefficients(physics_of(problem));
}

Coefficients<double> coefficients(const Physics& p) {
  const std::array<std::pair<std::string_view, double>, 4> named{
      {{"alpha", p.alpha}, {"dt", p.dt}, {"dx", p.dx}, {"dy", p.dy}}};
  for (const auto& [key, value] : named) {
    demand(value > 0 && std::isfinite(value),
           fmt::format("{}={} must be positive and finite", key, value));
  }
  const Coefficients<double> c{p.alpha * p.dt / (p.dx * p.dx), p.alpha * p.dt / (p.dy * p.dy)};
  demand(
      c.x + c.y <= 0.5,
      fmt::format("dt={} is unstable with alpha={}, dx={}, dy={}: dt must be at most {:.6g}", p.dt,
                  p.alpha, p.dx, p.dy, 0.5 / (p.alpha * (1 / (p.dx * p.dx) + 1 / (p.dy * p.dy)))));
  return c;
}

Algorithm algorithm() {
  const Draw extent{1, 300, {1, 2, 3, 15, 16, 17, 31, 32, 33, 65, 97, 127, 129, 257}};
  return {
      .name = "heat2d",
      .summary = "explicit five-point step of the 2D heat equation, fixed edges",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = absent_without_mpi({"distributed"}),
      .unequal_work = {{"inner_halo", "loads", unneeded_load}},
      .validate = [](const Problem& problem) { coefficients(physics_of(problem)); },
      .footprint = footprint,
      .cost = cost,
      // From bound by the launch to bound by memory. The main size is the lecture's. A host takes
      // seconds for what a GPU does in one: fewer sizes keep the default in two minutes.
      .measured = {.device = "14400,=,1 64|256|1024|4096,=,1",
                   .device_full = "14400,=,1 64|128|256|512|1024|2048|4096|8192|10007,=,1",
                   .host = "14400,=,1 256,=,1",
                   .host_full = "14400,=,1 256|4096,=,1"},
      // The usual form takes four to five times as long as the native ones.
      .host_sizes = {"1024|2048|4096|8192|16384,=,1", 6},
      .checked = "1,1,3 1,257,2 263,1,2 33,17,5 64,64,4 127,93,3 1031,517,10 4099,2053,2",
      .drawn = {extent, extent, {1, 4}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .headline = {.device = {"naive", "full_halo", "inner_halo", "sliding_strip",
                              "register_march"},
                   .host = {"naive", "blocked"}},
  };
}

}  // namespace portcost::heat2d
