// SPDX-License-Identifier: Apache-2.0
#include "variants/atomics/problem.hpp"

namespace portcost::atomics {

namespace {

// The operations of one item on its word.
template <Operation operation, class Word>
void run_item(const Work<Word>& s, std::uint64_t item, std::uint64_t word, Word& at) {
  Word sum{};
  for (unsigned k = 0; k < s.count(item); ++k) {
    sum += witness<operation>(at);
    at = apply<operation>(at, operand<operation, Word>(item * item_operations + k, word));
  }
  s.sums[item] = sum;
}

template <class Word>
void run(Operation wanted, Memory memory, const Work<Word>& s, const Stream&) {
  with_operation<Word>(wanted, [&]<Operation operation>() {
    if (memory == Memory::global) {
      for (std::uint64_t item = 0; item < s.items(); ++item) {
        const std::uint64_t word = item % s.words;
        run_item<operation>(s, item, word, s.global[word]);
      }
      return;
    }
    const unsigned words = s.scratch_words();
    for (std::uint64_t team = 0; team < s.teams(); ++team) {
      Word* const own = s.scratch + team * words;
      std::copy(s.initial, s.initial + words, own);
      for (unsigned id = 0; id < team_items; ++id) {
        const std::uint64_t item = team * team_items + id;
        if (item < s.items()) run_item<operation>(s, item, id % words, own[id % words]);
      }
    }
  });
}

}  // namespace

Rungs reference_rungs() {
  return every_operation([](Operation operation, Memory memory, const auto& s, const Stream& on) {
    run(operation, memory, s, on);
  });
}

}  // namespace portcost::atomics
