// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>

#include "tests/book/alone.hpp"
#include "variants/atomics/kokkos/book.hpp"

using namespace portcost::atomics;

template <Operation operation, class Word>
void check() {
  constexpr int n = 64 * 300 + 7, items = 301, words = 3;
  const book::Space space;
  const int threads = alone::team_size(8);
  const Kokkos::View<Word*, book::Space> initial("initial", words), global("global", words);
  const Kokkos::View<Word*, book::Space> sums("sums", items);
  const Kokkos::View<Word**, Kokkos::LayoutRight, book::Space> scratch("scratch", 2, words);
  const auto first = alone::filled(initial, [](int i) { return static_cast<Word>(2 * i + 9); });
  Kokkos::deep_copy(global, initial);

  // What items [begin, end) leave of word `number`, and the sum of the items' sums. Items take the
  // words in turn, and `begin` has the first.
  const auto expect = [&](int number, int begin, int end, Word left, const char* step) {
    const auto found = alone::on_host(sums);
    Word word = first(number), sum = 0, all = 0;
    for (int item = begin + number; item < end; item += words) {
      for (int i = item * 64; i < n && i < item * 64 + 64; ++i) {
        sum += witness<operation>(word);
        word = apply<operation>(word, operand<operation, Word>(i, number));
      }
      all += found(item);
    }
    alone::expect(left == word && all == sum, step);
  };
  using All = book::Words<Word>;
  book::on_global<operation>(space, threads, n, All(global), All(sums));
  const auto left = alone::on_host(global);
  for (int w = 0; w < words; ++w) expect(w, 0, items, left(w), "on_global");

  book::on_scratch<operation>(space, threads, n, book::Words<const Word>(initial),
                              book::TeamWords<Word>(scratch), All(sums));
  const auto of_team = alone::on_host(scratch);
  for (int w = 0; w < words; ++w) {
    expect(w, 0, 256, of_team(0, w), "on_scratch");
    expect(w, 256, items, of_team(1, w), "on_scratch");
  }
}

template <class Word, std::size_t... operation>
void check_all(std::index_sequence<operation...>) {
  (check<static_cast<Operation>(operation), Word>(), ...);
}

void run() {
  check_all<std::uint32_t>(std::make_index_sequence<operation_count>());
  check_all<std::uint64_t>(std::make_index_sequence<operation_count>());
  check<Operation::add, Kokkos::complex<double>>();
}
