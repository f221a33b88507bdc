// SPDX-License-Identifier: Apache-2.0
// histogram's inputs, shapes and variants: skewed and equal keys, edges of tiles, full counters.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::test::test_histogram {
namespace {

using namespace histogram;

constexpr unsigned all_bins[] = {few_bins, some_bins, many_bins};

const Algorithm& row() { return algorithm_called("histogram"); }

std::vector<unsigned> counted(const std::vector<unsigned>& keys, unsigned bins) {
  std::vector<unsigned> counts(bins, 0);
  for (const unsigned key : keys) ++counts[key];
  return counts;
}

// In counts that hold rubbish before.
void check_keys(Place place, const std::vector<unsigned>& keys, unsigned bins) {
  Stream& stream = shared_stream(place);
  const auto n = static_cast<unsigned>(keys.size());
  Buffer<unsigned> in(n, place), out(bins, place);
  in.upload(keys, stream);
  for (const auto& [name, launch] : launches<Keys>("histogram", place)) {
    for (const unsigned processors : {1u, 3u}) {
      CAPTURE(name, n, bins, processors);
      out.poison(stream);
      launch({in.data(), n, out.data(), bins, processors}, stream);
      CHECK(out.download(stream) == counted(keys, bins));
    }
  }
}

// Every atomic of a team meets the same counter, and a byte would soon overflow.
TEST_CASE_IN_PLACES("histogram: {} variants count equal keys", "[histogram][kokkos]") {
  for (const unsigned bins : all_bins) {
    for (const unsigned key : {0u, bins / 2 + 1, bins - 1}) {
      check_keys(place, std::vector<unsigned>(150'001, key), bins);
    }
  }
}

// Each by its own number of keys.
TEST_CASE_IN_PLACES("histogram: {} variants hit every bin", "[histogram][kokkos]") {
  for (const unsigned bins : all_bins) {
    std::vector<unsigned> keys;
    for (unsigned bin = 0; bin < bins; ++bin) keys.insert(keys.end(), 1 + bin % 37, bin);
    check_keys(place, keys, bins);
    std::reverse(keys.begin(), keys.end());
    check_keys(place, keys, bins);
  }
}

// Around the ends of packs and tiles of both shapes.
TEST_CASE_IN_PLACES("histogram: {} variants end where the keys do", "[histogram][kokkos]") {
  const unsigned wide = 4 * wide_shape(Place::device).threads() * wide_shape(Place::device).loads;
  const unsigned own = 4 * private_shape.threads() * private_shape.loads;
  for (const unsigned tile : {own, wide, 16 * own, 2 * wide}) {
    for (const unsigned n : {tile - 5, tile - 4, tile - 1, tile, tile + 1, tile + 4, tile + 7}) {
      std::vector<unsigned> keys(n);
      for (unsigned i = 0; i < n; ++i) keys[i] = key_of(Skew::heavy, 7, i, some_bins);
      check_keys(place, keys, some_bins);
    }
  }
}

TEST_CASE_IN_PLACES("histogram: {} variants count no keys, one and a few", "[histogram][kokkos]") {
  for (const unsigned bins : all_bins) {
    check_keys(place, {}, bins);
    check_keys(place, {bins - 1}, bins);
    check_keys(place, {0, bins - 1, 0}, bins);
    check_keys(place, {3, 2, 1, 0, 3}, bins);
  }
}

TEST_CASE_IN_PLACES("histogram: {} variants count skewed keys", "[histogram][kokkos]") {
  for (const unsigned bins : all_bins) {
    const std::string size = "n=99991,bins=" + std::to_string(bins);
    agree(row(), place, problem_of(row(), size, "skew=heavy", ElementType::i32));
  }
}

TEST_CASE("histogram: a count that is off is placed; bad sizes are refused", "[histogram]") {
  const Answer right = answer_of<int>({5, 7, 9}), wrong = answer_of<int>({5, 8, 9});
  const Disagreement found = row().compare({}, wrong, right, shared_stream(Place::host));

  CHECK(found.unequal == 1);
  CHECK(found.first == 1);
  CHECK(mentions(refusal(row(), "bins=100"),
                 "bins=100 is not allowed: it must be one of 64, 256, 4096"));
  CHECK(mentions(refusal(row(), "n=2147483648"), "allowed are 0 to 2147483647"));
  CHECK(refusal(row(), "n=2147483647,bins=4096") == "(nothing thrown)");
}

TEST_CASE("histogram inputs: uniform keys are uniform, heavy ones mostly zero", "[histogram]") {
  for (const unsigned bins : all_bins) {
    constexpr unsigned n = 400'000;
    std::vector<unsigned> uniform, heavy;
    for (unsigned i = 0; i < n; ++i) {
      uniform.push_back(key_of(Skew::none, 1, i, bins));
      heavy.push_back(key_of(Skew::heavy, 1, i, bins));
    }
    REQUIRE(*std::max_element(uniform.begin(), uniform.end()) == bins - 1);
    REQUIRE(*std::max_element(heavy.begin(), heavy.end()) < bins);
    const auto even = counted(uniform, bins), skewed = counted(heavy, bins);
    CAPTURE(bins);
    CHECK(*std::min_element(even.begin(), even.end()) > n / bins / 3);
    CHECK(*std::max_element(even.begin(), even.end()) < n / bins * 2);
    CHECK(skewed[0] > n / 100 * 89);
    CHECK(skewed[0] < n / 100 * 91);
    CHECK(skewed[1] > skewed[8]);
    CHECK(skewed[8] > skewed[bins - 1]);
  }
}

TEST_CASE("histogram shapes: counters have their places, lanes their banks", "[histogram]") {
  std::set<unsigned> by_warp, by_lane;
  constexpr unsigned warps = copies<Split::warp, some_bins, Place::device>;
  constexpr unsigned striped = copies<Split::lane, some_bins, Place::device>;
  for (unsigned bin = 0; bin < some_bins; ++bin) {
    for (unsigned copy = 0; copy < warps; ++copy) {
      by_warp.insert(counter_of<Split::warp, some_bins, Place::device>(bin, copy));
    }
    for (unsigned copy = 0; copy < striped; ++copy) {
      by_lane.insert(counter_of<Split::lane, some_bins, Place::device>(bin, copy));
    }
  }

  CHECK(striped == 8);
  CHECK(copies<Split::lane, many_bins, Place::device> == 2);
  CHECK(by_warp.size() == warps * some_bins);
  CHECK(*by_warp.rbegin() == warps * some_bins - 1);
  CHECK(by_lane.size() == striped * some_bins);
  CHECK(*by_lane.rbegin() < most_counters);
  using C = Columns<some_bins>;
  std::set<unsigned> words, bytes;
  for (unsigned id = 0; id < C::threads; ++id) {
    for (unsigned i = 0; i < C::span; ++i) words.insert(C::word_of(id, i));
    for (unsigned key = 0; key < some_bins; ++key) {
      bytes.insert(C::byte_of(key, id));
      CHECK(C::byte_of(key, id) / 4 % 32 == id % 32);
    }
  }

  CHECK(words.size() == C::counters);
  CHECK(*words.rbegin() == C::counters - 1);
  CHECK(bytes.size() == 4 * C::counters);
  CHECK(Columns<few_bins>::fit);
  CHECK_FALSE(Columns<many_bins>::fit);
}

}  // namespace
}  // namespace portcost::test::test_histogram
