// SPDX-License-Identifier: Apache-2.0
#include "variants/atomics/kokkos/book.hpp"

#include "variants/atomics/kokkos/operations.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::atomics {

namespace {

static_assert(team_items == 256 && item_operations == 64, "as book.hpp has them");

template <class Word>
void run(Operation wanted, Memory memory, const Work<Word>& s, const Stream& on) {
  const book::Words<Word> sums(s.sums, s.items());
  with_operation<Word>(wanted, [&]<Operation operation>() {
    if (memory == Memory::global) {
      book::on_global<operation>(kokkos_space(on), team_size(warps), s.n,
                                 book::Words<Word>(s.global, s.words), sums);
    } else {
      book::on_scratch<operation>(kokkos_space(on), team_size(warps), s.n,
                                  book::Words<const Word>(s.initial, s.scratch_words()),
                                  book::TeamWords<Word>(s.scratch, s.teams(), s.scratch_words()),
                                  sums);
    }
  });
}

}  // namespace

Rungs kokkos_book_rungs() {
  return every_step([](const char* step, Operation operation, Memory memory) -> Rungs {
    return {rung(works, step, [=](const auto& s, const Stream& on) {
              run(operation, memory, in_kokkos(s), on);
            }).written(Way::book)};
  });
}

}  // namespace portcost::atomics
