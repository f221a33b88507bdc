// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "variants/message_passing/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::message_passing {

namespace {

constexpr std::int64_t most_teams = std::int64_t{1} << 30, most_words = std::int64_t{1} << 30;
constexpr std::array size_keys{
    SizeKey{"groups", 1 << 14, 1, most_teams, "groups that pass messages among themselves"},
    SizeKey{"members", 8, 1, most_teams, "members of a group, each with a message"},
    SizeKey{"words", 256, 1, most_words, "32-bit words of a message"},
    SizeKey{"rounds", 1, 1, 1'000'000, "rounds, each a launch, in the same memory"}};
constexpr std::array types{ElementType::i32};

// The messages of the current round, the tickets, which the last member resets, and the sums of all
// rounds.
struct Data final : DataOf<Round> {
  using DataOf::DataOf;
  int phases() const override { return static_cast<int>(rounds); }
  Round work(int phase) const override {
    const auto narrow = [](auto number) { return static_cast<std::uint32_t>(number); };
    return {
        messages.data(), arrived.data(),  sums.data() + groups * static_cast<std::size_t>(phase),
        narrow(groups),  narrow(members), narrow(words),
        narrow(seed()),  narrow(phase),   narrow(rounds)};
  }

  std::size_t groups = extent("groups"), members = extent("members");
  std::size_t words = extent("words"), rounds = extent("rounds");
  Workspace<std::uint32_t> messages{*this, groups* members* words};
  Restored<std::uint32_t> arrived{*this, input(groups, [](std::uint64_t) { return 0u; })};
  Output<std::uint32_t> sums{*this, "sums", {rounds, groups}};
};

void validate(const Problem& problem) {
  const auto at_most = [&](std::string_view a, std::string_view b, std::int64_t most) {
    const std::int64_t x = problem.size.at(a), y = problem.size.at(b);
    demand(x <= most / y, fmt::format("{}={} times {}={} must be at most {}", a, x, b, y, most));
  };
  at_most("groups", "members", most_teams);
  at_most("members", "words", most_words);
}

double words_of(const Problem& p) {
  return real(p, "groups") * real(p, "members") * real(p, "words");
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "message_passing",
      .summary = "messages through memory: write, fence, take a ticket; the last one reads",
      .size_keys = size_keys,
      .types = types,
      .absent = absent_without_cuda({"host_reader"}, {}),
      .unequal_work = {{"device_ticket", "loads", unneeded_load},
                       {"team_fence", "loads", unneeded_load},
                       {"device_ticket", "barriers",
                        "a team reduction of Kokkos takes more barriers than the sum of a block "
                        "that CUDA writes out"}},
      .validate = validate,
      // Messages, tickets twice, and sums with the two answers that are compared.
      .footprint =
          [](const Problem& p) {
            return 4 * (words_of(p) + real(p, "groups") * (2 + 3 * real(p, "rounds")));
          },
      // Every word is written once; it is read so soon that a cache may still have it.
      .cost = [](const Problem& p) -> Cost {
        return {{4 * words_of(p) * real(p, "rounds"), "copy"}};
      },
      // Messages of 1 KiB, and of a few words, whose time is the fence's and the ticket's.
      .measured = {.device = "16384,8,256|1,1",
                   .device_full = "16384,8,256|1,1 8192,8,32|1024|4096,1 2048,64,256,1"},
      .checked = "1,1,1,2 3,1,33,2 1,9,257,3 64,8,256,4 101,17,65,3 500,32,100,5",
      .drawn = {{1, 40}, {1, 20}, {1, 300}, {1, 4}},
      .make = make_instance<Data>,
      .agreement = "equal sums of all words, which any stale word changes",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::message_passing
