// SPDX-License-Identifier: Apache-2.0
// Numbers of a campaign's rows that follow from others: the floor from the cost and the limit, the
// best from the ladder's medians.
#include <catch2/catch_approx.hpp>

#include "tests/quick_campaign.hpp"
#include "tests/sampler_fakes.hpp"

namespace portcost::test::test_rows_of_campaign {

namespace {

constexpr Place place = kokkos_place();

std::vector<Result> measure(const std::string& filter, const std::string& size,
                            const Limit& limit) {
  CampaignSettings settings = quick_settings(size, 8, 8);
  settings.sampler.seconds = 0.2;
  CampaignRunner runner(shared_stream(place), settings, {{limit.name, limit}}, with_calm_clock());
  return results_of(runner, plan_of(filter, settings).at(0));
}

const std::string copy = place == Place::host ? "host copy" : "device copy";

// Which side took least time on the ladder, peers apart: of Kokkos (true) and native.
std::map<bool, SideResult> fastest(const std::vector<Result>& results) {
  std::map<bool, SideResult> best;
  for (const Result& result : results) {
    if (result.role != Role::pair && result.role != Role::solo) continue;
    for (const SideResult& side : result.sides) {
      if (side.model == "library") continue;
      SideResult& least = best.try_emplace(side.model == "kokkos", side).first->second;
      if (side.device_s.median < least.device_s.median) least = side;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("campaign rows: the floor is the bytes over the limit, or the operations",
          "[campaign][kokkos][gpu]") {
  // Two steps on 70 x 35 nodes, each read and written once.
  for (const Result& row : measure(naive_pair, "nx=70,ny=35,steps=2", {copy, 1e9, "B/s"})) {
    CHECK(row.floor_s == Catch::Approx(2.0 * 2 * 70 * 35 * 4 / 1e9));
  }
  // Eight trips of two stretches of sixteen multiply-adds for each of 1000 numbers.
  const std::string fma = place == Place::host ? "host fma f32" : "fma f32";
  for (const Result& row :
       measure("divergence/uniform/*", "n=1000,diverging=3,trip=2", {fma, 1e9, "FLOP/s"})) {
    CHECK(row.floor_s == Catch::Approx(1000.0 * 8 * 2 * 16 * 2 / 1e9));
  }
}

TEST_CASE("campaign rows: the best of each model is the fastest of its ladder",
          "[campaign][kokkos][gpu]") {
  const auto results = measure("heat2d", "nx=300,ny=300,steps=1", {copy, 1e9, "B/s"});

  REQUIRE(results.back().role == Role::best);
  CHECK(results.back().sides[0].variant == fastest(results)[true].variant);
  CHECK(results.back().sides[1].variant == fastest(results)[false].variant);
}

// Steps that answer for themselves cannot be the best, however fast they are.
TEST_CASE("campaign rows: a step with an answer of its own is in no best against best",
          "[campaign][kokkos][gpu]") {
  const CampaignSettings settings = quick_settings("nx=70,ny=35,steps=1", 2, 2);
  Group group = plan_of("heat2d", settings).at(0);
  Algorithm algorithm = *group.algorithm;
  group.algorithm = &algorithm;
  const auto measured = [&] {
    CampaignRunner runner(shared_stream(place), settings, {{copy, {copy, 1e9, "B/s"}}},
                          with_calm_clock());
    return results_of(runner, group);
  };

  algorithm.other_answers.assign(algorithm.steps.begin() + 1, algorithm.steps.end());
  const std::vector<Result> one = measured();
  REQUIRE(one.size() == static_cast<std::size_t>(group.results()));
  REQUIRE(one.back().role == Role::best);
  for (const SideResult& side : one.back().sides) CHECK(side.step == algorithm.steps[0]);
  for (const Result& result : one) {
    if (result.role == Role::null) continue;
    CAPTURE(result.step);
    const bool own = !algorithm.shares_answer(result.sides[0].step);
    CHECK(to_json(result).value("own_answer", false) == own);
    CHECK(own == (result.sides[0].step != algorithm.steps[0]));
  }

  algorithm.other_answers = algorithm.steps;
  const std::vector<Result> none = measured();
  REQUIRE(none.size() == static_cast<std::size_t>(group.results()));
  CHECK(none.back().role != Role::best);
}

}  // namespace portcost::test::test_rows_of_campaign
