// SPDX-License-Identifier: Apache-2.0
// What each atomic operation means, by hand, and what all of them together leave behind.
#include "tests/launches_of_atomics.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_atomics {
namespace {

using namespace atomics;

// What `count` operations on `words` words that start as `start` leave: check(words, sum), of the
// global words or the first team's own and of what the operations returned, for every model that
// has the operation, in both memories.
template <class Word, class Check>
void for_each_run(Place place, Operation operation, std::uint64_t count, std::uint64_t words,
                  Word start, const Check& check) {
  Stream& stream = shared_stream(place);
  const Work<Word> shape{nullptr, nullptr, nullptr, nullptr, count, words};
  Buffer<Word> initial(words, place), global(words, place),
      own(shape.teams() * shape.scratch_words(), place), sums(shape.items(), place);
  initial.upload(std::vector<Word>(words, start), stream);
  for (const auto& [name, run] : models_of_atomics<Word>(place)) {
    for (const Memory memory : {Memory::global, Memory::scratch}) {
      if (!run.has(operation, memory)) continue;
      CAPTURE(name, sizeof(Word), static_cast<int>(operation), memory == Memory::global);
      global.copy_from(initial, stream);
      own.poison(stream);
      sums.poison(stream);
      run(operation, memory, {initial.data(), global.data(), own.data(), sums.data(), count, words},
          stream);
      const std::vector<Word> each = sums.download(stream);
      check((memory == Memory::global ? global : own).download(stream),
            std::accumulate(each.begin(), each.end(), Word{0}));
    }
  }
}

constexpr std::uint64_t n = 16'000;  // of one team

// What a single word holds in the end, from first principles.
template <class Word>
void check_one_word(Place place) {
  const Word step = odd<Word>(0);
  Word least = 101, most = 101, all = 101, any = 101, parity = 101;
  for (std::uint64_t i = 0; i < n; ++i) {
    const Word value = odd<Word>(i);
    least = std::min(least, value);
    most = std::max(most, value);
    all &= value;
    any |= value;
    parity ^= value;
  }
  // From 101 the first increment wraps to 0, then 0 .. 37 over and over; a decrement to 37.
  const Word counted = (n - 1) % 38;
  const std::vector<std::pair<Operation, Word>> wanted{
      {Operation::add, static_cast<Word>(101 + n * step)},
      {Operation::sub, static_cast<Word>(101 - n * step)},
      {Operation::exchange, step},
      {Operation::min, least},
      {Operation::max, most},
      {Operation::increment_wrap, counted},
      {Operation::decrement_wrap, 37 - counted},
      {Operation::compare_exchange, static_cast<Word>(101 + n * step)},
      {Operation::bit_and, all},
      {Operation::bit_or, any},
      {Operation::bit_xor, parity}};
  REQUIRE(wanted.size() == operation_count);

  for (const auto& [operation, word] : wanted) {
    for_each_run<Word>(place, operation, n, 1, 101, [&](const std::vector<Word>& left, Word) {
      CHECK(left == std::vector<Word>{word});
    });
  }
}

// What the operations return, added up.
template <class Word>
void check_returned(Place place) {
  const Word step = odd<Word>(0);
  const std::vector<std::pair<Operation, Word>> wanted{
      {Operation::add, static_cast<Word>(n * 101 + n * (n - 1) / 2 * step)},
      {Operation::exchange, static_cast<Word>(101 + (n - 1) * step)},
      {Operation::compare_exchange, static_cast<Word>(n * 101 + n * (n - 1) / 2 * step)},
      {Operation::min, static_cast<Word>(n)},
      {Operation::bit_xor, static_cast<Word>(n / 2)}};

  for (const auto& [operation, sum] : wanted) {
    for_each_run<Word>(place, operation, n, 1, 101,
                       [&](const std::vector<Word>&, Word returned) { CHECK(returned == sum); });
  }
}

// In read-only memory: who writes to one of them ends the program.
constexpr std::uint64_t least_and_most[] = {1, std::numeric_limits<std::uint64_t>::max()};

// Returns the sum of what was seen.
std::uint64_t on_read_only_word(Operation operation, const std::uint64_t& word) {
  Work<std::uint64_t> work{&word, const_cast<std::uint64_t*>(&word), nullptr, nullptr, n, 1};
  Buffer<std::uint64_t> sums(work.items(), Place::host);
  work.sums = sums.data();
  Stream& stream = shared_stream(Place::host);
  models_of_atomics<std::uint64_t>(Place::host)
      .at("openmp")(operation, Memory::global, work, stream);
  const std::vector<std::uint64_t> seen = sums.download(stream);
  return std::accumulate(seen.begin(), seen.end(), std::uint64_t{0});
}

TEST_CASE("atomics: a native extreme that changes nothing writes nothing on hosts", "[atomics]") {
  CHECK(on_read_only_word(Operation::min, least_and_most[0]) == n);
  CHECK(on_read_only_word(Operation::max, least_and_most[1]) == n);
}

TEST_CASE("atomics: an atomic View does addition and subtraction", "[atomics][kokkos]") {
  std::vector<std::string> steps;
  for (const Variant& variant : algorithm_called("atomics").variants) {
    if (variant.dials == "view=atomic") steps.emplace_back(variant.step);
  }
  CHECK(steps == std::vector<std::string>{"add_global", "sub_global"});
}

TEST_CASE("atomics rule: words wrap around, operands are odd, widths are refused", "[atomics]") {
  constexpr auto up = Operation::increment_wrap, down = Operation::decrement_wrap;
  CHECK(apply<up>(3u, 5u) == 4);
  CHECK(apply<up>(5u, 5u) == 0);
  CHECK(apply<up>(9u, 5u) == 0);
  CHECK(apply<down>(3u, 5u) == 2);
  CHECK(apply<down>(0u, 5u) == 5);
  CHECK(apply<down>(9u, 5u) == 5);
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  CHECK(apply<Operation::add>(most, std::uint32_t{2}) == 1);
  CHECK(apply<Operation::sub>(std::uint64_t{0}, std::uint64_t{1}) ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(apply<Operation::add>(std::uint64_t{most}, std::uint64_t{2}) == 0x1'0000'0001u);
  std::uint64_t upper = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(odd<std::uint32_t>(i) % 2 == 1);
    CHECK(odd<std::uint64_t>(i) % 2 == 1);
    upper |= odd<std::uint64_t>(i) >> 32;
  }
  CHECK(upper == 0xFFFFFFFFu);
  CHECK(refusal(algorithm_called("atomics"), "width=48").starts_with("width=48"));
}

TEST_CASE_IN_PLACES("atomics: what operations leave in one word, on the {}", "[atomics][kokkos]") {
  check_one_word<std::uint32_t>(place);
  check_one_word<std::uint64_t>(place);
}

TEST_CASE_IN_PLACES("atomics: what the operations return, on the {}", "[atomics][kokkos]") {
  check_returned<std::uint32_t>(place);
  check_returned<std::uint64_t>(place);
}

// Of 64 operations each.
TEST_CASE_IN_PLACES("atomics: items take the words in turn, on the {}", "[atomics][kokkos]") {
  using Word = std::uint64_t;
  for_each_run<Word>(place, Operation::add, 64 * 5 + 3, 4, 0,
                     [](const std::vector<Word>& left, Word) {
                       // Words 0 and 1 have two items each; word 1's second has three.
                       CHECK(left == std::vector<Word>{128 * odd<Word>(0), 67 * odd<Word>(1),
                                                       64 * odd<Word>(2), 64 * odd<Word>(3)});
                     });
}

}  // namespace
}  // namespace portcost::test::test_atomics
