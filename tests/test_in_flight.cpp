// SPDX-License-Identifier: Apache-2.0
// in_flight: order and shares of lines by hand; its numbers, and its cost.
#include "tests/compiled_apart.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/in_flight/problem.hpp"

namespace portcost::test::test_in_flight {

using namespace in_flight;

const Algorithm& row() { return algorithm_called("in_flight"); }

Problem problem_of(std::int64_t n, std::int64_t workers) {
  return test::problem_of(row(), fmt::format("n={},threads={}", n, workers), "", ElementType::i32);
}

TEST_CASE("in_flight shapes: lines are read once, not in turn, far ones too, in equal shares",
          "[in_flight]") {
  for (const std::int64_t lines : {1, 2, 3, 4, 5, 6, 12, 64, 97, 100, 1024, 30'030}) {
    CAPTURE(lines);
    const Walk walk(lines * line + 5);
    CHECK(walk.lines == lines);
    std::vector<int> seen(static_cast<std::size_t>(lines), 0);
    std::int64_t at = walk.begin(0);
    int elsewhere = 0, near = 0;
    for (std::int64_t i = 0; i < lines; ++i) {
      elsewhere += at != walk.begin(i);
      ++seen[static_cast<std::size_t>(at)];
      const std::int64_t next = walk.next(at);
      near += next == at + 1 || next == at - 1;
      at = next;
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == lines);
    CHECK(elsewhere == 0);
    if (lines >= 12) CHECK(near == 0);
  }
  CHECK(Walk(7).lines == 0);
  const Walk most(most_elements);
  CHECK(most.lines == 1 << 27);
  const std::int64_t last = most.begin(most.lines - 1);
  CHECK((last >= 0 && last < most.lines));
  CHECK(most.next(last) == 0);
  for (const std::int64_t lines : {0, 1, 5, 64, 1000, 1 << 27}) {
    for (const int workers : {1, 3, 64, 2048}) {
      CAPTURE(lines, workers);
      CHECK(first_line(lines, 0, workers) == 0);
      CHECK(first_line(lines, workers, workers) == lines);
      int uneven = 0;
      for (int w = 0; w < workers; ++w) {
        const std::int64_t own = first_line(lines, w + 1, workers) - first_line(lines, w, workers);
        uneven += own < lines / workers || own > lines / workers + 1;
      }
      CHECK(uneven == 0);
    }
  }
}

TEST_CASE("in_flight: the highest bit is never set", "[in_flight]") {
  int set = 0;
  std::int32_t all = 0;
  for (std::uint64_t at = 0; at < 100'000; ++at) {
    const std::int32_t one = element(7, at);
    set += one < 0 || no_step(static_cast<std::uint32_t>(one)) != 0;
    all |= one;
  }
  CHECK(set == 0);
  CHECK(all == 0x7fffffff);
  CHECK(no_step(0x80000000u) == 1);
}

TEST_CASE("in_flight: a GPU has whole teams, arrays are read once", "[in_flight]") {
  CHECK(mentions(no_whole_teams(problem_of(100, 65)), "multiple of 64"));
  CHECK(no_whole_teams(problem_of(100, 128)).empty());
  for (const Variant& variant : row().variants) {
    CAPTURE(variant_name(row(), variant));
    CHECK(variant.unfit(problem_of(100, 65)).empty() == (variant.place == Place::host));
    CHECK(variant.unfit(problem_of(100, 64)).empty());
  }
  CHECK(row().cost(problem_of(1000, 64)).at(0).amount == 4000);
  CHECK(row().cost(problem_of(1000, 64)).at(0).limit == "read");
  CHECK(row().footprint(problem_of(1000, 64)) >= 4000);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("in_flight: a GPU spreads teams evenly, all at the same time", "[in_flight][gpu]") {
  need_device();
  const int all = processors(Place::device);
  for (int teams = 1; teams <= most_threads / threads; teams *= 2) {
    CAPTURE(teams);
    const Spread spread = spread_of(teams * all, shared_stream(Place::device));
    CHECK(spread.together);
    std::map<int, int> of_each;
    for (const int one : spread.multiprocessors) ++of_each[one];
    CHECK(of_each.size() == static_cast<std::size_t>(all));
    for (const auto& [multiprocessor, count] : of_each) {
      CAPTURE(multiprocessor);
      CHECK(count == teams);
    }
  }
}
#endif

}  // namespace portcost::test::test_in_flight
