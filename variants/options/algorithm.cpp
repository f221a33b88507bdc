// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "variants/options/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::options {

namespace {

constexpr std::array size_keys{
    SizeKey{"paths", 1 << 26, 1, std::int64_t{1} << 34, "paths of the price"},
    SizeKey{"steps", 1, 1, 1 << 16, "steps of a path"}};
constexpr std::array parameter_keys{
    ParameterKey::real("spot", 100, "the price at the start"),
    ParameterKey::real("strike", 105, "the price at which the call may be exercised"),
    ParameterKey::real("rate", 0.05, "of interest, a year"),
    ParameterKey::real("volatility", 0.2, "of the price, a year"),
    ParameterKey::real("years", 1, "to expiry"),
    math_key};

template <class T>
struct Data final : DataOf<Simulation<T>> {
  using DataOf<Simulation<T>>::DataOf;
  Simulation<T> work(int) const override {
    const auto sums = [](const Buffer<double>& at) {
      return reinterpret_cast<Sums*>(const_cast<double*>(at.data()));
    };
    return {terms,          n, sums(out), {sums(partials), sums(second)}, is_fast(this->problem()),
            processor_count};
  }

  Terms<T> terms = terms_of<T>(this->problem());
  std::uint64_t n = this->extent("paths");
  int processor_count = processors(this->stream().place());
  Output<double> out{*this, "sums", {2}};
  Workspace<double> partials{*this, 2 * partials_of(n, processor_count)},
      second{*this, 2 * teams_to_add(shape_in(Place::device), partials.size() / 2)};
};

// No price may overflow f32, and error bars must be meaningful: the variance of a path's payoff
// grows as exp(volatility^2 years).
void validate(const Problem& p) {
  const auto of = [&](std::string_view key) { return p.parameters.real(key); };
  const auto between = [&](std::string_view key, double value, double least, double most) {
    demand(value >= least && value <= most,
           fmt::format("{} is {:g}: it must lie between {:g} and {:g}", key, value, least, most));
  };
  for (const std::string_view key : {"spot", "strike"}) between(key, of(key), 1e-3, 1e6);
  between("years", of("years"), 1e-3, 100);
  between("rate * years", of("rate") * of("years"), -5, 5);
  between("volatility * sqrt(years)", of("volatility") * std::sqrt(of("years")), 1e-3, 1);
}

// A step of a path takes one number. A Philox call has 20 multiplications of 32 bits to 64 and
// makes one number for each path of a group. No processor makes a multiplication faster than a
// multiply-add of f32 (2 FLOP).
Cost cost(const Problem& p) {
  const double calls = p.type == ElementType::f64 ? real(p, "paths") / 2 : real(p, "paths") / 4;
  return {{2 * 20 * calls * real(p, "steps"), "fma f32"}};
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "options",
      .summary = "the price of a European call by Monte Carlo paths",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .validate = validate,
      // A partial sum per 256 paths, the sums of partial sums, and 1 MiB for small arrays.
      .footprint = [](const Problem& p) { return real(p, "paths") / 15 + (1 << 20); },
      .cost = cost,
      .measured = {.device = "2^26,1 2^20,256 2^10,1",
                   .device_full = "2^26,1 2^20,256 2^10..2^30,1",
                   .host = "2^22,1 2^14,256 2^10,1",
                   .host_full = "2^22,1 2^14,256 2^10..2^24,1"},
      .checked = "1|2|3|255|4097|100003,1 5|1021|2050,256 4099,7",
      .drawn = {{1, 20'000, {1, 2, 3, 4, 5, 255, 257, 1023, 1025, 4095, 4097, 16385}}, {1, 5}},
      .make = make_instance<Data, float, double>,
      .compare = compare,
      .agreement = "within a bound derived from roundings",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::options
