// SPDX-License-Identifier: Apache-2.0
// block_vote's rule on special numbers, and what its inputs hold.
#include "tests/matrix_checks.hpp"
#include "variants/block_vote/problem.hpp"

namespace portcost::test::test_block_vote {

using namespace block_vote;

template <class T>
inline constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

TEST_CASE("block_vote rule: special numbers, full words, votes added or selected", "[block_vote]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();

  CHECK_FALSE(non_zero(-0.0));
  CHECK(non_zero(nan_of<double>));
  CHECK(non_zero(-infinity));
  CHECK(is_nan(nan_of<float>));
  CHECK_FALSE(is_nan(infinity));
  CHECK(in_range(-0.0f));
  CHECK(in_range(1.0));
  CHECK_FALSE(in_range(1.0f + std::numeric_limits<float>::epsilon()));
  CHECK_FALSE(in_range(-std::numeric_limits<double>::denorm_min()));
  CHECK_FALSE(in_range(nan_of<double>));
  const unsigned most = 1023 * votes_of(nan_of<float>);
  const unsigned ballots = ballot_of(most) + ballot_of(votes_of(-0.5f));

  CHECK(votes_of(0.0f) == 0);
  CHECK(non_zeros(ballots) == 1024);
  CHECK(any_nan(ballots) == 1);
  CHECK(all_in_range(ballots) == 0);
  const auto same = [](auto x) { CHECK(votes_selected(x) == votes_of(x)); };
  constexpr float least = std::numeric_limits<float>::denorm_min();
  constexpr float endless = std::numeric_limits<float>::infinity();
  for (const float x : {0.0f, -0.0f, 0.5f, 1.0f, least, -least, 1.5f, -1.5f, endless, -endless,
                        nan_of<float>, -nan_of<float>}) {
    same(x);
    same(static_cast<double>(x));
  }
  CHECK(votes_selected(0.5f) == 1);
  CHECK(votes_selected(2.0) == 1 + (1 << 20));
  CHECK(votes_selected(nan_of<double>) == 1 + (1 << 10) + (1 << 20));
}

TEST_CASE("block_vote inputs: half of the tiles are empty, others of all kinds", "[block_vote]") {
  constexpr unsigned tiles = 400;
  const Algorithm& row = algorithm_called("block_vote");
  const Reference reference(row, problem_of(row, tiles * tile_size, "", ElementType::f32));
  const std::vector<int> said = reference.elements_of<int>("tiles");
  std::array<unsigned, 5> seen{};  // empty, full, with NaN, out of range without NaN, sparse
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const int *const t = said.data() + tile * numbers, count = t[0];
    seen[0] += count == 0;
    seen[1] += count == static_cast<int>(tile_size);
    seen[2] += t[1] == 1;
    seen[3] += t[1] == 0 && t[2] == 0;
    seen[4] += count > 0 && count < static_cast<int>(tile_size) && t[2] == 1;
  }

  CHECK(seen[0] > tiles * 2 / 5);
  CHECK(seen[0] < tiles * 3 / 5);
  for (const unsigned kind : seen) CHECK(kind > tiles / 50);
}

}  // namespace portcost::test::test_block_vote
