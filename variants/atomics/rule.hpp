// SPDX-License-Identifier: Apache-2.0
// What each operation does to a word when no other thread changes it, and the operands it is tried
// with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/support/host_device.hpp"

namespace portcost::atomics {

enum class Operation {
  add,
  sub,
  exchange,
  min,
  max,
  increment_wrap,
  decrement_wrap,
  compare_exchange,
  bit_and,
  bit_or,
  bit_xor
};
inline constexpr std::size_t operation_count = 11;

/// A complex<double>, whose 16 bytes change together. Of operations it has addition alone.
struct alignas(16) Complex {
  double re, im;

  PORTCOST_HOST_DEVICE constexpr double real() const { return re; }
  PORTCOST_HOST_DEVICE constexpr double imag() const { return im; }
  PORTCOST_HOST_DEVICE constexpr Complex& operator+=(Complex other) {
    re += other.re;
    im += other.im;
    return *this;
  }
};
/// True of Complex, and of a model's own type for it.
template <class Word>
inline constexpr bool is_complex = sizeof(Word) == 16;

/// The word after the operation (the wraps as in CUDA's atomicInc and atomicDec: `operand` is the
/// greatest value). compare_exchange stands for the loop around it: it adds to what it has seen
/// until no other thread has changed the word in between.
template <Operation operation, class Word>
PORTCOST_HOST_DEVICE constexpr Word apply(Word old, Word operand) {
  switch (operation) {
    case Operation::add:
    case Operation::compare_exchange:
      return old + operand;
    case Operation::sub:
      return old - operand;
    case Operation::exchange:
      return operand;
    case Operation::min:
      return old < operand ? old : operand;
    case Operation::max:
      return old > operand ? old : operand;
    case Operation::increment_wrap:
      return old >= operand ? Word(0) : old + 1;
    case Operation::decrement_wrap:
      return old == 0 || old > operand ? operand : old - 1;
    case Operation::bit_and:
      return old & operand;
    case Operation::bit_or:
      return old | operand;
    case Operation::bit_xor:
      return old ^ operand;
  }
  return old;
}

template <Operation operation, class Word>
requires is_complex<Word> PORTCOST_HOST_DEVICE constexpr Word apply(Word old, Word operand) {
  return old += operand;
}

/// True where all operations on one word have the same operand. A word then goes through the same
/// states in any order, so that even the sum of the values returned is determined.
PORTCOST_HOST_DEVICE constexpr bool same_operand(Operation operation) {
  return operation == Operation::add || operation == Operation::sub ||
         operation == Operation::exchange || operation == Operation::increment_wrap ||
         operation == Operation::decrement_wrap || operation == Operation::compare_exchange;
}

/// A complex word that stands for a whole number: each part is exact, and so is any sum of 2^36.
template <class Word>
PORTCOST_HOST_DEVICE constexpr Word complex_of(std::uint64_t number) {
  return Word{static_cast<double>(number), static_cast<double>(2 * number)};
}

/// Odd, and spread over all the bits of a word, or 16 of a complex one (Fibonacci hashing, Knuth).
template <class Word>
PORTCOST_HOST_DEVICE constexpr Word odd(std::uint64_t i) {
  if constexpr (is_complex<Word>) {
    return complex_of<Word>(odd<std::uint64_t>(i) >> 48 | 1);
  } else {
    constexpr Word factor =
        sizeof(Word) == 8 ? static_cast<Word>(0x9E3779B97F4A7C15u) : static_cast<Word>(0x9E3779B9u);
    return static_cast<Word>(static_cast<Word>(i + 1) * factor) | 1;
  }
}

/// The greatest value of a word that wraps.
inline constexpr unsigned least_wrap = 37, wraps = 64;

/// Operand of operation `i` of all, which meets word `word`.
template <Operation operation, class Word>
PORTCOST_HOST_DEVICE constexpr Word operand(std::uint64_t i, std::uint64_t word) {
  if constexpr (operation == Operation::increment_wrap || operation == Operation::decrement_wrap) {
    return static_cast<Word>(least_wrap + word % wraps);
  } else {
    return odd<Word>(same_operand(operation) ? word : i);
  }
}

/// What a returned value adds to the checksum. Where operands differ, the order decides what is
/// returned; but all operands are odd, so the lowest bit stays 1, and turns each time under xor.
/// Complex words add some bits of both parts, whose sum stays exact.
template <Operation operation, class Word>
PORTCOST_HOST_DEVICE constexpr Word witness(Word returned) {
  if constexpr (is_complex<Word>) {
    return complex_of<Word>(static_cast<std::uint64_t>(returned.real() + returned.imag()) & 1023);
  } else {
    return same_operand(operation) ? returned : static_cast<Word>(returned & 1);
  }
}

}  // namespace portcost::atomics
