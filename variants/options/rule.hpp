// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a path: Philox's uniform numbers, normal numbers by Box and Muller (1958),
// exact log-Euler steps of geometric Brownian motion, and the payoff.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "src/support/host_device.hpp"
#include "variants/shared/philox.hpp"

namespace portcost::options {

/// The sums of the payoff and of its square over paths, in f64 for every type.
struct Sums {
  double payoff = 0, square = 0;
  PORTCOST_HOST_DEVICE void add(double paid) {
    payoff += paid;
    square = std::fma(paid, paid, square);
  }
  PORTCOST_HOST_DEVICE Sums& operator+=(const Sums& other) {
    payoff += other.payoff;
    square += other.square;
    return *this;
  }
  // Kokkos before 4.0 adds through volatile references.
  PORTCOST_HOST_DEVICE void operator+=(const volatile Sums& other) volatile {
    payoff = payoff + other.payoff;
    square = square + other.square;
  }
};

/// A European call; the price starts at `spot`. A step of time dt changes the price's logarithm by
/// drift + diffusion z, where drift = (rate - volatility^2 / 2) dt and diffusion = volatility
/// sqrt(dt).
template <class T>
struct Terms {
  T spot, strike, drift, diffusion;
  int steps;
  PhiloxSeed seed;
};

/// The paths of a group: as many as a Philox call makes numbers. A Philox call makes the numbers of
/// one step of a group: the group is the call's counter, the step its stream, so that no number is
/// used twice.
template <class T>
inline constexpr int paths_of_a_group = numbers_of_a_call<T>;

// A device has functions of half turns (sincospi) and, for f32, fast ones; a host has neither.
template <bool fast, class T>
PORTCOST_HOST_DEVICE inline T logarithm(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (fast) return __logf(x);
#endif
  return std::log(x);
}
template <bool fast, class T>
PORTCOST_HOST_DEVICE inline T exponential(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (fast) return __expf(x);
#endif
  return std::exp(x);
}
/// Sine and cosine of `half_turns` times pi.
template <bool fast, class T>
PORTCOST_HOST_DEVICE inline void sine_cosine(T half_turns, T& sine, T& cosine) {
  constexpr T pi = T(3.14159265358979323846);
#ifdef __CUDA_ARCH__
  if constexpr (fast) {
    __sincosf(pi * half_turns, &sine, &cosine);
  } else if constexpr (std::is_same_v<T, float>) {
    sincospif(half_turns, &sine, &cosine);
  } else {
    sincospi(half_turns, &sine, &cosine);
  }
#else
  sine = std::sin(pi * half_turns);
  cosine = std::cos(pi * half_turns);
#endif
}

/// Two normal numbers from two uniform ones in [0, 1). A fast logarithm of a number near 1 may be
/// above 0.
template <bool fast, class T>
PORTCOST_HOST_DEVICE inline void box_muller(T u, T v, T& first, T& second) {
  const T square = T(-2) * logarithm<fast>(T(1) - u);
  const T radius = std::sqrt(fast ? std::fmax(square, T(0)) : square);
  T sine, cosine;
  sine_cosine<fast>(std::fma(T(2), v, T(-1)), sine, cosine);
  first = radius * cosine;
  second = radius * sine;
}

/// `growth` = log(S / spot) after one more step.
template <class T>
PORTCOST_HOST_DEVICE inline T step(const Terms<T>& terms, T growth, T normal) {
  return std::fma(terms.diffusion, normal, growth) + terms.drift;
}
/// The payoff of the option.
template <bool fast, class T>
PORTCOST_HOST_DEVICE inline T payoff(const Terms<T>& terms, T growth) {
  return std::fmax(std::fma(terms.spot, exponential<fast>(growth), -terms.strike), T(0));
}

/// The payoff of each path of a group.
template <class T>
struct Payoffs {
  T at[paths_of_a_group<T>];
};
template <bool fast, class T>
PORTCOST_HOST_DEVICE inline Payoffs<T> payoffs(const Terms<T>& terms, std::uint64_t group) {
  constexpr int paths = paths_of_a_group<T>;
  Payoffs<T> x{};
  for (int k = 0; k < terms.steps; ++k) {
    const RandomWords words = philox(group, terms.seed, static_cast<std::uint64_t>(k));
    for (int i = 0; i < paths; i += 2) {
      T first, second;
      box_muller<fast>(uniform<T>(words, i), uniform<T>(words, i + 1), first, second);
      x.at[i] = step(terms, x.at[i], first);
      x.at[i + 1] = step(terms, x.at[i + 1], second);
    }
  }
  for (T& one : x.at) one = payoff<fast>(terms, one);
  return x;
}

/// The payoff of one path, as in payoffs(); the path uses one number of each Philox call.
template <bool fast, class T>
PORTCOST_HOST_DEVICE inline T payoff_of_path(const Terms<T>& terms, std::uint64_t path) {
  constexpr unsigned paths = paths_of_a_group<T>;
  const auto number = static_cast<unsigned>(path % paths);
  T growth = 0;
  for (int k = 0; k < terms.steps; ++k) {
    const RandomWords words = philox(path / paths, terms.seed, static_cast<std::uint64_t>(k));
    T u = uniform<T>(words, 0), v = uniform<T>(words, 1), first, second;
    if constexpr (paths == 4) {  // by selection: registers have no index
      u = number < 2 ? u : uniform<T>(words, 2);
      v = number < 2 ? v : uniform<T>(words, 3);
    }
    box_muller<fast>(u, v, first, second);
    growth = step(terms, growth, number % 2 == 0 ? first : second);
  }
  return payoff<fast>(terms, growth);
}

}  // namespace portcost::options
