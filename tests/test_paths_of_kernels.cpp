// SPDX-License-Identifier: Apache-2.0
// Paths that kernels take at full size only, taken at small ones: several stretches and blocks a
// row, tiles that end on the grid's edge, more rows of tiles than a launch takes, counters that are
// flushed more than once, words that many threads meet at.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/launches_of_atomics.hpp"
#include "tests/support.hpp"
#include "variants/atomics/problem.hpp"
#include "variants/catalogue.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::test::test_paths_of_kernels {

namespace {

// Every variant of `place` against the reference, on one grid.
void check_grid(Place place, ElementType type, std::int64_t nx, std::int64_t ny,
                std::int64_t steps) {
  const Algorithm& a = algorithm_called("heat2d");
  const Problem problem{Size({{"nx", nx}, {"ny", ny}, {"steps", steps}}),
                        parse_parameters("", a.parameter_keys), type, 3};
  Answer expected;
  {
    const auto host = a.make(problem, shared_stream(Place::host));
    expected = run_afresh(*host, *reference_of(a, {}).make(problem, *host));
  }
  const auto instance = a.make(problem, shared_stream(place));
  for (const Variant& variant : a.variants) {
    if (variant.place != place) continue;
    CAPTURE(variant_name(a, variant), problem.size.text(), name(type));
    const Answer answer = run_afresh(*instance, *variant.make(problem, *instance));
    CHECK(a.compare(problem, answer, expected, shared_stream(place)).text.empty());
  }
}

// Two tiles of a host's naive step, six blocks, twenty-one stretches; grids that end with a tile.
void check_wide_grids(Place place) {
  constexpr int wide = 20 * heat2d::stretch_x + 5;
  static_assert(wide > heat2d::naive_shape(Place::host).x && wide > 4 * heat2d::block_x);
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    check_grid(place, type, wide, 35, 2);
    check_grid(place, type, 3 * heat2d::stretch_x, 70, 2);
    check_grid(place, type, 3 * heat2d::tile_x, 4 * heat2d::tile_y, 2);
    check_grid(place, type, 4 * heat2d::tile_x, 3 * heat2d::tile_y, 3);
  }
}

// Equal keys, three times as many a thread as its byte can hold, in six teams of several tiles.
void check_flushes(Place place) {
  const auto counters = launches_of<histogram::Keys>("histogram", "lane_private", place);
  using histogram::private_shape;
  constexpr unsigned tile = 4 * private_shape.threads() * private_shape.loads;
  constexpr unsigned trips = histogram::Columns<histogram::few_bins>::trips;
  constexpr unsigned n = private_shape.teams * (3 * trips + 2) * tile + 9;
  Stream& stream = shared_stream(place);
  for (const unsigned bins : {histogram::few_bins, histogram::some_bins}) {
    for (const unsigned key : {0u, bins - 1}) {
      Buffer<unsigned> in(n, place), out(bins, place);
      in.upload(std::vector<unsigned>(n, key), stream);
      for (const auto& [name, launch] : counters) {
        CAPTURE(name, bins, key);
        out.poison(stream);
        launch({in.data(), n, out.data(), bins, 1}, stream);
        std::vector<unsigned> expected(bins, 0);
        expected[key] = n;
        CHECK(out.download(stream) == expected);
      }
    }
  }
}

// So many operations on one word, several times, that threads do meet, even where they share a
// core in turns with others. A device has thousands at a time, and each round of a loop around
// compare-exchange lets one of them through.
template <class Word>
void check_contention(Place place, const RunOfAtomics<Word>& run, const std::string& model) {
  using namespace atomics;
  const std::uint64_t n = place == Place::host ? 1 << 24 : 1 << 16, words = 1;
  Stream& stream = shared_stream(place);
  const Work<Word> shape{nullptr, nullptr, nullptr, nullptr, n, words};
  Buffer<Word> initial(words, place), global(words, place), own(shape.teams(), place),
      sums(shape.items(), place);
  initial.upload(std::vector<Word>{101}, stream);
  // From 101 the first count wraps to 0; then they go round in 0 .. 37.
  const std::vector<std::pair<Operation, Word>> wanted{
      {Operation::add, static_cast<Word>(101 + n * odd<Word>(0))},
      {Operation::increment_wrap, static_cast<Word>((n - 1) % 38)}};
  for (int round = 0; round < 6; ++round) {
    for (const auto& [operation, word] : wanted) {
      if (!run.has(operation, Memory::global)) continue;
      CAPTURE(model, sizeof(Word), static_cast<int>(operation), round);
      global.copy_from(initial, stream);
      run(operation, Memory::global,
          {initial.data(), global.data(), own.data(), sums.data(), n, words}, stream);
      CHECK(global.download(stream)[0] == word);
    }
  }
}

template <class Word>
void check_contended(Place place) {
  for (const auto& [model, run] : models_of_atomics<Word>(place)) {
    if (model != "reference") check_contention<Word>(place, run, model);
  }
}

}  // namespace

TEST_CASE("paths: heat2d's rows past 2^32 elements start where they should", "[heat2d]") {
  constexpr int y = 99'999;
  constexpr std::uint32_t pitch = 60'032;
  const heat2d::Step<float> step{nullptr, nullptr, 60'000, 100'000, pitch, {}};
  static_assert(std::uint64_t{y} * pitch > std::uint64_t{1} << 32);

  CHECK(step.offset(y) == std::uint64_t{y} * pitch);
}

TEST_CASE("paths: heat2d on wide grids and on full tiles, on the host", "[heat2d][kokkos]") {
  check_wide_grids(Place::host);
}
TEST_CASE("paths: heat2d on many rows of tiles, on the host", "[heat2d][kokkos]") {
  check_grid(Place::host, ElementType::f32, 3, 40'000, 2);
}
TEST_CASE("paths: lane_private flushes its bytes more than once, on the host",
          "[histogram][kokkos]") {
  check_flushes(Place::host);
}
TEST_CASE("paths: atomics that many threads meet at, on the host", "[atomics][kokkos][slow]") {
  check_contended<std::uint64_t>(Place::host);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("paths: heat2d on wide grids and on full tiles, on the device", "[heat2d][kokkos][gpu]") {
  need_device();
  check_wide_grids(Place::device);
}
TEST_CASE("paths: heat2d past 65535 rows of tiles, on the device", "[heat2d][kokkos][gpu]") {
  need_device();
  check_grid(Place::device, ElementType::f32, 3, 65535 * heat2d::tile_y + 100, 2);
}
TEST_CASE("paths: lane_private flushes its bytes more than once, on the device",
          "[histogram][kokkos][gpu]") {
  need_device();
  check_flushes(Place::device);
}
TEST_CASE("paths: atomics that many threads meet at, on the device", "[atomics][kokkos][gpu]") {
  need_device();
  check_contended<std::uint32_t>(Place::device);
  check_contended<std::uint64_t>(Place::device);
}
#endif

}  // namespace portcost::test::test_paths_of_kernels
