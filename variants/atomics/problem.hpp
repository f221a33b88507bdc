// SPDX-License-Identifier: Apache-2.0
// atomics: n operations of one kind on the words of an array, in any order. Plain C++.
//
//   for i < n:  returned = words[word(i)];  words[word(i)] = apply(returned, operand(i, word(i)));
//               sum += witness(returned)
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/contract/algorithm.hpp"
#include "variants/atomics/rule.hpp"

namespace portcost::atomics {

/// Where the words lie: one array for all teams, or an array of its own in each team's scratch.
enum class Memory { global, scratch };

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

/// A share, which is a thread on a device, does this many operations, all on one word.
inline constexpr unsigned lanes = 32, warps = 8, team_shares = lanes * warps;
inline constexpr unsigned share_operations = 64;
inline constexpr unsigned most_scratch_words = 1024;

/// One problem as every variant receives it. Word: std::uint32_t or std::uint64_t.
template <class Word>
struct Work {
  const Word* initial;  // `words` of them
  Word* global;         // `words`, at first as initial
  Word* scratch;        // scratch_words a team: what it leaves
  Word* sums;           // a share's checksum
  std::uint64_t n;
  std::uint64_t words;

  PORTCOST_HOST_DEVICE constexpr std::uint64_t shares() const {
    return (n + share_operations - 1) / share_operations;
  }
  PORTCOST_HOST_DEVICE constexpr std::uint64_t teams() const {
    return (shares() + team_shares - 1) / team_shares;
  }
  PORTCOST_HOST_DEVICE constexpr unsigned scratch_words() const {
    return words < most_scratch_words ? static_cast<unsigned>(words) : most_scratch_words;
  }
  /// How many operations share `share` does: all have share_operations, but the last.
  PORTCOST_HOST_DEVICE constexpr unsigned count(std::uint64_t share) const {
    const std::uint64_t left = n - share * share_operations;
    return left < share_operations ? static_cast<unsigned>(left) : share_operations;
  }
};

// ---- Inputs.

/// Word i at first: odd, the same from every compiler (splitmix64, Steele and others 2014).
template <class Word>
constexpr Word initial_word(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + i * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<Word>(z ^ (z >> 31)) | 1;
}

// ---- The variants: a function a model, for every operation and memory.

template <class Word>
using Run = void (*)(Operation, Memory, const Work<Word>&, const Stream&);

namespace reference {
template <class Word>
void run(Operation, Memory, const Work<Word>&, const Stream&);
}
namespace openmp {
template <class Word>
void run(Operation, Memory, const Work<Word>&, const Stream&);
}
namespace cuda {
template <class Word>
void run(Operation, Memory, const Work<Word>&, const Stream&);
}
namespace kokkos {
template <class Word>
void run(Operation, Memory, const Work<Word>&, const Stream&);
}

/// Calls f.template operator()<operation>() for the operation that is only known now.
template <class F>
void with_operation(Operation operation, const F& f) {
  switch (operation) {
    case Operation::add:
      return f.template operator()<Operation::add>();
    case Operation::sub:
      return f.template operator()<Operation::sub>();
    case Operation::exchange:
      return f.template operator()<Operation::exchange>();
    case Operation::min:
      return f.template operator()<Operation::min>();
    case Operation::max:
      return f.template operator()<Operation::max>();
    case Operation::increment_wrap:
      return f.template operator()<Operation::increment_wrap>();
    case Operation::decrement_wrap:
      return f.template operator()<Operation::decrement_wrap>();
    case Operation::compare_exchange:
      return f.template operator()<Operation::compare_exchange>();
    case Operation::bit_and:
      return f.template operator()<Operation::bit_and>();
    case Operation::bit_or:
      return f.template operator()<Operation::bit_or>();
    case Operation::bit_xor:
      return f.template operator()<Operation::bit_xor>();
  }
}

/// Holds an answer against what is made anew from the inputs (truth.cpp).
Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Stream& stream);

/// The row of the catalogue.
extern const Algorithm algorithm;

}  // namespace portcost::atomics
