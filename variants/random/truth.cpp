// SPDX-License-Identifier: Apache-2.0
// The checks of an answer: Philox's numbers are recomputed, a library's numbers pass statistics.
#include <fmt/format.h>

#include "src/contract/truth.hpp"
#include "variants/random/problem.hpp"
#include "variants/shared/philox_truth.hpp"

namespace portcost::random {

namespace {

bool is_normal(const Problem& p) { return p.parameters.number_of("numbers", numbers_names) == 1; }

bool is_own(const Answer& answer, const Stream& stream) {
  return on_host<std::int32_t>(answer.at("own"), 0, 1, stream).at(0) != 0;
}

// Number i. A normal number is computed in long double, from the angle rounded to T.
template <class T>
long double number_again(std::uint64_t i, std::uint64_t seed, bool normal) {
  constexpr bool wide = sizeof(T) == 8;
  if (!normal) return philox_truth::number(i, seed, wide);
  const double u = philox_truth::number(i / 2 * 2, seed, wide);
  const double v = philox_truth::number(i / 2 * 2 + 1, seed, wide);
  const T angle = static_cast<T>(2 * 3.14159265358979323846L) * static_cast<T>(v);
  const long double r = std::sqrt(-2 * std::log1p(-static_cast<long double>(u)));
  return r * (i % 2 == 0 ? std::cos(static_cast<long double>(angle))
                         : std::sin(static_cast<long double>(angle)));
}

template <class T>
std::string wrong_number(const Problem& problem, const Array& array, const Stream& stream) {
  constexpr std::size_t most_drawn = 4096;
  const Elements<T> elements(array, stream);
  const bool normal = is_normal(problem);
  for (const std::uint64_t i : drawn(array.count(), most_drawn, problem.seed)) {
    const long double right = number_again<T>(i, problem.seed, normal);
    const auto found = static_cast<long double>(elements[i]);
    const long double allowed =
        normal ? roundings * std::numeric_limits<T>::epsilon() * std::abs(right) : 0;
    if (std::abs(found - right) <= allowed) continue;  // false for NaN
    return wrong_element(array, i, fmt::format("{}", elements[i]),
                         fmt::format("{}", static_cast<T>(right)));
  }
  return {};
}

// ---- Statistics. A right generator fails each check with a probability of about 1e-9 or less.

constexpr std::uint64_t stretch = 1 << 14, stretches = 64;

// All numbers, or `stretches` stretches spread from the first number to the last.
template <class T>
std::vector<std::vector<T>> sampled(const Array& array, const Stream& stream) {
  const std::uint64_t n = array.count();
  if (n <= stretch * stretches) return {on_host<T>(array, 0, n, stream)};
  std::vector<std::vector<T>> result;
  for (std::uint64_t s = 0; s < stretches; ++s) {
    result.push_back(on_host<T>(array, (n - stretch) / (stretches - 1) * s, stretch, stream));
  }
  result.back() = on_host<T>(array, n - stretch, stretch, stream);
  return result;
}

// sum (found - expected)^2 / expected over 256 equally likely buckets.
double chi_square(const std::vector<std::uint64_t>& buckets) {
  double all = 0, sum = 0;
  for (const std::uint64_t count : buckets) all += static_cast<double>(count);
  const double expected = all / static_cast<double>(buckets.size());
  for (const std::uint64_t count : buckets) {
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected);
  }
  return sum / expected;
}

template <class T>
std::string unlikely(const Problem& problem, const Array& array, const Stream& stream) {
  const bool normal = is_normal(problem);
  std::uint64_t m = 0;
  double sum = 0, squares = 0;
  std::vector<std::uint64_t> buckets(256, 0), pairs(256, 0);
  std::vector<std::array<T, 2>> neighbours;
  const auto part = [](double u, int parts) {  // index of the part of [0, 1] with u
    return static_cast<std::size_t>(std::min(u * parts, parts - 1.0));
  };
  for (const std::vector<T>& numbers : sampled<T>(array, stream)) {
    double before = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double x = static_cast<double>(numbers[i]);
      const double u = normal ? std::erfc(-x / std::sqrt(2.0)) / 2 : x;  // uniform for both kinds
      if (!(u >= 0 && u <= 1)) return fmt::format("{} is no such number", x);
      ++m;
      sum += u - 0.5;
      squares += (u - 0.5) * (u - 0.5);
      ++buckets[part(u, 256)];
      if (i % 2 == 1) ++pairs[16 * part(before, 16) + part(u, 16)];
      if (i > 0) neighbours.push_back({numbers[i - 1], numbers[i]});
      before = u;
    }
  }
  if (m == 0) return {};
  // Hoeffding 1963: the mean of m numbers from an interval of length 1 is off by more than `far`
  // with a probability below 2 exp(-2 m far^2) = 1e-9.
  const auto count = static_cast<double>(m);
  const double far = std::sqrt(std::log(2e9) / (2 * count));
  if (std::abs(sum / count) > far) {
    return fmt::format("the mean is {:.3g} off 1/2, beyond {:.3g}", sum / count, far);
  }
  if (std::abs(squares / count - 1.0 / 12) > far / 4) {
    return fmt::format("the variance is {:.3g} off 1/12, beyond {:.3g}", squares / count - 1.0 / 12,
                       far / 4);
  }
  // Chi-square, 255 degrees of freedom (Wilson and Hilferty 1931, six standard deviations). A
  // bucket expects at least 256 entries.
  constexpr double least = 141, most = 416;
  if (m >= 2 * 256 * 256) {
    for (const auto& [what, of] :
         {std::pair{"buckets", &buckets}, {"pairs of neighbours", &pairs}}) {
      const double chi = chi_square(*of);
      if (chi < least || chi > most) {
        return fmt::format("chi-square of 256 {} is {:.4g}, outside {} to {}", what, chi, least,
                           most);
      }
    }
  }
  // Two pairs of neighbours are equal with a probability of at most 2^-48. Of 2^20 pairs 2^-9 are
  // equal on average, and 4 or more with a probability below 1e-12.
  std::ranges::sort(neighbours);
  const auto repeated = std::ranges::unique(neighbours).size();
  if (repeated >= 4) return fmt::format("{} pairs of neighbours stand twice", repeated);
  return {};
}

