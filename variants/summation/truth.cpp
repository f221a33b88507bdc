// SPDX-License-Identifier: Apache-2.0
// The a priori bounds of the methods (Higham 2002, chapter 4), and the check: an exact sum of the
// numbers, recomputed from the rule.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "src/contract/truth.hpp"
#include "src/support/exact_sum.hpp"
#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

struct Truth {
  ExactSum sum;
  double absolute = 0;
};

template <class T>
Truth make_truth(const Problem& problem) {
  const Data data = data_of(problem);
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  constexpr std::uint64_t stretch = 1 << 16;
  const auto count = static_cast<std::int64_t>(ceil_div(n, stretch));
  Truth all;
#pragma omp parallel for ordered schedule(static, 1) if (count > 1)
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint64_t begin = static_cast<std::uint64_t>(k) * stretch;
    std::vector<T> numbers;
    double absolute = 0;
    for (std::uint64_t i = begin; i < std::min(n, begin + stretch); ++i) {
      numbers.push_back(number<T>(data, problem.seed, i, n));
      absolute += std::abs(static_cast<double>(numbers.back()));
    }
    ExactSum sum;
    sum.add(std::span<const T>(numbers));
#pragma omp ordered
    {
      all.sum.add(sum);
      all.absolute += absolute;
    }
  }
  return all;
}

double roundoff(ElementType type) { return type == ElementType::f64 ? 0x1p-53 : 0x1p-24; }
// gamma_d = d u / (1 - d u), for d additions in a row (Higham, section 3.1).
double gamma(double d, double u) { return d * u / (1 - d * u); }

// The most additions that a number goes through.
template <class T>
double longest(std::string_view step, std::uint64_t n) {
  const auto levels = [](double of) { return std::ceil(std::log2(std::max(1.0, of))); };
  if (step == "serial") return static_cast<double>(n);
  if (step == "pairwise") {  // launches of trees
    double result = 0;
    for (std::uint64_t left = n;; left = teams_of_pairs<T>(left)) {
      result += levels(pair_rows) + levels(row<T>);
      if (teams_of_pairs<T>(left) == 1) return result;
    }
  }
  const Plan p = plan_of<T>(n);
  if (step == "chunks") return p.rows + lanes_of_a_thread<T> + threads + p.teams;
  return p.rows + levels(row<T>) + levels(p.teams);
}

}  // namespace

// Without compensation |error| <= gamma_d absolute (section 4.2): serial d = n - 1, pairwise d =
// log2 n (4.6). kahan (4.8, with the term of u^2): a lane loses only the rounding of number + rest,
// and a rest is at most u absolute, so that a lane's sum + rest errs by at most (u + 1.1 rows u^2)
// absolute. A join at level k adds two roundings of a rest of at most 1.1 (k + 1) u absolute.
// out[0] alone errs by u absolute more. wide_accumulator: gamma_d of f64, then the value is rounded
// to one f32 (sum) or to two (pair).
Bounds bounds(std::string_view step, ElementType type, std::uint64_t n, double absolute) {
  const double u = roundoff(type),
               d = type == ElementType::f64 ? longest<double>(step, n) : longest<float>(step, n);
  const double safe = absolute * (1 + 1e-6);  // `absolute` and this product are rounded
  if (step == "kahan") {
    const double pair = u + (1.1 * d + 600) * u * u;
    return {(pair + u) * safe, pair * safe};
  }
  if (step == "wide_accumulator") {
    const double sum = gamma(d, 0x1p-53);
    return {(sum + u) * safe, (sum + u * u) * safe};
  }
  return {gamma(d, u) * safe, gamma(d, u) * safe};
}

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  static Remembered<Truth> remembered;
  const Truth& truth = remembered.of(problem, {}, [&] {
    return typed(problem, [&]<class T>(T) { return make_truth<T>(problem); });
  });
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const std::string fault = shape_fault(answer.at("sum"), problem.type, 2);
  if (!fault.empty()) return {"the exact sum", fault};
  double out[2];
  typed(problem, [&]<class T>(T) {
    const auto both = on_host<T>(answer.at("sum"), 0, 2, instance.stream());
    std::copy_n(both.begin(), 2, out);
  });
  ExactSum error = truth.sum;
  error.add(-out[0]);
  const double of_sum = std::abs(error.value());
  error.add(-out[1]);
  const double of_pair = std::abs(error.value());
  const Bounds by = bounds(step, problem.type, n, truth.absolute);
  const double unit = truth.absolute > 0 ? roundoff(problem.type) * truth.absolute : 1;
  const bool compensated = step == "kahan" || step == "wide_accumulator";
  const bool good = of_sum <= by.sum && of_pair <= by.pair &&  // false for NaN
                    (compensated || out[1] == 0);
  const std::string errors = fmt::format(
      "error {:.3g} u sum|x| of the sum, {:.3g} with the compensation; bounds {:.3g} and {:.3g}",
      of_sum / unit, of_pair / unit, by.sum / unit, by.pair / unit);
  return {"the exact sum: " + errors,
          good ? ""
               : fmt::format("{:.17g} and {:.3g}, where {:.17g} is right: {}", out[0], out[1],
                             truth.sum.value(), errors)};
}

}  // namespace portcost::summation
