// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer.
#include "variants/atomics/problem.hpp"

namespace portcost::atomics {

namespace {

// The operations of one share on its word.
template <Operation operation, class Word>
void run_share(const Work<Word>& s, std::uint64_t share, std::uint64_t word, Word& at) {
  Word sum = 0;
  for (unsigned k = 0; k < s.count(share); ++k) {
    sum += witness<operation>(at);
    at = apply<operation>(at, operand<operation, Word>(share * share_operations + k, word));
  }
  s.sums[share] = sum;
}

template <class Word>
void run(Operation wanted, Memory memory, const Work<Word>& s, const Stream&) {
  with_operation(wanted, [&]<Operation operation>() {
    if (memory == Memory::global) {
      for (std::uint64_t share = 0; share < s.shares(); ++share) {
        const std::uint64_t word = share % s.words;
        run_share<operation>(s, share, word, s.global[word]);
      }
      return;
    }
    const unsigned words = s.scratch_words();
    for (std::uint64_t team = 0; team < s.teams(); ++team) {
      Word* const own = s.scratch + team * words;
      std::copy(s.initial, s.initial + words, own);
      for (unsigned id = 0; id < team_shares; ++id) {
        const std::uint64_t share = team * team_shares + id;
        if (share < s.shares()) run_share<operation>(s, share, id % words, own[id % words]);
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
