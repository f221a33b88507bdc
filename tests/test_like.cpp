// SPDX-License-Identifier: Apache-2.0
// Noise floor and best against best of the steps that another process has chosen.
#include "perf/command/resume.hpp"

#include "tests/quick_campaign.hpp"
#include "tests/sampler_fakes.hpp"

namespace portcost::test::test_like {

constexpr Place place = kokkos_place();
const std::string native = place == Place::host ? "openmp" : "cuda";
// A second native step, beside naive.
const std::string second = place == Place::host ? "blocked" : "full_halo";

std::vector<Group> groups_of(const std::string& filter, const std::string& size = "nx=70,ny=35") {
  return plan_of(filter, quick_settings(size));
}

// The row of a result with these steps, Kokkos's first, as far as a choice looks at it.
Json row(const Group& group, const std::string& role, const std::vector<std::string>& variants) {
  Json result{{"id", 0},
              {"role", role},
              {"algorithm", group.algorithm->name},
              {"size_text", group.problem.size.text()},
              {"parameters", Json::object()},
              {"type", name(group.problem.type)},
              {"regime", name(group.regime)},
              {"sides", Json::array()}};
  for (const auto& [key, value] : group.problem.parameters.entries()) {
    std::visit([&](const auto& one) { result["parameters"][key] = one; }, value);
  }
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
    CampaignRunner runner(shared_stream(place), quick_settings("nx=70,ny=35"),
                          {{limit, {limit, 1e9, "B/s"}}}, with_calm_clock());
    runner.choose_by([&](const Group& group) { return like.choice(group); });

    const std::vector<Result> results = results_of(runner, groups[0]);

    REQUIRE(results.size() >= 4);
    CHECK(results.front().role == Role::null);
    CHECK(results.front().step == step);
    CHECK(results.back().role == Role::best);
    CHECK(results.back().sides[0].step == portable);
    CHECK(results.back().sides[1].step == step);
  }
}

}  // namespace portcost::test::test_like
