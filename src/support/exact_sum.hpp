// SPDX-License-Identifier: Apache-2.0
// Sums of floating-point numbers without rounding: the same to the bit in any order, shared among
// any number of threads, processes and devices.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "src/support/host_device.hpp"

namespace portcost {

/// A fixed-point number that is wide enough for every finite double, products of two, and 2^60 of
/// them (Kulisch's long accumulator; digits of 32 bits in words of 64, as in Neal's "Fast exact
/// summation using small and large superaccumulators", 2015, so that 2^30 additions need no carry).
class ExactSum {
 public:
  /// The words of an accumulator: digits, the least first, then how many NaN, infinities above and
  /// below were added. Accumulators are added word by word, once each is normalised.
  static constexpr int digits = 134, words = digits + 3;

  void add(double x);
  void add_product(double x, double y);
  /// The same for many: faster, because most of them are added to expansions in registers first.
  void add(std::span<const double> numbers);
  void add(std::span<const float> numbers);
  /// numbers[i] * times[i]; both have the same number of elements.
  void add_products(std::span<const double> numbers, std::span<const double> times);
  void add_products(std::span<const float> numbers, std::span<const float> times);
  void add(const ExactSum& other);

  /// Carries, so that every digit but the last is in [0, 2^32).
  void normalise();
  std::span<std::int64_t, words> data() { return words_; }
  std::span<const std::int64_t, words> data() const { return words_; }

  /// The sum, rounded once, to the nearest double (of two, the even one); NaN and infinities as
  /// in any other sum.
  double value() const;
  /// Its square root, within one unit in the last place also where the sum itself would over- or
  /// underflow; NaN of a negative sum.
  double root() const;

  /// Calls add(word, amount) with what `x`, or `x * y`, adds to the words. For kernels, whose
  /// words several threads share.
  template <class Add>
  PORTCOST_HOST_DEVICE static void split(double x, const Add& add);
  template <class Add>
  PORTCOST_HOST_DEVICE static void split_product(double x, double y, const Add& add);

 private:
  // The digits' first bit is worth 2^-lowest.
  static constexpr int lowest = 2176;
  static constexpr int fewest_carries = 1 << 30;
  struct Rounded;
  __extension__ using Wide = unsigned __int128;
  struct Parts {
    std::uint64_t mantissa;
    int exponent;  // of the mantissa's last bit, plus 1075
    bool negative;
  };

  PORTCOST_HOST_DEVICE static Parts parts(double x, bool& special);
  template <class Add>
  PORTCOST_HOST_DEVICE static void place(Wide bits, int position, bool negative, const Add& add);
  template <class Add>
  PORTCOST_HOST_DEVICE static void count_special(double x, const Add& add);
  template <bool products, class T>
  void add_all(std::span<const T> numbers, std::span<const T> times = {});
  void add_each(std::span<const double> numbers);
  void one_more();
  Rounded rounded(int least_exponent) const;
  bool special(double& value) const;

  std::array<std::int64_t, words> words_{};
  std::int64_t added_ = 0;  // since the last carry
};

PORTCOST_HOST_DEVICE inline ExactSum::Parts ExactSum::parts(double x, bool& special) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  special = exponent == 0x7ff;
  if (exponent == 0) return {fraction, 1, (bits >> 63) != 0};
  return {fraction | std::uint64_t{1} << 52, exponent, (bits >> 63) != 0};
}

template <class Add>
PORTCOST_HOST_DEVICE void ExactSum::place(Wide bits, int position, bool negative, const Add& add) {
  int digit = position / 32;
  const int shift = position % 32;
  // The lowest digit gets what is left of its bits, each further one 32 of those that remain.
  auto low = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bits) << shift);
  bits >>= 32 - shift;
  for (;;) {
    const auto amount = static_cast<std::int64_t>(low);
    if (amount != 0) add(digit, negative ? -amount : amount);
    if (bits == 0) return;
    low = static_cast<std::uint32_t>(bits);
    bits >>= 32;
    ++digit;
  }
}

template <class Add>
PORTCOST_HOST_DEVICE void ExactSum::count_special(double x, const Add& add) {
  const int which = x != x ? 0 : x > 0 ? 1 : 2;
  add(digits + which, std::int64_t{1});
}

template <class Add>
PORTCOST_HOST_DEVICE void ExactSum::split(double x, const Add& add) {
  bool special;
  const Parts p = parts(x, special);
  if (special) return count_special(x, add);
  place(p.mantissa, p.exponent - 1075 + lowest, p.negative, add);
}

template <class Add>
PORTCOST_HOST_DEVICE void ExactSum::split_product(double x, double y, const Add& add) {
  bool special, other;
  const Parts p = parts(x, special), q = parts(y, other);
  if (special || other) return count_special(x * y, add);
  place(static_cast<Wide>(p.mantissa) * q.mantissa, p.exponent + q.exponent - 2 * 1075 + lowest,
        p.negative != q.negative, add);
}

}  // namespace portcost
