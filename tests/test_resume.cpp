// SPDX-License-Identifier: Apache-2.0
// Going on with a campaign: what a record holds becomes results again, and must belong to it. Noise
// floor and best against best of the steps that another process has chosen.
#include "perf/command/resume.hpp"
#include "tests/process_records.hpp"
#include "tests/sampler_fakes.hpp"
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

// A result of 24 blocks whose sides take 1.07 and one second; of a null both take one.
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
  m = made_up_measurement(12, {role == Role::null ? 1 : 1.07}, 1,
                          static_cast<int>(result.sides.size()));
  for (Sample& sample : m.samples) {
    sample.batch = 17;
    sample.kept = sample.block < 22;
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
  // Whatever a row concludes, its samples decide.
  const Result pair = made_up(group, 5);
  RecordPart part = part_of({pair}, group);
  part.results[0]["ratio"] = 7;
  part.results[0]["verdict"] = "faster";
  const FinishedResults finished(part);
  CHECK(to_json(finished.result(group, pair).value()).dump() == to_json(pair).dump());
  CHECK(finished.limit(part.limits[0].at("name").get<std::string>())->value == 1e11);
  CHECK_FALSE(finished.limit("launch").has_value());
}

TEST_CASE("resume: a group is complete when something follows it, and must be as planned",
          "[resume][gpu]") {
  const Group first = group_of(), second = group_of("nx=9,ny=9");
  const std::vector<Result> results{made_up(first, 0, Role::null), made_up(first, 1),
                                    made_up(second, 2, Role::null)};
  RecordPart part = part_of(results, group_of());
  const FinishedResults finished(part);

  CHECK(finished.whole_group(first, 0).size() == 2);
  CHECK(finished.whole_group(second, 2).empty());
  CHECK(finished.whole_group(second, 3).empty());
  CHECK(finished.result(first, results[1]).has_value());
  CHECK_FALSE(finished.result(first, made_up(first, 3)).has_value());
  CHECK_THROWS_AS(finished.result(first, made_up(first, 1, Role::null)), UsageError);
  CHECK_THROWS_AS(finished.result(second, results[1]), UsageError);
  CHECK(finished.holds(2));
  CHECK_FALSE(finished.holds(3));
  part.ended = true;
  CHECK(FinishedResults(part).whole_group(second, 2).size() == 1);
}

TEST_CASE("resume: another command, machine, build, commit, seed is refused", "[resume]") {
  const Json held = made_up_header({.seed = 7});
  CHECK_NOTHROW(check_same_campaign(held, held, "run.jsonl.part"));
  const auto refusal = [&](const Json& change) {
    Json now = held;
    now.update(change);
    return message_of<UsageError>([&] { check_same_campaign(held, now, "run.jsonl.part"); });
  };
  CHECK(mentions(refusal({{"arguments", {"sum"}}}), "`portcost bench heat2d --seed 7`"));
  CHECK(mentions(refusal({{"machine", {{"processor", "B"}, {"cores", 4}, {"affinity", "0-7"}}}}),
                 "processor: then \"Made-up CPU\", now \"B\""));
  CHECK(mentions(refusal({{"build", {{"compiler", "Clang"}}}}), "compiler"));
  CHECK(mentions(refusal({{"commit", "def"}}), "commit"));
  CHECK(mentions(refusal({{"like", {{"seed", 3}}}}), "was measured without --like"));
  CHECK(mentions(refusal({{"seed", 8}}), "another seed (then 7, now 8)"));
  CHECK(mentions(refusal({{"settings", {{"seconds", 2.0}}}}), "settings"));
  CHECK(mentions(refusal({{"ranks", {{"count", 2}}}}),
                 "by other processes (count: then null, now 2)"));
}

const std::string native = place == Place::host ? "openmp" : "cuda";
// A second native step, beside naive.
const std::string second = place == Place::host ? "blocked" : "full_halo";

std::vector<Group> groups_of(const std::string& filter, const std::string& size = "nx=70,ny=35") {
  return plan_of(filter, quick_settings(size));
}

// The row of a result with these steps, Kokkos's first, as far as a choice looks at it.
Json row(const Group& group, const std::string& role, const std::vector<std::string>& variants) {
  Json result = failure_of(group, *group.variants.front());  // says of which problem
  result.update(Json{{"id", 0}, {"role", role}, {"sides", Json::array()}});
  for (const std::string& variant : variants) {
    result["sides"].push_back({{"variant", "heat2d/" + variant}});
  }
  return result;
}

// Two steps of each model; noise floor and best are of other steps than the first native one.
std::vector<Json> rows(const Group& group) {
  return {row(group, "null", {second + '/' + native, second + '/' + native}),
          row(group, "pair", {"naive/kokkos", "naive/" + native}),
          row(group, "solo", {"full_halo/kokkos"}), row(group, "solo", {second + '/' + native}),
          row(group, "best", {"naive/kokkos", second + '/' + native})};
}

