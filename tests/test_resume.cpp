// SPDX-License-Identifier: Apache-2.0
// Going on with a campaign: what a record holds becomes results again, and must belong to it.
#include "perf/command/resume.hpp"

#include "tests/quick_campaign.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_resume {

constexpr Place place = kokkos_place();

Group group_of(const std::string& size = "nx=70,ny=35") {
  return plan_of(naive_pair, quick_settings(size)).at(0);
}

// Limits as measured: of each that the group's cost names.
std::vector<Json> limits_of(const Group& group) {
  std::vector<Json> rows;
  for (const Amount& amount : cost_in(place, *group.algorithm, group.problem)) {
    rows.push_back(to_json(Limit{amount.limit, 1e11, "B/s", {0.99e11, 1.01e11}}));
  }
  return rows;
}

// A result of 24 blocks whose sides take 1.07 and one microsecond; of a null both take one.
Result made_up(const Group& group, int id, Role role = Role::pair) {
  Result result;
  result.id = id;
  result.role = role;
  result.algorithm = group.algorithm->name;
  result.step = "naive";
  result.problem = group.problem;
  result.regime = group.regime;
  for (const Variant* variant : group.variants) {
    SideResult side;
    side.variant = variant_name(*group.algorithm, *variant);
    side.model = name(variant->model);
    side.step = variant->step;
    side.first_run_s = 1e-5;
    result.sides.push_back(side);
  }
  if (role == Role::solo) result.sides.resize(1);
  result.truth = "drawn nodes";
  result.cost = cost_in(place, *group.algorithm, group.problem);
  Measurement& m = result.measurement;
  for (int i = 0; i < 24 * static_cast<int>(result.sides.size()); ++i) {
    Sample sample;
    sample.side = i % static_cast<int>(result.sides.size());
    sample.block = i / static_cast<int>(result.sides.size());
    sample.batch = 17;
    const double seconds = sample.side == 0 && role != Role::null ? 1.07e-6 / 3 : 1e-6 / 3;
    sample.timing = {seconds, 2 * seconds};
    sample.kept = sample.block < 22;
    m.samples.push_back(sample);
  }
  m.blocks = 22;
  m.dropped = 2;
  m.batch = 17;
  m.stop = Stop::time;
  std::optional<Interval> noise;
  if (role != Role::null) noise = Interval{0.99, 1.01};
  conclude(result, limits_from(limits_of(group)), noise);
  return result;
}

RecordPart part_of(const std::vector<Result>& results, const Group& group) {
  RecordPart part;
  part.limits = limits_of(group);
  for (const Result& result : results) {
    part.results.push_back(Json::parse(to_json(result).dump()));
    part.samples[result.id] = result.measurement.samples;
  }
  return part;
}

// `result` as it comes back from a record.
std::string back(const Result& result, const Group& group) {
  return to_json(FinishedResults(part_of({result}, group)).result(group, result).value()).dump();
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

TEST_CASE("resume: a result comes back from its row as it was", "[resume][gpu]") {
  const Group group = group_of();
  Result wrong = made_up(group, 1);
  wrong.agrees = false;
  wrong.disagreement = "7 elements differ";
  wrong.failed = {"heat2d/naive/kokkos"};
  wrong.defect = {"it is off", "why", "where/it/is"};
  CHECK(back(wrong, group) == to_json(wrong).dump());
  for (const Role role : {Role::pair, Role::best, Role::null, Role::solo}) {
    const Result result = made_up(group, 5, role);
    CAPTURE(name(role));
    CHECK(back(result, group) == to_json(result).dump());
    CHECK(result.measured());
  }
}

TEST_CASE("resume: whatever a row concludes, its samples decide", "[resume][gpu]") {
  const Group group = group_of();
  const Result pair = made_up(group, 5);
  RecordPart part = part_of({pair}, group);
  part.results[0]["ratio"] = 7;
  part.results[0]["verdict"] = "faster";
  const Result held = FinishedResults(part).result(group, pair).value();

  CHECK(held.verdict == Verdict::slower);
  CHECK(held.ratio.value == pair.ratio.value);
}

TEST_CASE("resume: a damaged row is refused by its id", "[resume][gpu]") {
  const Group group = group_of();
  for (const char* field : {"allocations", "load", "sides", "role"}) {
    RecordPart part = part_of({made_up(group, 5)}, group);
    part.results[0].erase(field);
    const std::string text = message_of<UsageError>([&] { FinishedResults{part}; });
    CHECK(mentions(text, "result 5"));
    CHECK(mentions(text, "measure again"));
  }
  for (const char* field : {"role", "regime", "type", "stop"}) {
    RecordPart part = part_of({made_up(group, 5)}, group);
    part.results[0][field] = "warm";
    CHECK(mentions(message_of<UsageError>([&] { FinishedResults{part}; }),
                   std::string("its ") + field + " is 'warm', which this version does not know"));
  }
}

TEST_CASE("resume: a group counts as complete only when something follows it", "[resume][gpu]") {
  const Group first = group_of(), second = group_of("nx=9,ny=9");
  const std::vector<Result> results{made_up(first, 0, Role::null), made_up(first, 1),
                                    made_up(second, 2, Role::null)};
  RecordPart part = part_of(results, group_of());
  const FinishedResults finished(part);

  CHECK(finished.whole_group(first, 0).size() == 2);
  CHECK(finished.whole_group(second, 2).empty());
  CHECK(finished.whole_group(second, 3).empty());
  CHECK(finished.holds(2));
  CHECK_FALSE(finished.holds(3));
  part.ended = true;
  CHECK(FinishedResults(part).whole_group(second, 2).size() == 1);
}

TEST_CASE("resume: a row that is planned otherwise is refused", "[resume][gpu]") {
  const Group group = group_of();
  const FinishedResults finished(part_of({made_up(group, 0)}, group));

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

TEST_CASE("resume: another command, machine, build, commit, seed is refused", "[resume]") {
  const Json held = made_up_header();
  CHECK_NOTHROW(check_same_campaign(held, made_up_header(), "run.jsonl.part"));
  const auto refusal = [&](const Json& change) {
    Json now = made_up_header();
    now.update(change);
    return message_of<UsageError>([&] { check_same_campaign(held, now, "run.jsonl.part"); });
  };
  CHECK(mentions(refusal({{"arguments", {"sum"}}}), "`portcost bench heat2d --seed 7`"));
  CHECK(mentions(refusal({{"machine", {{"processor", "B"}, {"cores", 4}}}}),
                 "processor: then \"A\", now \"B\""));
  CHECK(mentions(refusal({{"build", {{"compiler", "Clang"}}}}), "compiler"));
  CHECK(mentions(refusal({{"commit", "def"}}), "commit"));
  CHECK(mentions(refusal({{"like", {{"seed", 3}}}}), "was measured without --like"));
  CHECK(mentions(refusal({{"seed", 8}}), "another seed (then 7, now 8)"));
  CHECK(mentions(refusal({{"settings", {{"seconds", 2.0}}}}), "settings"));
  CHECK(mentions(refusal({{"ranks", {{"count", 2}}}}),
                 "by other processes (count: then null, now 2)"));
}

}  // namespace portcost::test::test_resume
