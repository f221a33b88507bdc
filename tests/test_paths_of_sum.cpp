// SPDX-License-Identifier: Apache-2.0
// Paths of sum that a large sum takes, at small sizes: as many teams as on a large processor, more
// partial sums than one trip reads, a second run without a reset; and rubbish past the end.
#include "tests/launches.hpp"
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

constexpr std::uint64_t several = 300'007, many_host = 1'200'003, many_device = 2'400'003;

}  // namespace

TEST_CASE("sum paths: sizes and processors of these tests give the plans they are for", "[sum]") {
  CHECK(sum::plan<float, Place::host>(several, 3).teams == 3);
  CHECK(sum::plan<float, Place::host>(many_host, 9).teams ==
        9);  // more than one trip's partial sums
  constexpr unsigned trip = sum::partial_loads * sum::threads;
  CHECK(sum::plan<float, Place::device>(many_device, 1000).teams > trip);
  CHECK(sum::plan<double, Place::device>(many_device, 1000).teams > trip);
  const sum::Plan plan = sum::plan<float, Place::device>(many_device, 1);
  CHECK(plan.tiles > plan.teams);  // several tiles a team, most of them whole
  CHECK(plan.full > plan.teams);
}

// Sizes around a pack, a team and a tile; then many tiles a team, and many teams.
TEST_CASE_IN_PLACES(
    "sum paths: many teams, three runs without a reset, rubbish past the end, on the {}",
    "[sum][kokkos]", "[slow]") {
  const bool host = place == Place::host;
  for (const std::uint64_t n :
       std::vector<std::uint64_t>{0, 1, 3, 63, 256, 257, 1021, 4096, 8197, 65536, several,
                                  host ? many_host : many_device}) {
    for (const int processors : host ? std::vector{1, 3, 9} : std::vector{1, 7, 1000}) {
      check_paths<Word>(place, n, processors);
      check_paths<float>(place, n, processors);
      check_paths<double>(place, n, processors);
    }
  }
}

// What a second launch would leave has less room than one of many teams needs.
TEST_CASE_IN_PLACES("sum paths: a single pass leaves nothing for a second launch, on the {}",
                    "[sum][kokkos]") {
  const bool host = place == Place::host;
  const std::uint64_t n = host ? many_host : many_device;
  constexpr auto unwritten = static_cast<Word>(-1);
  const auto passes = launches_of<sum::Numbers<Word>>("sum", "single_pass", place);
  CHECK(!passes.empty());
  for (const auto& [name, launch] : passes) {
    CAPTURE(name);
    Ones<Word> ones(n, host ? 9 : 1000, shared_stream(place));
    CHECK(ones.add(launch) == static_cast<Word>(n));
    CHECK(ones.first()[0] != unwritten);
    CHECK(ones.second() == std::vector<Word>(ones.second().size(), unwritten));
  }
}

}  // namespace portcost::test::test_paths_of_sum
