// SPDX-License-Identifier: Apache-2.0
// Going on with a campaign: what a record holds becomes results again, and must belong to it.
#include "perf/command/resume.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/support/error.hpp"
#include "tests/quick_campaign.hpp"
#include "tests/support.hpp"
#include "variants/catalogue.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::test::test_resume {

namespace {

constexpr Place place = kokkos_place();

Group group_of(const std::string& size = "nx=70,ny=35") {
  return plan_of(naive_pair, quick_settings(size)).at(0);
}

SideResult made_up_side(const Group& group, const Variant& variant, double seconds) {
  return {variant_name(*group.algorithm, variant),
          name(variant.model),
          variant.step,
          10 * seconds,
          {seconds, 1.1 * seconds, 1.2 * seconds, 1.3 * seconds},
          {2 * seconds, 2.1 * seconds, 2.2 * seconds, 2.3 * seconds},
          0.4,
          {0.39, 0.41}};
}

// A result as measuring would give it, with made-up times and no samples.
Result made_up(const Group& group, int id, Role role = Role::pair) {
  Result result;
  result.id = id;
  result.role = role;
  result.algorithm = group.algorithm;
  result.step = "naive";
  result.problem = group.problem;
  result.regime = group.regime;
  for (const Variant* variant : group.variants) {
    result.sides.push_back(made_up_side(group, *variant, 1e-6 / 3));
  }
  result.ratio = {1.07, {1.05, 1.09}, 12, Unit::block};
  result.wall_ratio = {1.17, {1.15, 1.19}, 12, Unit::block};
  result.noise = Interval{0.99, 1.01};
  result.verdict = judge(result.ratio.interval, *result.noise);
  result.truth = "drawn nodes";
  result.cost = cost_in(place, *group.algorithm, group.problem);
  result.limit = {result.cost[0].limit, 1e11, "B/s", {0.99e11, 1.01e11}};
  result.floor_s = result.cost[0].amount / 1e11;
  result.measurement.blocks = 24;
  result.measurement.dropped = 2;
  result.measurement.batch = 17;
  result.measurement.stop = Stop::time;
  return result;
}

RecordPart part_of(const std::vector<Result>& results) {
  RecordPart part;
  for (const Result& result : results) part.results.push_back(to_json(result));
  return part;
}

Json made_up_header() {
  return {{"version", "1"},
          {"commit", "abc"},
          {"arguments", {"heat2d", "--seed", "7"}},
          {"seed", 7},
          {"machine", {{"processor", "A"}, {"cores", 4}}},
          {"build", {{"compiler", "GNU"}}},
          {"settings", {{"seconds", 1.0}}}};
}

}  // namespace

TEST_CASE("resume: a result comes back from its row as it was", "[resume][gpu]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const Group group = group_of();
  for (const Role role : {Role::pair, Role::best, Role::null}) {
    const Json row = Json::parse(to_json(made_up(group, 5, role)).dump());

    const Result back = result_from(row, group);

    CHECK(to_json(back).dump() == row.dump());
    CHECK(back.measured());
  }
}

TEST_CASE("resume: units that are processes come back as well", "[resume][gpu]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const Group group = group_of();
  Result result = made_up(group, 5);
  result.measurement.processes = 3;
  result.ratio.unit = result.wall_ratio.unit = Unit::process;
  result.ratio.units = result.wall_ratio.units = 3;
  const Json row = to_json(result);

  const Result back = result_from(row, group);

  CHECK(back.ratio.unit == Unit::process);
  CHECK(to_json(back).dump() == row.dump());
}

TEST_CASE("resume: answers that differ and a single side come back as well", "[resume][gpu]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const Group group = group_of();
  Result wrong = made_up(group, 1), solo = made_up(group, 2, Role::solo);
  wrong.agrees = false;
  wrong.disagreement = "7 elements differ";
  solo.sides.resize(1);
  for (const Result& result : {wrong, solo}) {
    const Json row = to_json(result);
    CHECK(to_json(result_from(row, group)).dump() == row.dump());
  }
}

