// SPDX-License-Identifier: Apache-2.0
// fft_derivative: d/dx of many periodic lines by transforms. Plain C++.
//
//   each line, of n numbers over a period of 1:  F = forward(f);  F[k] *= i 2 pi k, and 0 for
//   k = n / 2;  out = backward(F) / n
#pragma once

#include <numbers>

#include "variants/fft_derivative/rule.hpp"
#include "variants/shared/fft.hpp"

namespace portcost::fft_derivative {

/// The lines as every variant receives them, one after another without padding.
template <class T>
struct Lines {
  using Number = T;
  using Transforms = fft::Plan<T>;
  const T* f;
  T* out;
  fft::Complex<T>* spectrum;  // n / 2 + 1 modes a line
  const Transforms* plan;
  int n, lines;

  fft::Shape shape() const { return {n, 1, 1, lines}; }
};

/// The derivative of each mode of each line; `unit` is 2 pi, or 2 pi / n in `fused`.
template <class T>
struct Derivation {
  using Mode = fft::Complex<T>;
  Mode* spectrum;
  int modes, rows, n;
  T unit;

  Derivation(const Lines<T>& s, double factor)
      : spectrum(s.spectrum),
        modes(s.n / 2 + 1),
        rows(s.lines),
        n(s.n),
        unit(static_cast<T>(2 * std::numbers::pi * factor)) {}
  PORTCOST_HOST_DEVICE Mode at(int row, int k) const {
    return derived(spectrum[std::int64_t{row} * modes + k], unit * static_cast<T>(slope(k, n)));
  }
};

/// Why `one_pass` refuses a problem; empty if it does not.
inline std::string_view no_one_pass(const Problem& p) {
  return with_length(p.size.at("n"), [](auto) {}) ? ""
                                                  : "n must be a power of 2 from 64 to 2048: n=512";
}
/// 2 pi / n: the factor of a mode's wave number, with the division by n.
template <class T>
T pass_unit(int n) {
  return static_cast<T>(2 * std::numbers::pi / n);
}

inline constexpr std::int64_t most_numbers = std::int64_t{1} << 34;

inline fft::Shape shape_of(const Problem& p) { return {p.size.at("n"), 1, 1, p.size.at("lines")}; }

// ---- Inputs.

/// Number `at` of all lines, in [-0.5, 0.5).
template <class T>
constexpr T element(std::uint64_t seed, std::uint64_t at) {
  return in_unit<T>(random_bits(seed, at)) - T(0.5);
}

/// The work that a variant receives, and Algorithm::judge and compare (truth.cpp).
inline constexpr Works<Lines<float>, Lines<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);
Disagreement compare(const Problem&, const Answer& left, const Answer& right, const Stream&);

}  // namespace portcost::fft_derivative
