// SPDX-License-Identifier: Apache-2.0
// scan's numbers and states by hand; its variants on known sums, run after run without a reset.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/scan/problem.hpp"

namespace portcost::test::test_scan {

using namespace scan;

constexpr std::ptrdiff_t margin = 1024;  // numbers past the end
constexpr int rubbish = 1'000'000;

// Equal numbers with rubbish past them, and what teams leave each other.
template <class T>
class Equal {
 public:
  Equal(std::size_t n, Stream& stream)
      : stream_(stream),
        n_(n),
        tiles_(stream.place() == Place::device ? tiles_of<T, Place::device>(n)
                                               : tiles_of<T, Place::host>(n)),
        in_(n + margin, stream.place()),
        out_(n + margin, stream.place()),
        totals_(tiles_ + 1, stream.place()),
        states_((tiles_ + 1) * State<T>::words, stream.place()),
        counters_(2, stream.place()) {
    states_.upload(std::vector<std::uint64_t>(states_.size(), 0), stream);
    counters_.upload(std::vector<unsigned>{0, 0}, stream);
    totals_.poison(stream);
  }

  // Numbers of `out` that are not `number` times their rank, or are written past the end.
  std::size_t wrong_after(const Launch<Sequence<T>>& launch, int processors, T number) {
    std::vector<T> numbers(n_ + margin, T(rubbish));
    std::fill_n(numbers.begin(), n_, number);
    in_.upload(numbers, stream_);
    out_.upload(std::vector<T>(n_ + margin, T(rubbish)), stream_);
    launch(
        {in_.data(), n_, out_.data(), totals_.data(), states_.data(), counters_.data(), processors},
        stream_);
    const std::vector<T> sums = out_.download(stream_);
    std::size_t wrong = 0;
    T sum = 0;
    for (std::size_t i = 0; i < n_; ++i) wrong += !(sums[i] == (sum += number));
    return wrong + static_cast<std::size_t>(margin) -
           static_cast<std::size_t>(std::count(sums.end() - margin, sums.end(), T(rubbish)));
  }
  unsigned tiles() const { return tiles_; }
  std::vector<unsigned> counters() const { return counters_.download(stream_); }

 private:
  Stream& stream_;
  std::size_t n_;
  unsigned tiles_;
  Buffer<T> in_, out_, totals_;
  Buffer<std::uint64_t> states_;
  Buffer<unsigned> counters_;
};

// Each run has other numbers, so that what an earlier run has left would show.
template <class T>
void check_runs(Place place, std::size_t n, int processors) {
  Equal<T> equal(n, shared_stream(place));
  unsigned passes = 0;
  for (const auto& [name, launch] : launches<Sequence<T>>("scan", place)) {
    CAPTURE(name, sizeof(T), n, processors);
    for (const int number : {1, 3, 2}) {
      CHECK(equal.wrong_after(launch, processors, T(number)) == 0);
      passes += name.ends_with("look_back");
    }
    CHECK(equal.counters()[ticket] == 0);
  }
  if (equal.tiles() > 1) CHECK(equal.counters()[runs] == passes);
}

TEMPLATE_TEST_CASE("scan rule: sums are exact, and known without adding", "[scan]", Word, float,
                   double) {
  using T = TestType;
  T sum = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    sum += number<T>(5, i);
    if (sum != prefix<T>(5, i)) FAIL_CHECK("number " << i << " of " << sizeof(T) << " bytes");
  }
  CHECK(level<T>(5, 1) != level<T>(5, 2));
  CHECK(level<T>(5, 1) != level<T>(6, 1));
}

TEST_CASE("scan rule: a state has its own flag alone, torn ones have none", "[scan]") {
  const auto check = []<class T>(T sum) {
    const std::uint32_t own = flag_of(7, Stage::own), whole = flag_of(7, Stage::whole);
    const State<T> state = State<T>::of(sum, own);
    CHECK(state.sum() == sum);
    CHECK(state.has(own));
    CHECK_FALSE(state.has(whole));
    for (const unsigned run : {6u, 8u}) {
      CHECK_FALSE(state.has(flag_of(run, Stage::own)));
      CHECK_FALSE(state.has(flag_of(run, Stage::whole)));
    }
    CHECK_FALSE(State<T>{}.has(flag_of(0, Stage::own)));
    CHECK_FALSE(State<T>{}.has(flag_of(0, Stage::whole)));
  };
  check(Word{0xFFFFFFFF});
  check(-1.5f);
  check(-1.0e300);

  State<double> torn = State<double>::of(1.0, flag_of(0, Stage::own));
  torn.word[1] = State<double>::of(2.0, flag_of(0, Stage::whole)).word[1];
  CHECK_FALSE(torn.has(flag_of(0, Stage::own)));
  CHECK_FALSE(torn.has(flag_of(0, Stage::whole)));
}

TEST_CASE("scan shapes: a tile has the same bytes in every place and type", "[scan]") {
  CHECK(tile_size<float, Place::device> * 4 == 32768);
  CHECK(tile_size<double, Place::device> * 8 == 32768);
  CHECK(tile_size<float, Place::host> == tile_size<float, Place::device>);
  CHECK(tile_size<double, Place::host> == tile_size<double, Place::device>);
  CHECK(tiles_of<float, Place::host>(0) == 0);
  CHECK(tiles_of<float, Place::host>(8192) == 1);
  CHECK(tiles_of<float, Place::host>(8193) == 2);
  CHECK(mentions(message_of<Failure>([] { tiles_of<float, Place::host>(std::uint64_t{1} << 45); }),
                 "more tiles than a launch can count"));
}

// Around packs and tiles; then many tiles, and on a device more than a window of them.
TEST_CASE_IN_PLACES("scan: {} variants end where the numbers do", "[scan][kokkos]") {
  std::vector<std::size_t> sizes{0,    1,    2,    5,    255,   257,   4095,  4096,
                                 4097, 8191, 8192, 8193, 16384, 16385, 65537, 300'007};
  if (place == Place::device) sizes.push_back(5'000'003);
  for (const std::size_t n : sizes) {
    for (const int processors : {1, 3}) {
      check_runs<Word>(place, n, processors);
      check_runs<float>(place, n, processors);
      check_runs<double>(place, n, processors);
    }
  }
}

}  // namespace portcost::test::test_scan