std::string unlikely(const Problem& problem, const Answer& answer, const Stream& stream) {
  return typed(problem,
               [&]<class T>(T) { return unlikely<T>(problem, answer.at("numbers"), stream); });
}

}  // namespace

Disagreement compare(const Problem& problem, const Answer& left, const Answer& right,
                     const Stream& stream) {
  if (!is_own(left, stream) && !is_own(right, stream)) {
    return compare_within(is_normal(problem) ? roundings : 0, left, right, stream);
  }
  Disagreement result = compare_exact(left, right, stream, {"no array: shapes alone"});
  for (const Answer* one : {&left, &right}) {
    if (result.text.empty()) result.text = unlikely(problem, *one, stream);
  }
  return result;
}

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const Stream& stream = instance.stream();
  const Array& numbers = answer.at("numbers");
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  const bool philox = step == "one_number" || step == "one_call" || step == "many_calls";
  std::string fault = shape_fault(numbers, problem.type, n);
  if (fault.empty() && philox == is_own(answer, stream)) {
    fault = "the numbers are not of the generator that the step names";
  }
  if (fault.empty()) {
    fault = !philox ? unlikely(problem, answer, stream) : typed(problem, [&]<class T>(T) {
      return wrong_number<T>(problem, numbers, stream);
    });
  }
  return {philox ? "numbers drawn and made anew in other arithmetic"
                 : "mean, variance, chi-square of buckets and of pairs, repeated pairs",
          fault};
}

}  // namespace portcost::random
