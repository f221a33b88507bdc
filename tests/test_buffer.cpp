// SPDX-License-Identifier: Apache-2.0
// Memory: owned once, poisoned, copied with pitches, refused when there is too little.
#include "src/memory/buffer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>

#include "tests/support.hpp"

namespace portcost::test::test_buffer {

namespace {

template <class T>
std::vector<T> ramp(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T(1));
  return values;
}

template <class T>
Buffer<T> filled(std::size_t count, Place place) {
  Buffer<T> buffer(count, place);
  buffer.upload(ramp<T>(count), shared_stream(place));
  return buffer;
}

void check_round_trip(Place place) {
  // Long enough for several threads, and no multiple of their parts.
  constexpr std::size_t count = 3'000'017;
  Stream& stream = shared_stream(place);
  const Buffer<float> first = filled<float>(count, place);
  Buffer<float> second(count, place);

  second.copy_from(first, stream);

  CHECK(second.download(stream) == ramp<float>(count));
}

void check_poison(Place place) {
  Stream& stream = shared_stream(place);
  Buffer<float> floats = filled<float>(3'000'017, place);
  Buffer<double> doubles = filled<double>(1001, place);
  Buffer<std::int32_t> integers = filled<std::int32_t>(1001, place);

  floats.poison(stream);
  doubles.poison(stream);
  integers.poison(stream);

  int numbers = 0, others = 0;
  for (const float v : floats.download(stream)) numbers += !std::isnan(v);
  for (const double v : doubles.download(stream)) numbers += !std::isnan(v);
  for (const std::int32_t v : integers.download(stream)) others += v != -1;
  CHECK(numbers == 0);
  CHECK(others == 0);
}

// Three rows of four out of rows of seven, into rows of five.
void check_copy_rows(Place place) {
  Stream& stream = shared_stream(place);
  const Buffer<int> source = filled<int>(21, place);
  Buffer<int> target(15, place);
  target.upload(std::vector<int>(15, 0), stream);

  copy_rows(target.data(), 5 * sizeof(int), source.data(), 7 * sizeof(int), 4 * sizeof(int), 3,
            stream);

  CHECK(target.download(stream) ==
        std::vector<int>{1, 2, 3, 4, 0, 8, 9, 10, 11, 0, 15, 16, 17, 18, 0});
}

void check_too_large(Place place) {
  const std::string text =
      message_of<Failure>([&] { Buffer<double>(std::size_t{1} << 59, place); });

  CHECK(mentions(text, "4611686018427387904 bytes"));
  CHECK(mentions(text, name(place)));
  // The process and its memory are well.
  CHECK(filled<int>(3, place).download(shared_stream(place)) == std::vector<int>{1, 2, 3});
}

}  // namespace

TEST_CASE("buffer: moving leaves the source empty and the bytes where they were", "[buffer]") {
  Buffer<int> source = filled<int>(5, Place::host);
  const int* const where = source.data();

  Buffer<int> target(std::move(source));

  CHECK(target.data() == where);
  CHECK(target.size() == 5);
  CHECK(target.bytes() == 5 * sizeof(int));
  CHECK(source.data() == nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(source.size() == 0);
}

TEST_CASE("buffer: moving onto a full buffer frees what it held, onto itself nothing", "[buffer]") {
  Buffer<int> source = filled<int>(5, Place::host), target = filled<int>(9, Place::host);
  const int* const where = source.data();

  target = std::move(source);
  Buffer<int>& same = target;
  target = std::move(same);

  CHECK(target.data() == where);
  CHECK(target.download(shared_stream(Place::host)) == ramp<int>(5));
}

TEST_CASE("buffer: swapping exchanges everything", "[buffer]") {
  Buffer<int> left = filled<int>(2, Place::host), right = filled<int>(3, Place::host);

  left.swap(right);

  CHECK(left.download(shared_stream(Place::host)) == ramp<int>(3));
  CHECK(right.download(shared_stream(Place::host)) == ramp<int>(2));
}

TEST_CASE("buffer: no elements are allowed and take no memory", "[buffer]") {
  Stream& host = shared_stream(Place::host);
  Buffer<float> none(0, Place::host);

  none.poison(host);
  none.copy_from(Buffer<float>(0, Place::host), host);

  CHECK(none.data() == nullptr);
  CHECK(none.span().empty());
  CHECK(none.download(host).empty());
}

TEST_CASE("buffer: memory is aligned for the widest loads", "[buffer]") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{5000}}) {
    const Buffer<char> buffer(count, Place::host);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
  }
}

TEST_CASE("buffer: what is written is read back, by many threads", "[buffer]") {
  check_round_trip(Place::host);
}

TEST_CASE("buffer: poison is NaN in reals and -1 in integers", "[buffer]") {
  check_poison(Place::host);
}

TEST_CASE("buffer: rows are copied between different pitches, gaps untouched", "[buffer]") {
  check_copy_rows(Place::host);
}

TEST_CASE("buffer: copies of a different size are refused", "[buffer]") {
  Stream& host = shared_stream(Place::host);
  Buffer<int> buffer = filled<int>(3, Place::host);

  CHECK_THROWS_AS(buffer.upload(ramp<int>(4), host), Failure);
  CHECK_THROWS_AS(buffer.copy_from(Buffer<int>(2, Place::host), host), Failure);
}

TEST_CASE("buffer: a count whose bytes overflow is refused", "[buffer]") {
  const std::size_t count = std::numeric_limits<std::size_t>::max() / sizeof(double) + 1;

  const std::string text = message_of<Failure>([&] { Buffer<double>(count, Place::host); });

  CHECK(mentions(text, "overflows"));
}

TEST_CASE("buffer: bytes that overflow when rounded up are refused", "[buffer]") {
  const std::size_t count = std::numeric_limits<std::size_t>::max() - 10;

  CHECK_THROWS_AS(Buffer<char>(count, Place::host), Failure);
}

TEST_CASE("buffer: more than there is is refused by its bytes, and the process lives", "[buffer]") {
  check_too_large(Place::host);
}

TEST_CASE("memory: the host has some, and says so", "[buffer]") {
  CHECK(available_bytes(Place::host) > 1e6);
  CHECK(available_bytes(Place::host) < 1e16);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("buffer: what is written to the device is read back", "[buffer][gpu]") {
  need_device();
  check_round_trip(Place::device);
}

TEST_CASE("buffer: poison on the device is NaN in reals and -1 in integers", "[buffer][gpu]") {
  need_device();
  check_poison(Place::device);
}

TEST_CASE("buffer: rows are copied on the device between different pitches", "[buffer][gpu]") {
  need_device();
  check_copy_rows(Place::device);
}

TEST_CASE("buffer: more than the device has is refused by its bytes", "[buffer][gpu]") {
  need_device();
  check_too_large(Place::device);
}
#else
TEST_CASE("buffer: without CUDA there is no device memory", "[buffer]") {
  CHECK_THROWS_AS(Buffer<int>(1, Place::device), Failure);
  CHECK_THROWS_AS(Stream(Place::device), Failure);
  CHECK_FALSE(device_present());
}
#endif

}  // namespace portcost::test::test_buffer