TEST_CASE("resume: a damaged row is refused by its id", "[resume][gpu]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const Group group = group_of();
  Json row = to_json(made_up(group, 5));
  row.erase("ratio_low");

  const std::string text = message_of<UsageError>([&] { result_from(row, group); });

  CHECK(text.find("result 5") != std::string::npos);
  CHECK(text.find("measure again") != std::string::npos);
}

TEST_CASE("resume: a group counts as complete only when something follows it", "[resume][gpu]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const Group first = group_of(), second = group_of("nx=9,ny=9");
  const std::vector<Result> results{made_up(first, 0, Role::null), made_up(first, 1),
                                    made_up(second, 2, Role::null)};
  RecordPart part = part_of(results);
  const FinishedResults finished(part);

  CHECK(finished.whole_group(first, 0).size() == 2);
  CHECK(finished.whole_group(second, 2).empty());
  CHECK(finished.whole_group(second, 3).empty());
  CHECK(finished.holds(2));
  CHECK_FALSE(finished.holds(3));
  part.ended = true;
  CHECK(FinishedResults(part).whole_group(second, 2).size() == 1);
}

TEST_CASE("resume: the same size named twice is two groups", "[resume][gpu]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const Group group = group_of();
  std::vector<Result> results;
  for (int id = 0; id < 6; ++id) results.push_back(made_up(group, id));
  REQUIRE(group.results() == 3);
  RecordPart part = part_of(results);
  part.ended = true;

  CHECK(FinishedResults(part).whole_group(group, 0).size() == 3);
  CHECK(FinishedResults(part).whole_group(group, 3).size() == 3);
}

TEST_CASE("resume: a row that is planned otherwise is refused", "[resume][gpu]") {
  if (PORTCOST_HAS_CUDA) need_device();
  const Group group = group_of();
  const FinishedResults finished(part_of({made_up(group, 0)}));

  CHECK(finished.result(group, made_up(group, 0)).has_value());
  CHECK_FALSE(finished.result(group, made_up(group, 1)).has_value());
  CHECK_THROWS_AS(finished.result(group, made_up(group, 0, Role::null)), UsageError);
  CHECK_THROWS_AS(finished.result(group_of("nx=9,ny=9"), made_up(group, 0)), UsageError);
}

TEST_CASE("resume: limits are taken from the record", "[resume]") {
  RecordPart part;
  part.limits.push_back(to_json(Limit{"host copy", 2.5e10, "B/s", {0, 0}}));
  const FinishedResults finished(part);

  CHECK(finished.limit("host copy")->value == 2.5e10);
  CHECK_FALSE(finished.limit("launch").has_value());
}

TEST_CASE("resume: another command, machine, build, commit or seed is refused by name",
          "[resume]") {
  const Json held = made_up_header();
  CHECK_NOTHROW(check_same_campaign(held, made_up_header(), "run.jsonl.part"));
  const auto refusal = [&](const Json& change) {
    Json now = made_up_header();
    now.update(change);
    return message_of<UsageError>([&] { check_same_campaign(held, now, "run.jsonl.part"); });
  };
  CHECK(refusal({{"arguments", {"sum"}}}).find("`portcost bench heat2d --seed 7`") !=
        std::string::npos);
  CHECK(refusal({{"machine", {{"processor", "B"}, {"cores", 4}}}})
            .find("processor: then \"A\", now \"B\"") != std::string::npos);
  CHECK(refusal({{"build", {{"compiler", "Clang"}}}}).find("compiler") != std::string::npos);
  CHECK(refusal({{"commit", "def"}}).find("commit") != std::string::npos);
  CHECK(refusal({{"like", {{"seed", 3}}}}).find("was measured without --like") !=
        std::string::npos);
  CHECK(refusal({{"seed", 8}}).find("another seed (then 7, now 8)") != std::string::npos);
  CHECK(refusal({{"settings", {{"seconds", 2.0}}}}).find("settings") != std::string::npos);
  CHECK(refusal({{"ranks", {{"count", 2}}}}).find("by other processes (count: then null, now 2)") !=
        std::string::npos);
}

}  // namespace portcost::test::test_resume
