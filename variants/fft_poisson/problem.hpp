// SPDX-License-Identifier: Apache-2.0
// fft_poisson: Poisson's equation on a periodic grid by transforms. Plain C++.
//
//   -laplace u = f over a period of 1 along each axis:  F = forward(f);  F /= the eigenvalue of
//   each mode, and 0 for the mean;  u = backward(F) / (nx ny nz)
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "variants/fft_poisson/rule.hpp"
#include "variants/shared/fft.hpp"

namespace portcost::fft_poisson {

/// The discrete laplace (parameter `operator`): of trigonometric interpolants, or second-order
/// differences.
enum class Operator { spectral, stencil };
inline constexpr std::array<std::string_view, 2> operator_names{"spectral", "stencil"};
inline Operator operator_of(const Problem& p) {
  return static_cast<Operator>(p.parameters.number_of("operator", operator_names));
}

/// The grid as every variant receives it, x fastest; a plane has nz = 1.
template <class T>
struct Grid {
  using Number = T;
  using Transforms = fft::Plan<T>;
  const T* f;
  T* out;
  fft::Complex<T>* spectrum;  // [nz][ny][nx / 2 + 1]
  const Transforms* plan;
  /// Eigenvalues of -d2/dx2 for modes 0 to nx / 2, then of -d2/dy2 and -d2/dz2 for all modes.
  const T* eigenvalues;
  int nx, ny, nz;
  Operator laplace;

  fft::Shape shape() const { return {nx, ny, nz, 1}; }
};

/// The eigenvalue of mode j of n along an axis.
inline double eigenvalue(Operator laplace, std::int64_t j, std::int64_t n) {
  const auto k = static_cast<double>(fft::wave_number(j, n));
  const double half_root =
      laplace == Operator::spectral
          ? std::numbers::pi * k
          : std::sin(std::numbers::pi * k / static_cast<double>(n)) * static_cast<double>(n);
  return 4 * half_root * half_root;
}

/// The division of each mode by its eigenvalue, times `scale`.
template <class T>
struct Inversion {
  using Mode = fft::Complex<T>;
  Mode* spectrum;
  const T *of_x, *of_y, *of_z;
  int modes, rows, ny;
  T scale;

  Inversion(const Grid<T>& s, double factor)
      : spectrum(s.spectrum),
        of_x(s.eigenvalues),
        of_y(of_x + s.nx / 2 + 1),
        of_z(of_y + s.ny),
        modes(s.nx / 2 + 1),
        rows(s.ny * s.nz),
        ny(s.ny),
        scale(static_cast<T>(factor)) {}
  PORTCOST_HOST_DEVICE Mode at(int row, int k) const {
    const int z = row / ny, y = row - z * ny;
    return solved(spectrum[std::int64_t{row} * modes + k], of_x[k] + (of_y[y] + of_z[z]), scale);
  }
};

/// Inversion for fft::run_pass() along the slowest axis: z is mode k of a column.
template <class T>
struct AxisInversion {
  const T *of_x, *of_row, *of_axis;  // column = row * modes + mode of x; a plane: row 0
  int modes;
  T scale;

  explicit AxisInversion(const Grid<T>& s)
      : of_x(s.eigenvalues),
        of_row(of_x + s.nx / 2 + 1 + (s.nz > 1 ? 0 : s.ny)),
        of_axis(of_x + s.nx / 2 + 1 + (s.nz > 1 ? s.ny : 0)),
        modes(s.nx / 2 + 1),
        scale(1 / static_cast<T>(s.shape().factor())) {}
  PORTCOST_FORCEINLINE fft::Complex<T> operator()(fft::Complex<T> z, int k, int column) const {
    const int row = column / modes;
    return solved(z, of_x[column - row * modes] + of_row[row] + of_axis[k], scale);
  }
};
/// Why `fused_axis` refuses a problem; empty if it does not.
inline std::string_view no_fused_axis(const Problem& p) {
  const std::int64_t nz = p.size.at("nz");
  return fft::has_axis(nz > 1 ? nz : p.size.at("ny"))
             ? ""
             : "the slowest axis must have a power of 2 from 64 to 32768 nodes: ny=8192,nz=1";
}

inline constexpr std::int64_t most_numbers = std::int64_t{1} << 34, most_rows = 1 << 30;

inline fft::Shape shape_of(const Problem& p) {
  return {p.size.at("nx"), p.size.at("ny"), p.size.at("nz")};
}

// ---- Inputs.

/// Number `at` of `count`, in [-0.5, 0.5]. The sum is 0, because number count - 1 - at is
/// -(number at).
template <class T>
constexpr T element(std::uint64_t seed, std::uint64_t at, std::uint64_t count) {
  const std::uint64_t other = count - 1 - at;
  if (at == other) return 0;
  const T value = in_unit<T>(random_bits(seed, at < other ? at : other)) - T(0.5);
  return at < other ? value : -value;
}

/// The work that a variant receives, and Algorithm::judge and compare (truth.cpp).
inline constexpr Works<Grid<float>, Grid<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);
Disagreement compare(const Problem&, const Answer& left, const Answer& right, const Stream&);

}  // namespace portcost::fft_poisson