std::string write(const TemporaryFolder& folder, const std::vector<Json>& results,
                  bool ended = true) {
  const std::string path = folder.file("a.jsonl");
  std::string text = R"({"kind":"header","format":3,"date":"D","seed":7})"
                     "\n";
  for (const Json& one : results) {
    Json line{{"kind", "result"}, {"samples", 0}};
    line.update(one);
    text += line.dump() + '\n';
  }
  if (ended)
    text += R"({"kind":"end","results":4})"
            "\n";
  write_file(path, text);
  return path;
}

std::vector<Group> two_step_groups() {
  need_measured_place();
  const std::vector<std::string> filters{naive_pair, "heat2d/full_halo/kokkos",
                                         "heat2d/" + second + '/' + native};
  return plan(select_variants(filters), quick_settings("nx=70,ny=35"), place);
}

std::string refusal(const std::vector<Json>& results, const std::vector<Group>& groups,
                    bool ended = true) {
  const TemporaryFolder folder;
  return message_of<UsageError>(
      [&] { LikeRecord(write(folder, results, ended)).check(groups, false); });
}

TEST_CASE("like: the choice is the record's", "[like][gpu]") {
  const TemporaryFolder folder;
  const auto groups = two_step_groups();
  const LikeRecord like(write(folder, rows(groups[0])));

  CHECK_NOTHROW(like.check(groups, false));
  const Chosen chosen = like.choice(groups[0]);
  CHECK(chosen.null->step == second);
  CHECK(chosen.null->model != Model::kokkos);
  REQUIRE(chosen.kokkos.size() == 1);
  CHECK(chosen.kokkos[0]->step == "naive");
  CHECK(chosen.kokkos[0]->model == Model::kokkos);
  CHECK(chosen.native->step == second);
  CHECK(like.identity() == Json{{"date", "D"}, {"seed", 7}});
}

TEST_CASE("like: a record without a group or with other variants is refused", "[like][gpu]") {
  const auto groups = two_step_groups(), one = groups_of(naive_pair),
             other = groups_of(naive_pair, "nx=9,ny=9");
  auto warmer = rows(groups[0]);
  for (Json& each : warmer) each["parameters"]["alpha"] = 0.5;

  CHECK(mentions(refusal(rows(groups[0]), other), "it has not measured heat2d nx=9,ny=9,steps=1"));
  CHECK(mentions(refusal(warmer, groups), "it has not measured heat2d nx=70"));
  CHECK(mentions(refusal(rows(groups[0]), one),
                 "which is not measured here: give the filter of then"));
  CHECK(mentions(refusal({rows(groups[0])[0], rows(groups[0])[2], rows(groups[0])[3]}, groups),
                 "lacks heat2d/naive/"));
  CHECK(mentions(refusal(rows(groups[0]), groups, false), "has no end line"));
  CHECK(mentions(refusal({Json{{"id", 3}}}, groups), "a result is damaged"));
  CHECK(refusal(rows(groups[0]), groups) == "(nothing thrown)");
}

TEST_CASE("like: of a full campaign hot groups may be missing, cold ones may not", "[like][gpu]") {
  const TemporaryFolder folder;
  auto groups = two_step_groups();
  const LikeRecord like(write(folder, {row(groups[0], "solo", {"other/kokkos"})}));
  groups[0].problem.size = Size({{"nx", 1}});

  CHECK_NOTHROW(like.check(groups, true));
  CHECK_THROWS_AS(like.check(groups, false), UsageError);
  groups[0].regime = Regime::cold;
  CHECK_THROWS_AS(like.check(groups, true), UsageError);
}

TEST_CASE("like: a campaign measures what was chosen, not what is fastest", "[like][kokkos][gpu]") {
  const TemporaryFolder folder;
  const auto groups = two_step_groups();
  const std::string limit = place == Place::host ? "host copy" : "device copy";
  for (const std::string& step : {std::string("naive"), second}) {
    const std::string portable = step == "naive" ? "naive" : "full_halo";
    auto chosen = rows(groups[0]);
    chosen.front() = row(groups[0], "null", {step + '/' + native, step + '/' + native});
    chosen.back() = row(groups[0], "best", {portable + "/kokkos", step + '/' + native});
    const LikeRecord like(write(folder, chosen));
    Instruments with = with_calm_clock();
    with.chooser = [&](const Group& group) { return like.choice(group); };
    CampaignRunner runner(shared_stream(place), quick_settings("nx=70,ny=35"),
                          {{limit, {limit, 1e9, "B/s"}}}, std::move(with));

    const std::vector<Result> results = results_of(runner, groups[0]);

    REQUIRE(results.size() >= 4);
    CHECK(results.front().role == Role::null);
    CHECK(results.front().step == step);
    CHECK(results.back().role == Role::best);
    CHECK(results.back().sides[0].step == portable);
    CHECK(results.back().sides[1].step == step);
  }
}

}  // namespace portcost::test::test_resume
