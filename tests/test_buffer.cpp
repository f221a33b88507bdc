// SPDX-License-Identifier: Apache-2.0
// Memory: owned once, poisoned, copied with pitches, refused when there is too little.
#include "src/memory/buffer.hpp"

#include "tests/support.hpp"

namespace portcost::test::test_buffer {

template <class T>
Buffer<T> filled(std::size_t count, Place place) {
  Buffer<T> buffer(count, place);
  buffer.upload(ramp<T>(count), shared_stream(place));
  return buffer;
}

TEST_CASE("buffer: moving keeps bytes where they were, swapping exchanges all", "[buffer]") {
  Buffer<int> source = filled<int>(5, Place::host);
  const int* const where = source.data();

  Buffer<int> target(std::move(source));

  CHECK(target.data() == where);
  CHECK(target.size() == 5);
  CHECK(target.bytes() == 5 * sizeof(int));
  CHECK(source.data() == nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(source.size() == 0);
  Buffer<int> five = filled<int>(5, Place::host), nine = filled<int>(9, Place::host);
  const int* const there = five.data();

  nine = std::move(five);
  Buffer<int>& same = nine;
  nine = std::move(same);

  CHECK(nine.data() == there);
  CHECK(nine.download(shared_stream(Place::host)) == ramp<int>(5));
  Buffer<int> left = filled<int>(2, Place::host), right = filled<int>(3, Place::host);

  left.swap(right);

  CHECK(left.download(shared_stream(Place::host)) == ramp<int>(3));
  CHECK(right.download(shared_stream(Place::host)) == ramp<int>(2));
}

TEST_CASE("buffer: none takes no memory, and memory is aligned for wide loads", "[buffer]") {
  Stream& host = shared_stream(Place::host);
  Buffer<float> none(0, Place::host);

  none.poison(host);
  none.copy_from(Buffer<float>(0, Place::host), host);

  CHECK(none.data() == nullptr);
  CHECK(none.span().empty());
  CHECK(none.download(host).empty());
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{5000}}) {
    const Buffer<char> buffer(count, Place::host);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
  }
}

TEST_CASE_IN_PLACES("buffer: what many threads write is read back, on the {}", "[buffer]") {
  // Long enough for several threads, and no multiple of their parts.
  constexpr std::size_t count = 3'000'017;
  Stream& stream = shared_stream(place);
  Buffer<float> second(count, place);

  second.copy_from(filled<float>(count, place), stream);

  CHECK(second.download(stream) == ramp<float>(count));
}

TEST_CASE_IN_PLACES("buffer: poison on the {} is NaN in reals, -1 in integers", "[buffer]") {
  const auto poisoned = [&]<class T>(std::size_t count, T) {
    Buffer<T> buffer = filled<T>(count, place);
    buffer.poison(shared_stream(place));
    return buffer.download(shared_stream(place));
  };
  const auto is_nan = [](auto x) { return std::isnan(x); };

  CHECK(std::ranges::all_of(poisoned(3'000'017, 0.0f), is_nan));
  CHECK(std::ranges::all_of(poisoned(1001, 0.0), is_nan));
  CHECK(poisoned(1001, 0) == std::vector<std::int32_t>(1001, -1));
}

TEST_CASE_IN_PLACES("buffer: rows change their pitch on the {}, gaps untouched", "[buffer]") {
  // Three rows of four out of rows of seven, into rows of five.
  Stream& stream = shared_stream(place);
  const Buffer<int> source = filled<int>(21, place);
  Buffer<int> target(15, place);
  target.upload(std::vector<int>(15, 0), stream);

  copy_rows(target.data(), 5 * sizeof(int), source.data(), 7 * sizeof(int), 4 * sizeof(int), 3,
            stream);

  CHECK(target.download(stream) ==
        std::vector<int>{1, 2, 3, 4, 0, 8, 9, 10, 11, 0, 15, 16, 17, 18, 0});
}

TEST_CASE("buffer: copies of another size, and counts that overflow, are refused", "[buffer]") {
  Stream& host = shared_stream(Place::host);
  Buffer<int> buffer = filled<int>(3, Place::host);

  CHECK_THROWS_AS(buffer.upload(ramp<int>(4), host), Failure);
  CHECK_THROWS_AS(buffer.copy_from(Buffer<int>(2, Place::host), host), Failure);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

  CHECK(mentions(message_of<Failure>([] { Buffer<double>(most / 8 + 1, Place::host); }),
                 "overflows"));
  CHECK_THROWS_AS(Buffer<char>(most - 10, Place::host), Failure);
}

TEST_CASE_IN_PLACES("buffer: more than the {} has is refused, the process lives", "[buffer]") {
  const std::string text =
      message_of<Failure>([&] { Buffer<double>(std::size_t{1} << 59, place); });

  CHECK(mentions(text, "4611686018427387904 bytes"));
  CHECK(mentions(text, name(place)));
  // The process and its memory are well.
  CHECK(filled<int>(3, place).download(shared_stream(place)) == std::vector<int>{1, 2, 3});
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("buffer: without CUDA there is no device memory", "[buffer]") {
  CHECK_THROWS_AS(Buffer<int>(1, Place::device), Failure);
  CHECK_THROWS_AS(Stream(Place::device), Failure);
  CHECK_FALSE(device_present());
}
#endif

}  // namespace portcost::test::test_buffer
