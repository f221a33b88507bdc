// SPDX-License-Identifier: Apache-2.0
// What people read: digits that matter, and never more than 100 columns.
#include "perf/command/result.hpp"

#include "tests/support.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_text {

constexpr std::size_t columns = 100;

SideResult side(std::string_view model, double seconds) {
  SideResult result;
  result.variant = "heat2d/register_march/" + std::string(model);
  result.model = model;
  result.step = "register_march";
  result.device_s = {seconds, seconds, seconds, seconds};
  result.wall_s = result.device_s;
  result.limit_fraction = 1.234;
  return result;
}

// The widest plausible: long names, the largest problem a GPU of today holds, many digits.
Result widest(Role role, double ratio = 1.234) {
  Result result;
  result.role = role;
  result.algorithm = "heat2d";
  result.step = role == Role::best ? "best" : "register_march";
  result.problem.size = Size({{"nx", 100'000}, {"ny", 100'000}, {"steps", 100'000}});
  result.problem.type = ElementType::f64;
  result.sides = {side("kokkos", 0.00999), side("openmp", 0.00999)};
  result.ratio = {ratio, {ratio, ratio}, 8, Unit::allocation};
  result.noise = Interval{0.998, 1.003};
  result.verdict = Verdict::faster;
  result.limit = {"link from device pageable", 9.994e12, "B/s", {9.98e12, 9.996e12}};
  result.floor_s = 0.00999;
  result.measurement.blocks = 400;
  return result;
}

// The table of these results. No line of it is too long.
std::string table_of(const std::vector<Result>& results) {
  const std::string table = group_table(results);
  CAPTURE(table);
  for (const std::string& line : lines_of(table)) CHECK(line.size() <= columns);
  return table;
}

Result throttled() {
  Result result = widest(Role::pair);
  result.measurement.blocks = 0;
  result.measurement.stop = Stop::throttled;
  return result;
}

Result alone() {
  Result result = widest(Role::solo);
  result.sides.pop_back();
  return result;
}

TEST_CASE("readable time: three digits and the unit that suits; no time is a dash", "[text]") {
  // Rounding never shows 1000 of a unit or a fourth digit.
  for (const auto& [seconds, text] : {std::pair{0.412e-3, "412 us"},
                                      {61.3e-6, "61.3 us"},
                                      {2.04, "2.04 s"},
                                      {5e-9, "5.00 ns"},
                                      {12.34e-3, "12.3 ms"},
                                      {1234.0, "1234 s"},
                                      {0.9994e-3, "999 us"},
                                      {0.9996e-3, "1.00 ms"},
                                      {0.9996e-6, "1.00 us"},
                                      {0.9996, "1.00 s"},
                                      {9.996e-3, "10.0 ms"},
                                      {99.96e-3, "100 ms"},
                                      {0.0, "-"},
                                      {-1.0, "-"},
                                      {std::numeric_limits<double>::quiet_NaN(), "-"}}) {
    CHECK(readable_time(seconds) == text);
  }
}

TEST_CASE("readable limit: rates in G or T, launches as a time, intervals", "[text]") {
  CHECK(readable_limit({"device copy", 4.29e12, "B/s"}) == "4290 GB/s");
  CHECK(readable_limit({"fma f32", 33.1e12, "FLOP/s"}) == "33.1 TFLOP/s");
  CHECK(readable_limit({"launch", 6.7e-6, "s"}) == "6.70 us");
  CHECK(readable_limit({"host exchange 8 B", 12e6, "B/s"}) == "12.0 MB/s");
  CHECK(readable_limit({"device exchange staged 8 B", 38.6e3, "B/s"}) == "38.6 kB/s");
  CHECK(readable_limit({"device in flight", 25'000, "B"}) == "25.0 kB");
  CHECK(readable_interval({"device copy", 4.29e12, "B/s", {4.28e12, 4.3e12}}) == " [4280, 4300]");
  CHECK(readable_interval({"fma f32", 33.1e12, "FLOP/s", {33e12, 33.2e12}}) == " [33.0, 33.2]");
  CHECK(readable_interval({"device in flight", 25'000, "B", {24'000, 26'000}}) == " [24.0, 26.0]");
  CHECK(readable_interval({"launch", 6.7e-6, "s", {6.6e-6, 6.8e-6}}) == " [6.60 us, 6.80 us]");
  CHECK(readable_interval({"fma f32", 33.1e12, "FLOP/s"}).empty());
}

TEST_CASE("progress line: one line of what, size and ratio, or what went wrong", "[text]") {
  const std::string line = progress_line(widest(Role::pair), 3, 40);

  CHECK(line.starts_with("[  3/40] heat2d/register_march nx=100000,ny=100000,"));
  CHECK(mentions(line, "f64 cold: 1.234"));
  CHECK(line.size() <= columns);
  CHECK(progress_line(widest(Role::null), 3, 40).size() <= columns);
  CHECK(progress_line(widest(Role::best), 999, 999).size() <= columns);
  Result wrong = widest(Role::pair);
  wrong.agrees = false;

  CHECK(mentions(progress_line(wrong, 1, 1), "ANSWERS DIFFER"));
  CHECK_FALSE(mentions(progress_line(wrong, 1, 1), "1.234"));
  CHECK(mentions(progress_line(throttled(), 1, 1), "throttled"));
}

TEST_CASE("group table: at most 100 columns, whatever is in it, empty of nothing", "[text]") {
  table_of({widest(Role::null), widest(Role::pair), alone(), widest(Role::best),
            widest(Role::pair, 0.123)});
  table_of({widest(Role::pair, 12.345), widest(Role::pair, 123.456)});
  CHECK(mentions(table_of({throttled()}), "not measured: throttled"));
  CHECK(group_table({}).empty());
}

TEST_CASE("group table: answers that differ fit too, and show no times", "[text]") {
  Result wrong = widest(Role::pair);
  wrong.agrees = false;
  wrong.disagreement =
      "heat2d/register_march/kokkos against heat2d/register_march/openmp: 207360000 of 207360000 "
      "elements differ; first at [14399][14399]: 0.12345678901234567 against 0.12345678901234567 "
      "(rule: bit for bit)";

  const std::string table = table_of({wrong});

  CHECK(mentions(table, "ANSWERS DIFFER"));
  CHECK(mentions(table, "207360000 of"));
  CHECK_FALSE(mentions(table, "1.234 ["));
}

TEST_CASE("group table: head, limit, noise floor and a row a result", "[text]") {
  Result first = widest(Role::null);
  first.other_floors = {{"fma f64", 2e-3}};
  const std::string table = group_table({first, widest(Role::pair), widest(Role::best)});

  CHECK(mentions(table, "heat2d  nx=100000,ny=100000,steps=100000  f64  cold"));
  CHECK(mentions(table,
                 "limit: link from device pageable 9994 GB/s [9980, 9996], least time 9.99 ms; "
                 "fma f64 alone 2.00 ms"));
  CHECK(mentions(table, "noise floor [0.998, 1.003] (register_march against itself)"));
  CHECK(mentions(table, "equal: within [0.995, 1.005]"));
  CHECK(mentions(table, "openmp"));
  CHECK(mentions(table, "1.234 [1.234, 1.234] faster"));
  CHECK(mentions(table, "best: heat2d/register_march/kokkos against heat2d/register_march/openmp"));
}

TEST_CASE("group table: a noise floor that excludes 1, and too few units, are said", "[text]") {
  Result null = widest(Role::null);
  CHECK(mentions(table_of({null}), "THE NOISE FLOOR EXCLUDES 1"));

  null.ratio.interval = {0.99, 1.01};
  CHECK_FALSE(mentions(group_table({null}), "EXCLUDES 1"));
  for (const auto& [low, high, verdict] : {std::tuple{0.96, 1.01, "not slower"},
                                           {0.99, 1.04, "not faster"},
                                           {0.96, 1.04, "unclear"}}) {
    Result row = widest(Role::pair);
    row.verdict = Verdict::unclear;
    row.ratio.interval = {low, high};
    CHECK(mentions(table_of({row}), std::string("] ") + verdict + '\n'));
    row.disturbed = "others";
    CHECK(mentions(group_table({row}), "] unclear\n"));
  }
  Result few = widest(Role::pair);
  few.ratio.units = 7;
  few.undecided = "7 of 8 pairs of blocks: --seconds 2 would do";

  const std::string table = table_of({few});

  CHECK(mentions(table, "1.234 no verdict\n"));
  CHECK_FALSE(mentions(table, "1.234 ["));
  CHECK(mentions(table, "    7 of 8 pairs of blocks: --seconds 2 would do\n"));
}

TEST_CASE("group table: a disturbed row says by what, several processes their unit", "[text]") {
  Result pair = widest(Role::pair), solo = alone();
  pair.disturbed = solo.disturbed = "other processes took 1.0 of 2 processors";
  pair.undecided = "disturbed: " + pair.disturbed;

  for (const Result& result : {pair, solo}) {
    CHECK(mentions(group_table({result}),
                   "    disturbed: other processes took 1.0 of 2 processors\n"));
  }
  Result result = widest(Role::pair);
  CHECK_FALSE(mentions(group_table({result}), "processes"));
  result.measurement.processes = 3;
  for (int process = 0; process < 3; ++process) {
    result.measurement.samples.push_back({.timing = {1, 1}, .process = process});
  }

  CHECK(mentions(table_of({result}), "\n  3 processes; the unit of an interval is the process\n"));
}

}  // namespace portcost::test::test_text
