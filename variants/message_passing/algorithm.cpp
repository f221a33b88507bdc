// SPDX-License-Identifier: Apache-2.0
// message_passing's row: names, sizes, inputs.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "src/support/error.hpp"
#include "variants/data.hpp"
#include "variants/message_passing/problem.hpp"

namespace portcost::message_passing {

namespace {

constexpr std::int64_t most_teams = std::int64_t{1} << 30, most_words = std::int64_t{1} << 30;
constexpr std::array size_keys{
    SizeKey{"groups", 1 << 14, 1, most_teams, "groups that pass messages among themselves"},
    SizeKey{"members", 8, 1, most_teams, "members of a group, each with a message"},
    SizeKey{"words", 256, 1, most_words, "32-bit words of a message"},
    SizeKey{"rounds", 1, 1, 1'000'000, "rounds, each a launch, in the same memory"}};
constexpr std::array types{ElementType::i32};

// The messages of the round that is on, the tickets, and the sums of all rounds.
class Mail final : public InstanceOf<Round> {
 public:
  Mail(const Problem& problem, Stream& stream)
      : InstanceOf(stream),
        groups_(count(problem, "groups")),
        members_(count(problem, "members")),
        words_(count(problem, "words")),
        rounds_(count(problem, "rounds")),
        seed_(static_cast<std::uint32_t>(problem.seed)),
        messages_(std::size_t{groups_} * members_ * words_, stream.place()),
        arrived_(groups_, stream.place()),
        none_arrived_(groups_, stream.place()),
        sums_(std::size_t{groups_} * rounds_, stream.place()) {
    none_arrived_.upload(std::vector<std::uint32_t>(groups_, 0), stream);
  }
  void reset() override {
    messages_.poison(stream());
    arrived_.copy_from(none_arrived_, stream());
    sums_.poison(stream());
  }
  Answer answer() override { return dense_answer("sums", sums_, stream(), {rounds_, groups_}); }
  bool repeatable() const override { return true; }  // the last to arrive takes its tickets back
  int phases() const override { return static_cast<int>(rounds_); }
  Round work(int phase) const override {
    const auto round = static_cast<std::uint32_t>(phase);
    return {messages_.data(),
            arrived_.data(),
            sums_.data() + std::size_t{groups_} * round,
            groups_,
            members_,
            words_,
            seed_,
            round};
  }

 private:
  static std::uint32_t count(const Problem& problem, std::string_view key) {
    return static_cast<std::uint32_t>(problem.size.at(key));
  }

  std::uint32_t groups_, members_, words_, rounds_, seed_;
  Buffer<std::uint32_t> messages_, arrived_, none_arrived_, sums_;
};

Size size_of(std::int64_t groups, std::int64_t members, std::int64_t words, std::int64_t rounds) {
  return Size({{"groups", groups}, {"members", members}, {"words", words}, {"rounds", rounds}});
}

void validate(const Problem& problem) {
  const auto at_most = [&](std::string_view a, std::string_view b, std::int64_t most) {
    const std::int64_t x = problem.size.at(a), y = problem.size.at(b);
    if (x <= most / y) return;
    throw UsageError(fmt::format("{}={} times {}={} must be at most {}", a, x, b, y, most));
  };
  at_most("groups", "members", most_teams);
  at_most("members", "words", most_words);
}

double words_of(const Problem& p) {
  return real(p, "groups") * real(p, "members") * real(p, "words");
}

// Messages of 1 KiB, and of a few words, whose time is the fence's and the ticket's.
std::vector<Size> sizes(Campaign campaign, Place) {
  std::vector<Size> result{size_of(1 << 14, 8, 256, 1), size_of(1 << 14, 8, 1, 1)};
  if (campaign == Campaign::full) {
    for (const std::int64_t words : {32, 1024, 4096})
      result.push_back(size_of(1 << 13, 8, words, 1));
    result.push_back(size_of(1 << 11, 64, 256, 1));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(1, 1, 1, 2),    size_of(3, 1, 33, 2),    size_of(1, 9, 257, 3),
          size_of(64, 8, 256, 4), size_of(101, 17, 65, 3), size_of(500, 32, 100, 5)};
}

Size random_size(std::uint64_t seed) {
  SizeDraw draw(seed);
  const std::int64_t groups = draw(1, 40), members = draw(1, 20), words = draw(1, 300);
  return size_of(groups, members, words, draw(1, 4));
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "message_passing",
      .summary = "messages through memory: write, fence, take a ticket; the last one reads",
      .size_keys = size_keys,
      .types = types,
      .validate = validate,
      // Messages, tickets twice, and sums with the two answers that are compared.
      .footprint =
          [](const Problem& p) {
            return 4 * (words_of(p) + real(p, "groups") * (2 + 3 * real(p, "rounds")));
          },
      // Every word is written once and read once.
      .cost =
          [](const Problem& p) {
            return Cost{{8 * words_of(p) * real(p, "rounds"), "copy"}};
          },
      .sizes = sizes,
      .check_sizes = check_sizes,
      .random_size = random_size,
      .make = make_instance<Mail>,
      .agreement = "equal sums of all words, which any stale word changes",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::message_passing
