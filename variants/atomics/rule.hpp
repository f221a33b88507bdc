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

/// True where all operations on one word have the same operand. A word then goes through the same
/// states in any order, so that even the sum of the values returned is determined.
PORTCOST_HOST_DEVICE constexpr bool same_operand(Operation operation) {
  return operation == Operation::add || operation == Operation::sub ||
         operation == Operation::exchange || operation == Operation::increment_wrap ||
         operation == Operation::decrement_wrap || operation == Operation::compare_exchange;
}

/// Odd, and spread over all the bits of a word (Fibonacci hashing, Knuth).
template <class Word>
PORTCOST_HOST_DEVICE constexpr Word odd(std::uint64_t i) {
  constexpr Word factor =
      sizeof(Word) == 8 ? static_cast<Word>(0x9E3779B97F4A7C15u) : static_cast<Word>(0x9E3779B9u);
  return static_cast<Word>(static_cast<Word>(i + 1) * factor) | 1;
}

/// The greatest value of a word that wraps.
inline constexpr unsigned least_wrap = 37, wraps = 64;

/// Operand of operation `i` of all, which meets word `word`.
template <Operation operation, class Word>
PORTCOST_HOST_DEVICE constexpr Word operand(std::uint64_t i, std::uint64_t word) {
  if (operation == Operation::increment_wrap || operation == Operation::decrement_wrap) {
    return static_cast<Word>(least_wrap + word % wraps);
  }
  return odd<Word>(same_operand(operation) ? word : i);
}

/// What a returned value adds to the checksum. Where operands differ, the order decides what is
/// returned; but all operands are odd, so the lowest bit stays 1, and turns each time under xor.
template <Operation operation, class Word>
PORTCOST_HOST_DEVICE constexpr Word witness(Word returned) {
  return same_operand(operation) ? returned : static_cast<Word>(returned & 1);
}

}  // namespace portcost::atomics
