// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/message_passing/kokkos/book.hpp"

using namespace portcost::message_passing;

void run() {
  constexpr int groups = 3, members = 5, words = 37;
  constexpr std::uint32_t seed = 11;
  const book::Space space;
  const int threads = alone::team_size(8);
  const Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, book::Space> messages("m", groups,
                                                                                 members * words);
  const Kokkos::View<std::uint32_t*, book::Space> arrived("arrived", groups), sums("sums", groups);

  const auto check = [&](const char* step, const auto& launch) {
    for (std::uint32_t round = 0; round < 2; ++round) {  // tickets are taken back after the first
      Kokkos::deep_copy(sums, 0u);
      launch(book::Text{seed, round});
      const auto found = alone::on_host(sums);
      for (int group = 0; group < groups; ++group) {
        std::uint32_t wanted = 0;
        for (int i = 0; i < members * words; ++i) {
          wanted +=
              message_word(seed, round, static_cast<std::uint64_t>(group * members * words + i));
        }
        alone::expect(found(group) == wanted, step);
      }
    }
  };
  check("team_fence", [&](book::Text text) {
    book::team_fence(space, threads, members, words, book::Messages(messages), book::OfGroups(sums),
                     text);
  });
  check("ticket", [&](book::Text text) {
    book::ticket("ticket", space, threads, members, words, book::Messages(messages),
                 book::OfGroups(arrived), book::OfGroups(sums), text);
  });
}
