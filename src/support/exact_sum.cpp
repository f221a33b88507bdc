// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffp-contract=off: a product that is part of an exact sum must not be fused away.
#include "src/support/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace portcost {

namespace {

constexpr std::int64_t mask = 0xffffffff;

// Several sums side by side, each an expansion of three doubles that do not overlap: what two-sum
// (Knuth) leaves over of one is added to the next. Loops over lanes become vector instructions.
constexpr std::size_t lanes = 8, depth = 3;
using Lanes = std::array<double, lanes>;

// Within these bounds neither sums nor products (nor their roundings) over- or underflow.
constexpr double most = 0x1p480, least = 0x1p-480;

struct Expansions {
  Lanes terms[depth] = {};

  // Adds `x` and leaves in it what does not fit: almost always zeros. True where that is anything.
  bool add(Lanes& x) {
    for (Lanes& term : terms) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const double sum = term[k] + x[k], added = sum - term[k];
        x[k] = (term[k] - (sum - added)) + (x[k] - added);
        term[k] = sum;
      }
    }
    int rests = 0;
    for (const double rest : x) rests |= rest != 0;
    return rests != 0;
  }
};

}  // namespace

void ExactSum::one_more() {
  if (++added_ >= fewest_carries) normalise();
}

void ExactSum::add(double x) {
  split(x, [this](int word, std::int64_t amount) { words_[word] += amount; });
  one_more();
}

void ExactSum::add_product(double x, double y) {
  split_product(x, y, [this](int word, std::int64_t amount) { words_[word] += amount; });
  one_more();
}

template <bool products, class T>
void ExactSum::add_all(std::span<const T> numbers, std::span<const T> times) {
  const auto add_one = [&](std::size_t i) {
    if constexpr (products) {
      add_product(static_cast<double>(numbers[i]), static_cast<double>(times[i]));
    } else {
      add(static_cast<double>(numbers[i]));
    }
  };
  Expansions sums;
  std::size_t i = 0;
  for (; i + lanes <= numbers.size(); i += lanes) {
    Lanes x, y;
    int outside = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      x[k] = static_cast<double>(numbers[i + k]);
      const double size = std::abs(x[k]);
      outside |= !(size < most);  // NaN is not less than anything
      if constexpr (products) {
        y[k] = static_cast<double>(times[i + k]);
        const double other = std::abs(y[k]);
        outside |=
            !(other < most) || (size <= least && size != 0) || (other <= least && other != 0);
      }
    }
    if (outside != 0) {
      for (std::size_t k = 0; k < lanes; ++k) add_one(i + k);
      continue;
    }
    if constexpr (products) {
      Lanes error;
      for (std::size_t k = 0; k < lanes; ++k) {
        const double product = x[k] * y[k];
        error[k] = std::fma(x[k], y[k], -product);
        x[k] = product;
      }
      if (sums.add(error)) add_each(error);
    }
    if (sums.add(x)) add_each(x);
  }
  for (const Lanes& term : sums.terms) add_each(term);
  for (; i < numbers.size(); ++i) add_one(i);
}

void ExactSum::add_each(std::span<const double> numbers) {
  for (const double x : numbers) add(x);
}

void ExactSum::add(std::span<const double> numbers) { add_all<false>(numbers); }
void ExactSum::add(std::span<const float> numbers) { add_all<false>(numbers); }
void ExactSum::add_products(std::span<const double> numbers, std::span<const double> times) {
  add_all<true>(numbers, times);
}
void ExactSum::add_products(std::span<const float> numbers, std::span<const float> times) {
  add_all<true>(numbers, times);
}

void ExactSum::add(const ExactSum& other) {
  ExactSum carried = other;
  carried.normalise();
  for (std::size_t i = 0; i < words; ++i) words_[i] += carried.words_[i];
  one_more();
}

void ExactSum::normalise() {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < digits; ++i) {
    const std::int64_t digit = words_[i] + carry;
    words_[i] = digit & mask;
    carry = digit >> 32;
  }
  words_[digits - 1] += carry;
  added_ = 1;
}

bool ExactSum::special(double& value) const {
  const auto nan = words_[digits], above = words_[digits + 1], below = words_[digits + 2];
  if (nan > 0 || (above > 0 && below > 0)) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  value = above > 0 ? std::numeric_limits<double>::infinity()
                    : -std::numeric_limits<double>::infinity();
  return above > 0 || below > 0;
}

// mantissa * 2^exponent, of 53 bits or, where the exponent would be less than the least, fewer.
struct ExactSum::Rounded {
  double mantissa = 0;
  int exponent = 0;
};

ExactSum::Rounded ExactSum::rounded(int least_exponent) const {
  ExactSum sum = *this;
  sum.normalise();
  const bool negative = sum.words_[digits - 1] < 0;
  if (negative) {
    for (std::size_t i = 0; i < digits; ++i) sum.words_[i] = -sum.words_[i];
    sum.normalise();
  }
  int top = digits - 1;
  while (top >= 0 && sum.words_[top] == 0) --top;
  if (top < 0) return {};
  // The first 64 bits, and whether any follow.
  const auto digit = [&](int i) { return i < 0 ? 0 : static_cast<std::uint64_t>(sum.words_[i]); };
  const int length = std::bit_width(digit(top));
  const Wide three = static_cast<Wide>(digit(top)) << 64 | static_cast<Wide>(digit(top - 1)) << 32 |
                     digit(top - 2);
  const auto bits = static_cast<std::uint64_t>(three >> length);
  bool more = (three & ((Wide{1} << length) - 1)) != 0;
  for (int i = 0; i < top - 2 && !more; ++i) more = digit(i) != 0;
  const int first = 32 * top + length - 1 - lowest;  // the exponent of the first bit
  const int exponent = std::max(first - 52, least_exponent);
  const int kept = first - exponent + 1;
  if (kept < 0) return {0, exponent};
  std::uint64_t mantissa = kept == 0 ? 0 : bits >> (64 - kept);
  const std::uint64_t rest = kept == 0 ? bits : bits << kept;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  if (rest > half || (rest == half && (more || (mantissa & 1) != 0))) ++mantissa;
  const auto result = static_cast<double>(mantissa);
  return {negative ? -result : result, exponent};
}

double ExactSum::value() const {
  if (double value; special(value)) return value;
  const Rounded r = rounded(-1074);
  return std::ldexp(r.mantissa, r.exponent);
}

double ExactSum::root() const {
  if (double value; special(value)) return std::sqrt(value);
  Rounded r = rounded(-lowest);
  if (r.exponent % 2 != 0) {
    r.mantissa *= 2;
    --r.exponent;
  }
  return std::ldexp(std::sqrt(r.mantissa), r.exponent / 2);
}

}  // namespace portcost
