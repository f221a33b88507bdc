// SPDX-License-Identifier: Apache-2.0
// The check of an answer: a recount of few points in integers; for many points the hits must
// agree with pi.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "src/contract/truth.hpp"
#include "variants/monte_carlo/problem.hpp"
#include "variants/shared/philox_truth.hpp"

namespace portcost::monte_carlo {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t most_recounted = 1 << 22;

// With x = a / 2^bits and y y rounded to T, x x + y y rounds to less than 1 if the sum is below
// 1 - 2^-(bits + 1), the midpoint, which rounds to 1 (even). In units of 2^-(2 bits) x x, y y and
// the midpoint are integers. (If y y has smaller digits, y y is below 2^-bits and every x is a
// hit.)
template <class T>
std::uint64_t count_again(std::uint64_t pairs, std::uint64_t seed) {
  constexpr int bits = std::numeric_limits<T>::digits;
  constexpr Wide limit = (Wide{1} << 2 * bits) - (Wide{1} << (bits - 1));
  std::uint64_t hits = 0;
#pragma omp parallel for schedule(static) reduction(+ : hits)
  for (std::uint64_t p = 0; p < pairs; ++p) {
    const double x = philox_truth::number(2 * p, seed, sizeof(T) == 8);
    const T y = static_cast<T>(philox_truth::number(2 * p + 1, seed, sizeof(T) == 8));
    const T square = y * y;
    const auto a = static_cast<std::uint64_t>(std::ldexp(x, bits));
    hits += Wide{a} * a + static_cast<Wide>(std::ldexp(square, 2 * bits)) < limit;
  }
  return hits;
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  static Remembered<std::uint64_t> remembered;
  const auto pairs = static_cast<std::uint64_t>(problem.size.at("pairs"));
  const bool few = pairs <= most_recounted;
  Judgement result{
      few ? "all points, made and counted again in integers" : "pi, within six standard deviations",
      shape_fault(answer.at("hits"), ElementType::i32, 2)};
  if (!result.fault.empty()) return result;
  const auto hits = on_host<std::uint64_t>(answer.at("hits"), 0, 1, instance.stream()).at(0);
  const double part = std::numbers::pi / 4, expected = part * static_cast<double>(pairs);
  const double six = 6 * std::sqrt(expected * (1 - part));
  if (few) {
    const std::uint64_t right = remembered.of(problem, {}, [&] {
      return typed(problem, [&]<class T>(T) { return count_again<T>(pairs, problem.seed); });
    });
    if (hits != right) result.fault = fmt::format("{} hits, where {} is right", hits, right);
  } else if (!(std::abs(static_cast<double>(hits) - expected) <= six)) {
    result.fault = fmt::format("{} hits, where {:.0f} +- {:.0f} are expected", hits, expected, six);
  }
  return result;
}

}  // namespace portcost::monte_carlo
