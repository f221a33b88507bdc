// SPDX-License-Identifier: Apache-2.0
// monte_carlo's points by hand; variants run after run at the ends of shares.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/monte_carlo/problem.hpp"

namespace portcost::test::test_monte_carlo {

using namespace monte_carlo;

const Algorithm& row() { return algorithm_called("monte_carlo"); }

Problem problem_of(std::int64_t pairs, ElementType type) {
  return test::problem_of(row(), "pairs=" + std::to_string(pairs), "", type);
}

TEST_CASE("monte_carlo rule: points by hand, on the circle and beside it", "[monte_carlo]") {
  CHECK(is_hit(0.f, 0.f) == 1);
  CHECK(is_hit(0.f, 1 - 0x1p-24f) == 1);
  CHECK(is_hit(0.75f, 0.75f) == 0);
  CHECK(is_hit(0.5, 0.75) == 1);
  // x x = 1 - 2^-23 + 2^-48; a y y of 1.5 * 2^-24 makes it round to 1, one of 2^-24 does not.
  CHECK(is_hit(1 - 0x1p-24f, 0x1p-12f) == 1);
  CHECK(is_hit(1 - 0x1p-24f, 0x1.4p-12f) == 0);
  const RandomWords both{{0, 0, 0, 0}}, second{{~0u, ~0u, 0, 0}};
  CHECK(hits_of<float>(both) == 2);
  CHECK(hits_of<float>(both, 1) == 1);
  CHECK(hits_of<float>(both, 0) == 0);
  CHECK(hits_of<float>(second) == 1);
  CHECK(hits_of<float>(second, 1) == 0);
  CHECK(hits_of<double>(both) == 1);
}

TEMPLATE_TEST_CASE("monte_carlo rule: a group has the hits of its calls", "[monte_carlo]", float,
                   double) {
  using T = TestType;
  for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 7}) {
    unsigned hits = 0, of_four = 0;
    for (std::uint64_t call = first; call < first + 32; ++call) {
      hits += hits_of<T>(philox(call, 5));
      if (call < first + 4) of_four = hits;
    }
    CHECK((hits_of_group<T, 32>(first, 5)) == hits);
    CHECK((hits_of_group<T, 4>(first, 5)) == of_four);
    CHECK((hits_of_group<T, 1>(first, 5)) == hits_of<T>(philox(first, 5)));
  }
}

TEST_CASE("monte_carlo shapes: shares are in turn and cover all", "[monte_carlo]") {
  for (const std::uint64_t all : {0, 1, 5, 64, 1000}) {
    for (const int teams : {1, 3, 64}) {
      std::uint64_t end = 0;
      for (int team = 0; team < teams; ++team) {
        const Share own = share_of(all, team, teams);
        CHECK(own.first == end);
        end = own.end;
      }
      CHECK(end == all);
    }
  }
  CHECK(teams_of_one_pair<float>(Place::device, 0) == 1);
  CHECK(teams_of_one_pair<float>(Place::device, 512) == 1);
  CHECK(teams_of_one_pair<float>(Place::device, 513) == 2);
  CHECK(teams_of_one_pair<double>(Place::device, most_pairs) == std::uint64_t{1} << 26);
}

TEST_CASE("monte_carlo: where pairs are too many to be counted again, pi's bound holds",
          "[monte_carlo]") {
  const Reference many(row(), problem_of((1 << 22) + 1, ElementType::f32));
  CHECK(mentions(many.judgement(many.answer()).truth, "six standard deviations"));
}

// Counted here one by one. Memory that teams pass on is poisoned once: a run needs no reset.
template <class T>
void check_runs(Place place) {
  Stream& stream = shared_stream(place);
  const auto found = launches<Drawing<T>>("monte_carlo", place);
  CHECK(found.size() >= 12);
  for (const std::uint64_t pairs :
       {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 511, 513, 8191, 8193, 50'001}) {
    constexpr std::uint64_t margin = 64;
    Buffer<std::uint64_t> hits(1, place), partials(4096, place);
    Buffer<T> numbers(2 * pairs + margin, place);
    partials.poison(stream);
    hits.poison(stream);
    for (const auto& [name, launch] : found) {
      for (const int processors : {1, 3}) {
        CAPTURE(name, pairs, processors, sizeof(T));
        numbers.upload(std::vector<T>(2 * pairs + margin, T(0)), stream);  // which are hits
        for (const std::uint64_t seed : {3, 4}) {
          std::uint64_t right = 0;
          for (std::uint64_t p = 0; p < pairs; ++p) {
            const RandomWords words = philox(p / pairs_of_call<T>, seed);
            const int at = static_cast<int>(p % pairs_of_call<T>);
            right += is_hit(uniform<T>(words, 2 * at), uniform<T>(words, 2 * at + 1));
          }
          launch({pairs, seed, hits.data(), partials.data(), numbers.data(), processors}, stream);
          CHECK(hits.download(stream).at(0) == right);
        }
        const std::vector<T> left = numbers.download(stream);
        CHECK(std::count(left.end() - margin, left.end(), T(0)) == margin);
      }
    }
  }
}

TEST_CASE_IN_PLACES("monte_carlo: {} variants count all pairs, run after run",
                    "[monte_carlo][kokkos]") {
  check_runs<float>(place);
  check_runs<double>(place);
}

TEST_CASE("monte_carlo: products are counted, and what few pairs store", "[monte_carlo]") {
  CHECK(row().device_cost(problem_of(1001, ElementType::f32)).at(0).amount == 18 * 501);
  CHECK(row().device_cost(problem_of(1001, ElementType::f64)).at(0).amount == 18 * 1001);
  CHECK(row().footprint(problem_of(most_stored, ElementType::f64)) > 16e9);
  CHECK(row().footprint(problem_of(most_stored + 1, ElementType::f64)) < 1e9);
}

}  // namespace portcost::test::test_monte_carlo
