// SPDX-License-Identifier: Apache-2.0
// Paths that kernels take at full size only, taken at small ones.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::test::test_paths_of_kernels {

void check_grid(Place place, ElementType type, int nx, int ny, int steps) {
  const Algorithm& row = algorithm_called("heat2d");
  agree(row, place, problem_of(row, fmt::format("nx={},ny={},steps={}", nx, ny, steps), "", type));
}

// So many operations on one word, several times, that threads do meet, even where they share a
// core in turns with others. A device has thousands at a time, and each round of a loop around
// compare-exchange lets one of them through.
template <class Word>
void check_contention(Place place, std::uint64_t n) {
  using namespace atomics;
  const std::uint64_t words = 1;
  Stream& stream = shared_stream(place);
  const Work<Word> shape{nullptr, nullptr, nullptr, nullptr, n, words};
  Buffer<Word> initial(words, place), global(words, place), own(shape.teams(), place),
      sums(shape.items(), place);
  Word sum = odd<Word>(100);
  initial.upload({&sum, 1}, stream);
  for (std::uint64_t i = 0; i < n; ++i) sum += odd<Word>(0);
  // The first count wraps to 0; then they go round in 0 .. 37.
  std::vector<std::pair<Operation, Word>> wanted{{Operation::add, sum}};
  if constexpr (!is_complex<Word>) wanted.emplace_back(Operation::increment_wrap, (n - 1) % 38);
  for (const auto& [model, run] : models_of_atomics<Word>(place)) {
    if (model == "reference") continue;
    for (int round = 0; round < 6; ++round) {
      for (const auto& [operation, word] : wanted) {
        if (!run.has(operation, Memory::global)) continue;
        CAPTURE(model, sizeof(Word), static_cast<int>(operation), round);
        global.copy_from(initial, stream);
        run(operation, Memory::global,
            {initial.data(), global.data(), own.data(), sums.data(), n, words}, stream);
        CHECK(std::memcmp(global.download(stream).data(), &word, sizeof word) == 0);
      }
    }
  }
}

// Two tiles of a host's naive step, six blocks, twenty-one stretches; grids that end with a tile.
TEST_CASE_IN_PLACES("paths: heat2d on wide grids and full tiles, on the {}", "[heat2d][kokkos]") {
  constexpr int wide = 20 * heat2d::stretch_x + 5;
  static_assert(wide > heat2d::naive_shape(Place::host).x && wide > 4 * heat2d::block_x);
  const ElementType type = GENERATE(ElementType::f32, ElementType::f64);
  check_grid(place, type, wide, 35, 2);
  check_grid(place, type, 3 * heat2d::stretch_x, 70, 2);
  check_grid(place, type, 3 * heat2d::tile_x, 4 * heat2d::tile_y, 2);
  check_grid(place, type, 4 * heat2d::tile_x, 3 * heat2d::tile_y, 3);
}

// On a device, more than a launch takes.
TEST_CASE_IN_PLACES("paths: heat2d on many rows of tiles, on the {}", "[heat2d][kokkos]") {
  const int ny = place == Place::host ? 40'000 : 65535 * heat2d::tile_y + 100;
  check_grid(place, ElementType::f32, 3, ny, 2);
}

// Equal keys, three times as many a thread as its byte can hold, in six teams of several tiles.
TEST_CASE_IN_PLACES("paths: lane_private flushes several times, on the {}", "[histogram][kokkos]") {
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

TEST_CASE_IN_PLACES("paths: atomics that many meet at, on the {}", "[atomics][kokkos]", "[slow]") {
  const std::uint64_t n = place == Place::host ? 1 << 24 : 1 << 16;
  if (place == Place::device) check_contention<std::uint32_t>(place, n);
  if (place == Place::host) check_contention<atomics::Complex>(place, n / 4);
  check_contention<std::uint64_t>(place, n);
}

}  // namespace portcost::test::test_paths_of_kernels
