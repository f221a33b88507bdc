// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, module 3): Views, a
// range over the items, and Kokkos's atomic functions or, for the operations that it can spell, a
// View whose every access is atomic. Scratch is not among what is usual.
#include <cstdint>

#include "variants/atomics/kokkos/operations.hpp"
#include "variants/atomics/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::atomics {

namespace {

template <class Word, unsigned traits>
using View = Kokkos::View<Word*, KokkosSpace::memory_space,
                          Kokkos::MemoryTraits<Kokkos::Unmanaged | traits>>;

template <Operation operation, class Word>
struct ByFunctions {
  explicit ByFunctions(const Work<Word>& work)
      : s(work), words(s.global, static_cast<std::size_t>(s.words)) {}
  KOKKOS_FUNCTION void operator()(int number) const {
    const auto item = static_cast<std::uint64_t>(number), word = item % s.words;
    run_item<operation, Way::usual>(s, item, word, &words(word));
  }

  Work<Word> s;
  View<Word, 0> words;
};

// Such a View's operators return what the word has become; what it was follows from that for
// additions and subtractions.
template <Operation operation, class Word>
struct ByView {
  static_assert(operation == Operation::add || operation == Operation::sub);
  explicit ByView(const Work<Word>& work)
      : s(work), words(s.global, static_cast<std::size_t>(s.words)) {}
  KOKKOS_FUNCTION void operator()(int number) const {
    const auto item = static_cast<std::uint64_t>(number), word = item % s.words;
    const unsigned count = s.count(item);
    Word sum{};
    for (unsigned k = 0; k < count; ++k) {
      const Word value = operand<operation, Word>(item * item_operations + k, word);
      if constexpr (operation == Operation::add) {
        sum += witness<operation>(static_cast<Word>((words(word) += value) - value));
      } else {
        sum += witness<operation>(static_cast<Word>((words(word) -= value) + value));
      }
    }
    s.sums[item] = sum;
  }

  Work<Word> s;
  View<Word, Kokkos::Atomic> words;
};

// Items are always few enough to be counted in 32 bits.
template <class Kernel, class Word>
void range(const Work<Word>& s, const Stream& stream) {
  Kokkos::parallel_for("portcost::atomics::usual",
                       RangeOf<int>(kokkos_space(stream), 0, static_cast<int>(s.items())),
                       Kernel(s));
}

template <class Word>
void by_functions(Operation wanted, const Work<Word>& s, const Stream& stream) {
  with_operation<Word>(
      wanted, [&]<Operation operation>() { range<ByFunctions<operation, Word>>(s, stream); });
}
template <class Word>
void by_view(Operation wanted, const Work<Word>& s, const Stream& stream) {
  if constexpr (!is_complex<Word>) {
    if (wanted == Operation::sub) return range<ByView<Operation::sub, Word>>(s, stream);
  }
  range<ByView<Operation::add, Word>>(s, stream);
}

}  // namespace

Rungs kokkos_usual_rungs() {
  return every_step([](const char* step, Operation operation, Memory memory) {
    if (memory == Memory::scratch) return Rungs();
    const auto usual = [&](std::string_view dials, const auto& f) {
      return rung(works, step,
                  [=](const auto& s, const Stream& on) { f(operation, in_kokkos(s), on); })
          .written(Way::usual, dials);
    };
    Rungs result{usual("", [](const auto&... all) { by_functions(all...); })};
    if (operation == Operation::add || operation == Operation::sub) {
      result.push_back(usual("view=atomic", [](const auto&... all) { by_view(all...); }));
    }
    return result;
  });
}

}  // namespace portcost::atomics
