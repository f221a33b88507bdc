// SPDX-License-Identifier: Apache-2.0
// Limits have names, units and plausible values; how high they are is nobody's promise.
#include "src/machine/limits.hpp"

#include "src/machine/limits_detail.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_limits {
namespace {

const std::set<std::string> units{"B/s", "FLOP/s", "op/s", "s", "B"};

// Twice each: as often as for an interval would take a device half a minute.
void check_all(Place place) {
  const auto table = place == Place::host ? detail::host_limits() : detail::device_limits();
  CHECK(table.size() == limit_names(place).size());
  for (const auto& entry : table) {
    CAPTURE(entry.name, entry.unit);
    CHECK(units.contains(std::string(entry.unit)));
    const std::vector<double> values = entry.measure(shared_stream(place), 2);
    CHECK(values.size() == 2);
    for (const double value : values) {
      CHECK(std::isfinite(value));
      CHECK(value > 0);
    }
  }
}

void check_by_name(std::string_view wanted, const std::string& unit, Place place) {
  const Limit limit = measure_limit(wanted, shared_stream(place));
  CAPTURE(limit.name, limit.value);
  CHECK(limit.name == wanted);
  CHECK(limit.unit == unit);
  CHECK(std::isfinite(limit.value));
  CHECK(limit.interval.low > 0);
  CHECK(limit.interval.low < limit.value);
  CHECK(limit.value < limit.interval.high);
}

// By the limits of a place, with a latency of memory between the given seconds; on a device it is a
// multiprocessor's. The three are measured one after another, on a machine that others may use.
void check_in_flight(const std::string& place, double least_s, double most_s, int processors) {
  const Stream& stream = shared_stream(place == "host " ? Place::host : Place::device);
  const double latency = measure_limit(place + "latency", stream).value;
  const double read = measure_limit(place + "read", stream).value;
  const double in_flight = measure_limit(place + "in flight", stream).value;
  CHECK(latency > least_s);
  CHECK(latency < most_s);
  CHECK(in_flight * processors > read * latency / 10);
  CHECK(in_flight * processors < read * latency * 10);
}

TEST_CASE("limits: every host limit is positive and finite", "[limits]") {
  CHECK(limit_names(Place::host).size() >= 5);
  check_all(Place::host);
  check_by_name("host fma f32", "FLOP/s", Place::host);
  check_by_name("host add-min i32", "op/s", Place::host);
}

TEST_CASE("limits: a pointer chase comes to every place once", "[limits]") {
  for (const std::uint32_t count : {1u, 2u, 3u, 64u, 97u, 1000u, 46'368u}) {
    CAPTURE(count);
    const std::vector<std::uint32_t> next = detail::chain(count);
    std::set<std::uint32_t> seen;
    std::uint32_t at = 0;
    int near = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      CHECK_NOTHROW(next.at(at));
      near += next[at] == at + 1;
      at = next[at];
      seen.insert(at);
    }
    CHECK(seen.size() == count);
    CHECK(at == 0);
    if (count >= 64) CHECK(near <= 1);
  }
}

TEST_CASE("limits: what is in flight is the read rate times the latency", "[limits]") {
  check_in_flight("host ", 5e-9, 1e-5, 1);  // no cache is that large and that fast
}

TEST_CASE("limits: no two share a name; another name, or of the other place, throws", "[limits]") {
  std::set<std::string_view> seen;
  for (const Place place : {Place::host, Place::device}) {
    for (const std::string_view limit : limit_names(place)) CHECK(seen.insert(limit).second);
  }
  CHECK(seen.contains("host copy"));
  for (const std::string wanted : {"warp speed", "", "device copy"}) {
    const std::string text =
        message_of<Failure>([&] { measure_limit(wanted, shared_stream(Place::host)); });
    CHECK(mentions(text, "'" + wanted + "'"));
  }
}

#if PORTCOST_HAS_CUDA
TEST_CASE("limits: every device limit is positive and finite", "[limits][gpu]") {
  need_device();
  CHECK(limit_names(Place::device).size() >= 8);
  check_all(Place::device);
  check_by_name("fma f32", "FLOP/s", Place::device);
}

TEST_CASE("limits: a multiprocessor has its share of rate times latency", "[limits][gpu]") {
  need_device();
  // The last cache answers in 0.2 to 0.3 us, the chase on an H200 in 0.35 us a load.
  check_in_flight("device ", 3e-7, 5e-6, processors(Place::device));
}
#else
TEST_CASE("limits: without CUDA there are no device limits", "[limits]") {
  CHECK(limit_names(Place::device).empty());
}
#endif

}  // namespace
}  // namespace portcost::test::test_limits
