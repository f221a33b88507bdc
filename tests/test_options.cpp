// SPDX-License-Identifier: Apache-2.0
// options' normal numbers, closed form and bound by hand; its error bars.
#include <numbers>

#include "tests/matrix_checks.hpp"
#include "variants/options/problem.hpp"

namespace portcost::test::test_options {

using namespace options;

const Algorithm& row() { return algorithm_called("options"); }

Problem priced(const std::string& size, ElementType type = ElementType::f64,
               const std::string& parameters = "", std::uint64_t seed = 7) {
  return test::problem_of(row(), size, parameters, type, seed);
}

// By Simpson's rule over the normal density: the mean of what the option pays, to `power`.
double integral(double spot, double strike, double rate, double volatility, double years,
                int power) {
  constexpr int parts = 40'000;
  constexpr double from = -10, width = 20.0 / parts;
  double sum = 0;
  for (int i = 0; i <= parts; ++i) {
    const double z = from + i * width;
    const double price = spot * std::exp((rate - volatility * volatility / 2) * years +
                                         volatility * std::sqrt(years) * z);
    const double weight = i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::exp(-z * z / 2) * std::pow(std::max(0.0, price - strike), power);
  }
  return sum * width / 3 / std::sqrt(2 * std::numbers::pi);
}

TEST_CASE("options rule: two normal numbers are a radius and an angle", "[options]") {
  const auto check = []<class T>(T, double tolerance) {
    for (const double u : {0.0, 0.25, 0.5, 1 - 0x1p-24}) {
      for (const double v : {0.0, 0.125, 0.5, 0.75, 1 - 0x1p-20}) {
        T first, second;
        box_muller<false>(static_cast<T>(u), static_cast<T>(v), first, second);
        const double radius = std::sqrt(-2 * std::log1p(-u)),
                     angle = std::numbers::pi * (2 * v - 1);
        CAPTURE(sizeof(T), u, v);
        CHECK(std::abs(first - radius * std::cos(angle)) <= tolerance * radius);
        CHECK(std::abs(second - radius * std::sin(angle)) <= tolerance * radius);
      }
    }
  };
  check(float{}, 15 * 0x1p-24);
  check(double{}, 15 * 0x1p-53);
}

TEST_CASE("options rule: no path and no step uses numbers of another", "[options]") {
  const auto check = []<class T>(T, int steps) {
    const Terms<T> terms{1, 0, 0, T(0.125), steps, 3};  // pays its price, which shows its numbers
    std::set<T> seen;
    for (std::uint64_t p = 0; p < 3000; ++p) seen.insert(payoff_of_path<false>(terms, p));
    CHECK(seen.size() > (sizeof(T) == 8 ? 2999 : 2990));  // of few f32 numbers, some are equal
  };
  for (const int steps : {1, 2, 5}) {
    check(float{}, steps);
    check(double{}, steps);
  }
  std::set<std::array<std::uint32_t, 2>> words;
  for (std::uint64_t group = 0; group < 300; ++group) {
    for (std::uint64_t k = 0; k < 300; ++k) {
      const RandomWords all = philox(group, 3, k);
      words.insert({all.at[0], all.at[1]});
    }
  }
  CHECK(words.size() == 90'000);
}

TEMPLATE_TEST_CASE("options rule: a group's paths pay what each pays alone, past 2^32 too",
                   "[options]", float, double) {
  using T = TestType;
  const Terms<T> terms{100, 90, T(0.01), T(0.1), 3, 11};
  constexpr std::uint64_t many = paths_of_a_group<T>, far = std::uint64_t{1} << 33;
  for (const std::uint64_t group : {std::uint64_t{0}, std::uint64_t{9}, far, far + 1}) {
    const Payoffs<T> paid = payoffs<false>(terms, group);
    for (std::uint64_t i = 0; i < many; ++i) {
      CHECK(paid.at[i] == payoff_of_path<false>(terms, group * many + i));
    }
  }
  CHECK(payoffs<false>(terms, 0).at[0] != payoffs<false>(terms, far).at[0]);
}

TEST_CASE("options closed form: a textbook's value, and integrals", "[options]") {
  const Problem hull =  // J. C. Hull, Options, Futures and Other Derivatives
      priced("paths=1", ElementType::f64, "spot=42,strike=40,rate=0.1,volatility=0.2,years=0.5");
  CHECK(std::abs(closed_form(hull).price - 4.76) < 0.005);
  for (const double volatility : {0.05, 0.2, 0.9}) {
    const ClosedForm form = closed_form(
        priced("paths=1", ElementType::f64,
               fmt::format("strike=110,rate=0.03,years=1.2,volatility={}", volatility)));
    const double discount = std::exp(-0.036);
    const double mean = integral(100, 110, 0.03, volatility, 1.2, 1);
    const double square = integral(100, 110, 0.03, volatility, 1.2, 2);
    CHECK(std::abs(form.price - discount * mean) < 1e-6);
    CHECK(std::abs(form.deviation - discount * std::sqrt(square - mean * mean)) < 1e-5);
  }
}

TEST_CASE("options bound: small, and answers outside it are found", "[options]") {
  const auto [type, most] =
      GENERATE(table<ElementType, double>({{ElementType::f32, 1e-4}, {ElementType::f64, 1e-12}}));
  const std::string size = GENERATE("paths=2000", "paths=2000,steps=100");
  const Reference reference(row(), priced(size, type));
  const auto right = reference.elements_of<double>("sums");
  const Sums by = bound(reference.problem, {right[0], right[1]});
  CHECK(by.payoff < most * 2000 * 105);
  CHECK(by.payoff > 0);
  CHECK(reference.fault(reference.answer()) == "");
  for (const std::size_t which : {0, 1}) {
    const double step = which == 0 ? by.payoff : by.square;
    for (const double wrong :
         {right[which] + 2.5 * step, right[which] - 2.5 * step, std::nan("")}) {
      const Answer other = reference.answer_with("sums", which, wrong);
      CHECK(mentions(reference.fault(other), "all paths computed again"));
      CHECK(mentions(reference.compared(other, reference.answer()), "the other answer"));
    }
  }
}

TEST_CASE("options judge: a price far from the closed form is found", "[options]") {
  const Reference reference(row(), priced("paths=2000000"));
  const Answer answer = reference.answer();
  CHECK(mentions(reference.judgement(answer).truth, "price 8.0"));
  CHECK(reference.fault(answer) == "");
  const double right = reference.elements_of<double>("sums")[0];
  CHECK(mentions(reference.fault(reference.answer_with("sums", 0, right * 1.02)),
                 "by the closed form"));
  CHECK(reference.fault(reference.answer_with("sums", 0, right * 1.001)) == "");
}

TEST_CASE("options shapes: items cover paths and partial sums", "[options]") {
  for (const Place place : {Place::host, Place::device}) {
    const Shape shape = shape_in(place);
    for (const std::uint64_t paths : {1ull, 255ull, 257ull, 1ull << 34}) {
      const std::uint64_t teams = teams_of_paths(shape, paths);
      CHECK(teams * shape.threads() * shape.paths >= paths);
      CHECK((teams - 1) * shape.threads() * shape.paths < paths);
      CHECK(teams <= partials_of(paths, 3));
      CHECK(teams_of_groups<float>(place, paths, 3) <= partials_of(paths, 3));
      std::uint64_t left = teams;
      const Simulation<float> s{};
      add_up(shape, s, teams, [&](const Sums*, std::uint64_t count, Sums*, int many) {
        CHECK(count == left);
        left = static_cast<std::uint64_t>(many);
        CHECK(left * shape.threads() * shape.partials >= count);
      });
      CHECK(left == 1);
    }
  }
  CHECK(teams_of_groups<float>(Place::host, 1024, 4) == 1);
  CHECK(teams_of_groups<float>(Place::host, 1025, 4) == 2);
  CHECK(teams_of_groups<double>(Place::device, 1 << 30, 132) == 132 * teams_a_processor);
}

// Of 200 intervals that hold with probability 0.95 the number that hold is binomial: mean 190,
// deviation 3.1. It is below 180 with probability 0.001 and 200 with 0.00004.
TEST_CASE("options: error bars hold as often as they should", "[options][kokkos][slow]") {
  const ElementType type = GENERATE(ElementType::f32, ElementType::f64);
  for (const Variant& variant : row().variants) {
    if (variant.place != Place::host) continue;
    int hold = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const Problem p = priced("paths=4096,steps=2", type, "", seed);
      const auto instance = row().make(p, shared_stream(Place::host));
      const auto sums =
          elements<double>(run_afresh(*instance, *variant.make(p, *instance)).at("sums"));
      const double mean = sums[0] / 4096, discount = std::exp(-0.05);
      const double error = discount * std::sqrt((sums[1] / 4096 - mean * mean) / 4095);
      hold += std::abs(discount * mean - closed_form(p).price) <= 1.96 * error;
    }
    CAPTURE(variant_name(row(), variant), name(type));
    CHECK(hold >= 180);
    CHECK(hold <= 199);
  }
}

TEST_CASE("options: fast functions are a GPU's, of f32", "[options]") {
  CHECK(mentions(no_fast_functions<Place::host>(priced("paths=9", ElementType::f32, "math=fast")),
                 "GPU's"));
  CHECK(mentions(no_fast_functions<Place::device>(priced("paths=9", ElementType::f64, "math=fast")),
                 "f32's"));
  CHECK(no_fast_functions<Place::device>(priced("paths=9", ElementType::f32, "math=fast")) == "");
  CHECK(no_fast_functions<Place::host>(priced("paths=9")) == "");
}

}  // namespace portcost::test::test_options
