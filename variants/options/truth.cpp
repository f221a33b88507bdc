// SPDX-License-Identifier: Apache-2.0
// The agreement of sums, and the check of sums: long double recomputes all paths if paths are few,
// else sampled paths; the price is compared with the closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/contract/truth.hpp"
#include "variants/options/problem.hpp"
#include "variants/shared/philox_truth.hpp"

namespace portcost::options {

namespace {

constexpr double most_again = 1 << 20;  // paths * steps, for a recount of all paths
constexpr double least_paths = 1024;    // the mean of so many is nearly normal
constexpr double errors = 6;            // standard errors

struct Contract {
  double spot, strike, rate, volatility, years, steps;
  double deviation() const { return volatility * std::sqrt(years); }
  double drift() const { return (rate - volatility * volatility / 2) * years / steps; }
  double diffusion() const { return volatility * std::sqrt(years / steps); }
};
Contract contract_of(const Problem& p) {
  const auto of = [&](std::string_view key) { return p.parameters.real(key); };
  return {of("spot"),       of("strike"), of("rate"),
          of("volatility"), of("years"),  static_cast<double>(p.size.at("steps"))};
}

double normal_below(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// |error of S| / S. Functions err by at most two units in the last place, 4 u of the value (the
// documentation of glibc and CUDA). Then a radius errs by 3 u radius, a cosine by 2 pi u (from the
// angle) plus 4 u, and a normal number z = radius cosine, rounded, by 15 u radius. CUDA's fast
// functions err by f = 2^-21: a radius errs by at most sqrt(2 f) plus 4 u radius, z by this error
// plus 2 f radius. The exponent is a chain of 2 additions per step. By the concentration of Gauss's
// measure, radii of `steps` steps sum to more than 1.26 steps + 8 sqrt(steps), or a sum of normal
// numbers exceeds 8 deviations, with a probability below 1e-13 per path.
double error_of_price(const Problem& p) {
  const Contract c = contract_of(p);
  const double u = p.type == ElementType::f64 ? 0x1p-53 : 0x1p-24, f = 0x1p-21;
  const double radii = 1.26 * c.steps + 8 * std::sqrt(c.steps);
  const double growth = c.steps * std::abs(c.drift()) + 8 * c.deviation();
  const double of_numbers =
      is_fast(p) ? c.steps * std::sqrt(2 * f) + (2 * f + 16 * u) * radii : 15 * u * radii;
  const double of_growth =
      c.diffusion() * (of_numbers + u * radii) + u * c.steps * (std::abs(c.drift()) + 2 * growth);
  return std::expm1(of_growth) + (is_fast(p) ? (6 + 2.4 * growth) * u : 0) + 8 * u;
}

// The payoff of path `path`, without rule.hpp. Box and Muller's transform makes the normal numbers
// of paths 2 i and 2 i + 1 from the uniform numbers 2 i and 2 i + 1.
long double paid(const Problem& problem, std::uint64_t path) {
  const Contract c = contract_of(problem);
  const bool wide = problem.type == ElementType::f64;
  const std::uint64_t first = path / 2 * 2;
  long double growth = 0;
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(c.steps); ++k) {
    const long double u = 1.0L - philox_truth::number(first, problem.seed, wide, k),
                      v = philox_truth::number(first + 1, problem.seed, wide, k);
    const long double angle = std::numbers::pi_v<long double> * (2 * v - 1);
    const long double normal =
        std::sqrt(-2 * std::log(u)) * (path % 2 == 0 ? std::cos(angle) : std::sin(angle));
    growth += c.drift() + c.diffusion() * normal;
  }
  return std::fmax(0.0L, c.spot * std::exp(growth) - c.strike);
}

Sums sums_of(const Answer& answer, const Stream& stream) {
  const auto both = on_host<double>(answer.at("sums"), 0, 2, stream);
  return {both[0], both[1]};
}

std::string outside(std::string_view what, const Sums& found, const Sums& right, const Sums& by) {
  const bool near = std::abs(found.payoff - right.payoff) <= by.payoff &&
                    std::abs(found.square - right.square) <= by.square;  // false for NaN
  return near ? ""
              : fmt::format(
                    "sums ({:.17g}, {:.17g}) against ({:.17g}, {:.17g}), {}; allowed "
                    "difference ({:.3g}, {:.3g})",
                    found.payoff, found.square, right.payoff, right.square, what, by.payoff,
                    by.square);
}

// Checks both sums of all paths or, for too many paths, the rule's payoffs of sampled paths.
template <class T>
std::string paths_again(const Problem& p, const Sums& found) {
  const auto paths = static_cast<std::uint64_t>(p.size.at("paths"));
  const double steps = contract_of(p).steps;
  if (static_cast<double>(paths) * steps <= most_again) {
    long double payoff = 0, square = 0;
    for (std::uint64_t path = 0; path < paths; ++path) {
      const long double one = paid(p, path);
      payoff += one;
      square += one * one;
    }
    const Sums right{static_cast<double>(payoff), static_cast<double>(square)};
    return outside("all paths computed again", found, right, bound(p, right));
  }
  const Terms<T> terms = terms_of<T>(p);
  const auto some = static_cast<std::size_t>(std::clamp(0x1p16 / steps, 4.0, 512.0));
  for (const std::uint64_t path : drawn(paths, some, p.seed)) {
    const auto mine = static_cast<double>(payoff_of_path<false>(terms, path));
    const auto right = static_cast<double>(paid(p, path));
    if (std::abs(mine - right) <= 1.01 * error_of_price(p) * (right + contract_of(p).strike))
      continue;
    return fmt::format("path {} pays {:.17g}, where {:.17g} is right", path, mine, right);
  }
  return "";
}

std::string far_from(const ClosedForm& right, double price, double allowed) {
  if (std::abs(price - right.price) <= allowed) return "";
  return fmt::format("the price is {:.9g}, by the closed form {:.9g}; allowed difference {:.3g}",
                     price, right.price, allowed);
}

}  // namespace

template <class T>
Terms<T> terms_of(const Problem& p) {
  const Contract c = contract_of(p);
  return {static_cast<T>(c.spot),        static_cast<T>(c.strike),  static_cast<T>(c.drift()),
          static_cast<T>(c.diffusion()), static_cast<int>(c.steps), p.seed};
}
template Terms<float> terms_of(const Problem&);
template Terms<double> terms_of(const Problem&);

ClosedForm closed_form(const Problem& p) {
  const Contract c = contract_of(p);
  const double s = c.deviation(), grown = c.rate * c.years;
  const double d = (std::log(c.spot / c.strike) + grown) / s - s / 2;  // d_2
  const double of_spot = c.spot * std::exp(grown);
  const double mean = of_spot * normal_below(d + s) - c.strike * normal_below(d);
  const double square = of_spot * of_spot * std::exp(s * s) * normal_below(d + 2 * s) -
                        2 * of_spot * c.strike * normal_below(d + s) +
                        c.strike * c.strike * normal_below(d);
  const double discount = std::exp(-grown);
  return {discount * mean, discount * std::sqrt(std::max(0.0, square - mean * mean))};
}

// If a path pays p in one arithmetic and q in another, |p - q| <= e S <= e (p + strike). The sums
// are added in f64, in any order.
Sums bound(const Problem& p, const Sums& sums) {
  const double e = error_of_price(p), k = contract_of(p).strike;
  const double n = static_cast<double>(p.size.at("paths")), chain = n * 0x1p-53;
  return {1.01 * e * (sums.payoff + n * k) + chain * sums.payoff,
          1.01 * (2 * e * (sums.square + k * sums.payoff) +
                  e * e * (sums.square + 2 * k * sums.payoff + n * k * k)) +
              chain * sums.square};
}

Disagreement compare(const Problem& problem, const Answer& left, const Answer& right,
                     const Stream& stream) {
  Disagreement result;
  for (const Answer* one : {&left, &right}) {
    result.text = shape_fault(one->at("sums"), ElementType::f64, 2);
    if (!result.text.empty()) return result;
  }
  const Sums a = sums_of(left, stream), b = sums_of(right, stream), by = bound(problem, b);
  result.left = a.payoff;
  result.right = b.payoff;
  result.text = outside("the other answer", a, b, {2 * by.payoff, 2 * by.square});
  result.unequal = result.text.empty() ? 0 : 1;
  return result;
}

Judgement judge(const Problem& p, std::string_view, const Answer& answer,
                const Instance& instance) {
  std::string fault = shape_fault(answer.at("sums"), ElementType::f64, 2);
  if (!fault.empty()) return {"sums", fault};
  const Contract c = contract_of(p);
  const Sums sums = sums_of(answer, instance.stream());
  const double n = static_cast<double>(p.size.at("paths")), discount = std::exp(-c.rate * c.years);
  const double mean = sums.payoff / n, price = discount * mean;
  const double error =
      discount * std::sqrt(std::max(0.0, sums.square / n - mean * mean) / std::max(1.0, n - 1));
  const ClosedForm right = closed_form(p);
  const double allowed =
      errors * right.deviation / std::sqrt(n) + discount * bound(p, sums).payoff / n;
  return {
      fmt::format("price {:.7g}, standard error {:.2g}, by the closed form {:.7g}; paths computed "
                  "again",
                  price, error, right.price),
      first_fault([&] { return typed(p, [&]<class T>(T) { return paths_again<T>(p, sums); }); },
                  [&] { return n < least_paths ? "" : far_from(right, price, allowed); })};
}

}  // namespace portcost::options
