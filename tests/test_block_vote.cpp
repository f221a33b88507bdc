// SPDX-License-Identifier: Apache-2.0
// block_vote's rule on special numbers, its variants on single elements, full and short tiles.
#include "tests/launches.hpp"
#include "variants/block_vote/problem.hpp"

namespace portcost::test::test_block_vote {
namespace {

using namespace block_vote;

template <class T>
inline constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

// What `launch` says of the tiles. Past the last element lies NaN, which must not be seen.
template <class T>
std::vector<int> run(const Launch<Field<T>>& launch, std::vector<T> elements, Stream& stream) {
  const std::size_t n = elements.size();
  elements.resize(n + tile_size, nan_of<T>);
  Buffer<T> in(elements.size(), stream.place());
  in.upload(elements, stream);
  const Field<T> counted{nullptr, n, nullptr};
  Buffer<int> out(counted.tiles() * numbers, stream.place());
  out.poison(stream);
  launch({in.data(), n, out.data()}, stream);
  return out.download(stream);
}

template <class T>
void check(Place place, const std::vector<T>& elements, const std::vector<int>& expected) {
  for (const auto& [name, launch] : launches<Field<T>>("block_vote", place)) {
    CAPTURE(name, elements.size());
    CHECK(run<T>(launch, elements, shared_stream(place)) == expected);
  }
}

// Tiles full of one number: no count may overflow into another.
template <class T>
void check_full_tiles(Place place) {
  const auto tile = [](T x) { return std::vector<T>(tile_size, x); };
  check<T>(place, tile(0), {0, 0, 1});
  check<T>(place, tile(-T(0)), {0, 0, 1});
  check<T>(place, tile(1), {1024, 0, 1});
  check<T>(place, tile(std::numeric_limits<T>::denorm_min()), {1024, 0, 1});
  check<T>(place, tile(2), {1024, 0, 0});
  check<T>(place, tile(nan_of<T>), {1024, 1, 0});
  check<T>(place, tile(-nan_of<T>), {1024, 1, 0});
  check<T>(place, tile(-std::numeric_limits<T>::infinity()), {1024, 0, 0});
}

// One element among zeros in the middle one of three tiles.
template <class T>
void check_single_elements(Place place) {
  for (const std::size_t at : {0, 1, 3, 31, 32, 127, 128, 255, 256, 511, 512, 800, 1022, 1023}) {
    std::vector<T> elements(3 * tile_size, 0);
    T& one = elements[tile_size + at];
    CAPTURE(at);
    one = T(0.5);
    check<T>(place, elements, {0, 0, 1, 1, 0, 1, 0, 0, 1});
    one = -T(0.5);
    check<T>(place, elements, {0, 0, 1, 1, 0, 0, 0, 0, 1});
    one = nan_of<T>;
    check<T>(place, elements, {0, 0, 1, 1, 1, 0, 0, 0, 1});
  }
}

// Last tiles of any length, the last element of which counts and the next of which does not.
template <class T>
void check_short_tiles(Place place) {
  check<T>(place, {}, {});
  for (const std::size_t last : {1, 2, 3, 5, 31, 33, 64, 255, 256, 257, 511, 513, 1022, 1023}) {
    std::vector<T> elements(tile_size + last, 0);
    elements.back() = 3;
    check<T>(place, elements, {0, 0, 1, 1, 0, 0});
    elements.resize(last);
    elements.assign(last, 1);
    check<T>(place, elements, {static_cast<int>(last), 0, 1});
  }
}

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
  CHECK(any_nan(ballot_of(1023 * votes_of(0.5f))) == 0);
  CHECK(all_in_range(ballot_of(1023 * votes_of(0.5f))) == 1);
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

TEST_CASE_IN_PLACES("block_vote: {} variants on full and short tiles", "[block_vote][kokkos]") {
  check_full_tiles<float>(place);
  check_full_tiles<double>(place);
  check_single_elements<float>(place);
  check_single_elements<double>(place);
  check_short_tiles<float>(place);
  check_short_tiles<double>(place);
}

TEST_CASE("block_vote: half of the tiles are empty, a wrong number is found", "[block_vote]") {
  constexpr unsigned tiles = 400;
  std::vector<float> elements;
  for (unsigned i = 0; i < tiles * tile_size; ++i) elements.push_back(element_of<float>(1, i));
  const std::vector<int> said =
      run<float>(launches<Field<float>>("block_vote", Place::host).front().launch, elements,
                 shared_stream(Place::host));
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
  const Answer right = answer_of<int>({5, 0, 1, 7, 0, 1}, 3);
  const Answer wrong = answer_of<int>({5, 0, 1, 7, 1, 1}, 3);
  const Disagreement found =
      algorithm_called("block_vote").compare({}, wrong, right, shared_stream(Place::host));

  CHECK(found.unequal == 1);
  CHECK(found.first == 4);
  CHECK(mentions(found.text, "[1][1]"));
}

}  // namespace
}  // namespace portcost::test::test_block_vote
