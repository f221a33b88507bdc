// SPDX-License-Identifier: Apache-2.0
// Paths of sum that a large sum takes, at small sizes: as many teams as on a large processor, more
// partial sums than one trip reads, a second run without a reset; and rubbish past the end.
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "tests/launches.hpp"
#include "tests/support.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::test::test_paths_of_sum {

namespace {

using sum::Word;

constexpr std::size_t margin = 1024;  // numbers past the end

// Numbers that are all one, with rubbish past them, and what teams leave each other.
template <class T>
class Ones {
 public:
  Ones(std::uint64_t n, int processors, Stream& stream)
      : stream_(stream),
        n_(n),
        processors_(processors),
        in_(n + margin, stream.place()),
        out_(1, stream.place()),
        first_(sum::partials_of(n), stream.place()),
        second_(sum::partials_of(first_.size()), stream.place()),
        arrived_(1, stream.place()) {
    std::vector<T> numbers(n + margin, T(1'000'000));
    std::fill_n(numbers.begin(), n, T(1));
    in_.upload(numbers, stream);
    no_team_arrived();
  }
  void no_team_arrived() { arrived_.upload(std::vector<unsigned>{0}, stream_); }

  // Without taking the ticket back: that is what a run does for the next.
  T add(const Launch<sum::Numbers<T>>& launch) {
    out_.poison(stream_);
    first_.poison(stream_);
    second_.poison(stream_);
    launch({in_.data(),
            n_,
            out_.data(),
            {first_.data(), second_.data()},
            arrived_.data(),
            processors_},
           stream_);
    return out_.download(stream_)[0];
  }
  unsigned arrived() const { return arrived_.download(stream_)[0]; }
  // What a first launch would leave, and a second.
  std::vector<T> first() const { return first_.download(stream_); }
  std::vector<T> second() const { return second_.download(stream_); }

 private:
  Stream& stream_;
  std::uint64_t n_;
  int processors_;
  Buffer<T> in_, out_, first_, second_;
  Buffer<unsigned> arrived_;
};

template <class T>
void check_paths(Place place, std::uint64_t n, int processors) {
  Ones<T> ones(n, processors, shared_stream(place));  // once: a device is slow to allocate
  for (const auto& [name, launch] : launches<sum::Numbers<T>>("sum", place)) {
    CAPTURE(name, sizeof(T), n, processors);
    ones.no_team_arrived();
    for (int run = 0; run < 3; ++run) {
      CAPTURE(run);
      CHECK(ones.add(launch) == static_cast<T>(n));
      CHECK(ones.arrived() == 0);
    }
  }
}

template <class T>
void check_types(Place place, const std::vector<std::uint64_t>& sizes,
                 const std::vector<int>& processors) {
  for (const std::uint64_t n : sizes) {
    for (const int count : processors) check_paths<T>(place, n, count);
  }
}

// Sizes around a pack, a team and a tile; then many tiles a team, and many teams.
void check_all(Place place, const std::vector<std::uint64_t>& large) {
  std::vector<std::uint64_t> sizes{0, 1, 3, 63, 256, 257, 1021, 4096, 8197, 65536};
  sizes.insert(sizes.end(), large.begin(), large.end());
  const std::vector<int> processors = place == Place::host ? std::vector{1, 3, 9}  //
                                                           : std::vector{1, 7, 1000};
  check_types<Word>(place, sizes, processors);
  check_types<float>(place, sizes, processors);
  check_types<double>(place, sizes, processors);
}

// What a second launch would leave has less room than one of many teams needs.
void single_pass_keeps_to_the_first(Place place, std::uint64_t n, int processors) {
  constexpr auto unwritten = static_cast<Word>(-1);
  int passes = 0;
  for (const auto& [name, launch] : launches<sum::Numbers<Word>>("sum", place)) {
    if (!name.ends_with(" single_pass")) continue;
    CAPTURE(name);
    Ones<Word> ones(n, processors, shared_stream(place));
    CHECK(ones.add(launch) == static_cast<Word>(n));
    CHECK(ones.first()[0] != unwritten);
    CHECK(ones.second() == std::vector<Word>(ones.second().size(), unwritten));
    ++passes;
  }
  CHECK(passes > 0);
}

// The path must be there to be taken.
template <class T, Place place>
unsigned teams_of(std::uint64_t n, int processors) {
  return sum::plan<T, place>(n, processors).teams;
}

constexpr std::uint64_t several = 300'007, many_host = 1'200'003, many_device = 2'400'003;

}  // namespace

TEST_CASE("sum paths: sizes and processors of these tests give the plans they are for", "[sum]") {
  CHECK(teams_of<float, Place::host>(several, 3) == 3);
  CHECK(teams_of<float, Place::host>(many_host, 9) == 9);  // more than one trip's partial sums
  constexpr unsigned trip = sum::partial_loads * sum::threads;
  CHECK(teams_of<float, Place::device>(many_device, 1000) > trip);
  CHECK(teams_of<double, Place::device>(many_device, 1000) > trip);
  const sum::Plan plan = sum::plan<float, Place::device>(many_device, 1);
  CHECK(plan.tiles > plan.teams);  // several tiles a team, most of them whole
  CHECK(plan.full > plan.teams);
}

TEST_CASE("sum paths: many teams, three runs without a reset, rubbish past the end, on the host",
          "[sum][kokkos][slow]") {
  check_all(Place::host, {several, many_host});
}

TEST_CASE("sum paths: a single pass leaves nothing for a second launch, on the host",
          "[sum][kokkos]") {
  single_pass_keeps_to_the_first(Place::host, many_host, 9);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("sum paths: many teams, three runs without a reset, rubbish past the end, on the device",
          "[sum][kokkos][gpu]") {
  need_device();
  check_all(Place::device, {several, many_device});
}

TEST_CASE("sum paths: a single pass leaves nothing for a second launch, on the device",
          "[sum][kokkos][gpu]") {
  need_device();
  single_pass_keeps_to_the_first(Place::device, many_device, 1000);
}
#endif

}  // namespace portcost::test::test_paths_of_sum
