// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "tests/book/alone.hpp"
#include "variants/sum/kokkos/book.hpp"

using namespace portcost::sum;

void run() {
  constexpr int n = 2500, most = 16;
  using Pack = book::Pack<Word, 16>;
  const book::Space space;
  Kokkos::View<Word*, book::Space> in("in", n + 4), out("out", most), partials("partials", most);
  Kokkos::View<unsigned, book::Space> arrived("arrived");
  const auto given = alone::filled(in, [](int i) { return static_cast<Word>(i * 37 % 101); });
  const book::Vector<const Word> numbers(in.data(), n);
  const book::Vector<const Pack> packs(reinterpret_cast<const Pack*>(in.data()), n / 4);
  Word wanted = 0;
  for (int i = 0; i < n; ++i) wanted += given(i);

  // The sum of what the teams of a launch leave.
  const auto check = [&](const char* step, const auto& launch) {
    Kokkos::deep_copy(out, 0);
    launch(book::Vector<Word>(out));
    const auto left = alone::on_host(out);
    Word sum = 0;
    for (int i = 0; i < most; ++i) sum += left(i);
    alone::expect(sum == wanted, step);
  };
  const auto tree = [&](const char* step, auto numbers_an_item, auto kind) {
    constexpr int count = numbers_an_item.value;
    check(step, [&](auto sums) {
      book::launch_tree<count>(step, space, (n + 256 * count - 1) / (256 * count),
                               alone::team_size(256), numbers, sums, kind);
    });
  };
  tree("interleaved", std::integral_constant<int, 1>(), book::Interleaved());
  tree("strided", std::integral_constant<int, 1>(), book::Strided());
  tree("sequential", std::integral_constant<int, 1>(), book::Sequential());
  tree("first_add", std::integral_constant<int, 2>(), book::Sequential());
  check("warp_finish", [&](auto sums) {
    book::warp_finish(space, (n + 1023) / 1024, alone::team_size(8), numbers, sums);
  });
  check("wide_loads", [&](auto sums) {
    book::wide_loads<256>(space, 3, alone::team_size(8), 32, 2, numbers, packs, sums);
  });
  check("wide_loads of hosts",
        [&](auto sums) { book::wide_loads<1>(space, 3, 1, 1, 8, numbers, packs, sums); });
  const book::Scalar<Word> total(out.data());
  const book::Vector<Word> one(out.data(), 1);
  const book::Scalar<unsigned> ticket(arrived);
  for (int run = 0; run < 2; ++run) {  // the second needs what the first has set back to 0
    check("atomic_blocks", [&](auto) {
      book::wide_loads<256, End::atomic>(space, 3, alone::team_size(8), 32, 2, numbers, packs, one);
    });
    check("locked_blocks", [&](auto) {
      book::wide_loads<256, End::lock>(space, 3, alone::team_size(8), 32, 2, numbers, packs, one,
                                       ticket);
    });
    check("single_pass", [&](auto) {
      book::single_pass<256>(space, 3, alone::team_size(8), 32, 2, numbers, packs,
                             book::Vector<Word>(partials), ticket, total);
    });
  }
  check("stretches",
        [&](auto) { book::stretches<Word>(space, alone::team_size(32), 300, numbers, total); });
}
