// SPDX-License-Identifier: Apache-2.0
// Clocks are read, and read plausibly.
#include "src/machine/clock_probe.hpp"

#include <chrono>

#include "tests/support.hpp"

namespace portcost::test::test_clock_probe {

namespace {

[[gnu::always_inline]] inline unsigned long one_more(unsigned long x, unsigned long by) {
  x += by;
  asm volatile("" : "+r"(x));
  return x;
}

// With as little besides the additions as can be: the work of a loop would count where a compiler
// optimises little.
double additions_a_microsecond() {
  constexpr int additions = 40'000;
  const auto start = std::chrono::steady_clock::now();
  unsigned long x = 1, by = 3;
  asm volatile("" : "+r"(by));  // some processors add constants without waiting
  for (int i = 0; i < additions; i += 8) {
    x = one_more(one_more(one_more(one_more(x, by), by), by), by);
    x = one_more(one_more(one_more(one_more(x, by), by), by), by);
  }
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  return additions / elapsed.count();
}

}  // namespace

TEST_CASE("clock probe: the host's clock is that of a processor", "[clock_probe]") {
  const auto probe = make_clock_probe(Place::host);

  double most = 0;
  for (int i = 0; i < 5; ++i) {
    const ClockReading reading = probe->read();
    CHECK(reading.mhz > 0);
    CHECK(reading.mhz < 20'000);
    most = std::max(most, reading.mhz);
  }
  CHECK(most > 10);  // others may have the processor during one
}

TEST_CASE("clock probe: the host's clock counts additions that wait for each other, and no others",
          "[clock_probe]") {
  const auto probe = make_clock_probe(Place::host);
  double read = 0, counted = 0;
  const auto too_many = [&] { return read > 1.06 * counted; };
  for (int i = 0; i < 50 || (i < 5000 && too_many()); ++i) {  // a busy machine makes some slow
    read = std::max(read, probe->read().mhz);
    counted = std::max(counted, additions_a_microsecond());
  }

  CAPTURE(read, counted);
  CHECK(read > 0.6 * counted);
  CHECK_FALSE(too_many());
}

TEST_CASE("clock probe: a first reading has no faster one to fall behind", "[clock_probe]") {
  CHECK_FALSE(make_clock_probe(Place::host)->read().throttled);
}

TEST_CASE("clock probe: the host's readings are held against each other", "[clock_probe]") {
  const auto probe = make_clock_probe(Place::host);
  bool fell = false;
  for (int i = 0; i < 1000 && !fell; ++i) {  // none is exactly as the one before for so long
    probe->read();
    fell = probe->accept() < 1;
  }
  CHECK(fell);
}

TEST_CASE("clock probe: a clock is behind under 0.8 of the fastest, until it is accepted",
          "[clock_probe]") {
  FastestClock seen;
  CHECK_FALSE(seen.is_behind(1000));
  seen.note(2000);
  CHECK(seen.is_behind(1599));
  CHECK_FALSE(seen.is_behind(1600));
  seen.note(1000);
  CHECK(seen.is_behind(1000));

  CHECK(seen.accept() == 0.5);

  CHECK_FALSE(seen.is_behind(1000));
  CHECK(seen.is_behind(799));
  CHECK(FastestClock().accept() == 1);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("clock probe: the device's clock is that of a GPU, or unreadable", "[clock_probe][gpu]") {
  need_device();
  const auto probe = make_clock_probe(Place::device);

  const ClockReading reading = probe->read();

  CHECK(reading.mhz >= 0);
  CHECK(reading.mhz < 20'000);
  CHECK_FALSE(reading.throttled);
  CHECK((reading.mhz > 0) == !driver_version().empty());
}
#else
TEST_CASE("clock probe: without CUDA there is no driver", "[clock_probe]") {
  CHECK(driver_version().empty());
}
#endif

}  // namespace portcost::test::test_clock_probe
