// SPDX-License-Identifier: Apache-2.0
// The rule of atomic operations by hand, and what no run of a variant shows.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_atomics {

using namespace atomics;

constexpr std::uint64_t n = 16'000;

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

TEST_CASE("atomics rule: words wrap around, operands are odd", "[atomics]") {
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
}

}  // namespace portcost::test::test_atomics
