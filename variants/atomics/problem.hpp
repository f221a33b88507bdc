// SPDX-License-Identifier: Apache-2.0
// atomics: n operations of one kind on the words of an array, in any order. Plain C++.
//
//   for i < n:  returned = words[word(i)];  words[word(i)] = apply(returned, operand(i, word(i)));
//               sum += witness(returned)
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/contract/rung.hpp"
#include "variants/atomics/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::atomics {

/// Where the words lie: one array for all teams, or an array of its own in each team's scratch.
enum class Memory { global, scratch };

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

/// An item, which is a thread on a device, does this many operations, all on one word.
inline constexpr unsigned lanes = 32, warps = 8, team_items = lanes * warps;
inline constexpr unsigned item_operations = 64;
inline constexpr unsigned most_scratch_words = 1024;

/// One problem as every variant receives it. Word: std::uint32_t, std::uint64_t, Complex.
template <class Word>
struct Work {
  const Word* initial;  // `words` of them
  Word* global;         // `words`, at first as initial
  Word* scratch;        // scratch_words a team: what it leaves
  Word* sums;           // an item's checksum
  std::uint64_t n;
  std::uint64_t words;

  PORTCOST_HOST_DEVICE constexpr std::uint64_t items() const {
    return (n + item_operations - 1) / item_operations;
  }
  PORTCOST_HOST_DEVICE constexpr std::uint64_t teams() const {
    return (items() + team_items - 1) / team_items;
  }
  PORTCOST_HOST_DEVICE constexpr unsigned scratch_words() const {
    return words < most_scratch_words ? static_cast<unsigned>(words) : most_scratch_words;
  }
  /// How many operations item `item` does: all have item_operations, but the last.
  PORTCOST_HOST_DEVICE constexpr unsigned count(std::uint64_t item) const {
    const std::uint64_t left = n - item * item_operations;
    return left < item_operations ? static_cast<unsigned>(left) : item_operations;
  }
};

// ---- Inputs.

/// Word i at first: odd.
template <class Word>
constexpr Word initial_word(std::uint64_t seed, std::uint64_t i) {
  return odd<Word>(random_bits(seed, i));
}

/// Calls f.template operator()<operation>() for the operation on a Word that is only known now.
template <class Word, std::size_t number = 0, class F>
void with_operation(Operation operation, const F& f) {
  if constexpr (number < (is_complex<Word> ? 1 : operation_count)) {
    constexpr auto one = static_cast<Operation>(number);
    if (operation == one) return f.template operator()<one>();
    with_operation<Word, number + 1>(operation, f);
  }
}

/// f(Word{}) of the words of a problem's width.
template <class F>
auto with_word(const Problem& problem, const F& f) {
  const std::int64_t width = problem.size.at("width");
  return width == 32 ? f(std::uint32_t{}) : width == 64 ? f(std::uint64_t{}) : f(Complex{});
}
/// Why all steps but the additions do not take a problem; empty where they do.
inline std::string_view no_complex(const Problem& p) {
  return p.size.at("width") == 128 ? "a complex word has addition alone: width=32 or 64" : "";
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Work<std::uint32_t>, Work<std::uint64_t>, Work<Complex>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

/// A table of all steps, each operation on global memory and on scratch, from f(step, operation,
/// memory), which returns the Rungs of a step.
template <class F>
Rungs every_step(const F& f) {
  constexpr struct {
    Operation operation;
    const char *on_global, *on_scratch;
  } all[] = {{Operation::add, "add_global", "add_scratch"},
             {Operation::sub, "sub_global", "sub_scratch"},
             {Operation::exchange, "exchange_global", "exchange_scratch"},
             {Operation::min, "min_global", "min_scratch"},
             {Operation::max, "max_global", "max_scratch"},
             {Operation::increment_wrap, "inc_wrap_global", "inc_wrap_scratch"},
             {Operation::decrement_wrap, "dec_wrap_global", "dec_wrap_scratch"},
             {Operation::compare_exchange, "cas_global", "cas_scratch"},
             {Operation::bit_and, "and_global", "and_scratch"},
             {Operation::bit_or, "or_global", "or_scratch"},
             {Operation::bit_xor, "xor_global", "xor_scratch"}};
  Rungs result;
  const auto add = [&](Rungs some, Operation operation) {
    for (Rung& one : some) {
      if (operation != Operation::add) one.unfit = no_complex;
      result.push_back(std::move(one));
    }
  };
  for (const auto& one : all) {
    add(f(one.on_global, one.operation, Memory::global), one.operation);
    add(f(one.on_scratch, one.operation, Memory::scratch), one.operation);
  }
  return result;
}

/// A model's table, by run(operation, memory, work, stream); `no_add` is why it lacks an addition.
template <class Run>
Rungs every_operation(const Run& run, const Unfit& no_add = Unfit()) {
  return every_step([&](const char* step, Operation operation, Memory memory) -> Rungs {
    return {rung(works, step, [=](const auto& s, const Stream& on) {
              run(operation, memory, s, on);
            }).unless(no_add)};
  });
}

}  // namespace portcost::atomics
