// SPDX-License-Identifier: Apache-2.0
// Plans, and campaigns on tiny problems: order, agreement, wrong variants, numbers of rows.
#include <catch2/catch_approx.hpp>

#include "tests/quick_campaign.hpp"
#include "tests/sampler_fakes.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_campaign {

constexpr Place place = kokkos_place();

const Algorithm& heat() { return *catalogue()[0]; }

const Variant& native_naive() {
  return *std::find_if(heat().variants.begin(), heat().variants.end(), [](const Variant& v) {
    return v.place == place && (v.model == Model::openmp || v.model == Model::cuda);
  });
}

CampaignSettings quick() { return quick_settings("nx=70,ny=35,steps=2", 12, 24); }

std::vector<Result> measure(const Group& group) {
  const std::map<std::string, Limit> limits{{"host copy", {"host copy", 1e11, "B/s"}},
                                            {"device copy", {"device copy", 1e11, "B/s"}}};
  CampaignRunner runner(shared_stream(place), quick(), limits, with_calm_clock());
  return results_of(runner, group);
}

// The first algorithm with three sizes of the standard campaign, which is to be planned.
Algorithm of_three_sizes() {
  need_measured_place();
  Algorithm algorithm = heat();
  algorithm.measured = {"64,64,1 8,8,1 16,16,1"};
  return algorithm;
}

CampaignSettings with_sizes(const std::vector<std::string>& sizes) {
  CampaignSettings settings = quick();
  settings.sizes = sizes;
  return settings;
}

// The native variant with one more run once `runs` runs were right, and so a wrong answer.
template <int right_runs>
class OneStepTooMany final : public Execution {
 public:
  explicit OneStepTooMany(std::unique_ptr<Execution> inner) : inner_(std::move(inner)) {}
  int phases() const override { return inner_->phases(); }
  void run(int phase) override {
    inner_->run(phase);
    if (phase == 0 && ++runs_ > right_runs) inner_->run(phase);
  }

 private:
  std::unique_ptr<Execution> inner_;
  int runs_ = 0;
};

template <int right_runs>
std::unique_ptr<Execution> make_wrong(const Problem& problem, Instance& instance) {
  return std::make_unique<OneStepTooMany<right_runs>>(native_naive().make(problem, instance));
}

using Make = std::unique_ptr<Execution> (*)(const Problem&, Instance&);

// A campaign of a native variant against one that calls itself Kokkos and is made by `make`.
std::vector<Result> measure_two(const Variant& native, Make make) {
  Algorithm algorithm = heat();
  algorithm.variants = {native, {"naive", Model::kokkos, place, make}};
  Group group = plan_of(naive_pair, quick()).at(0);
  group.algorithm = &algorithm;
  group.variants = {&algorithm.variants[0], &algorithm.variants[1]};
  return measure(group);
}

bool names_times(const Json& result) {
  const std::string text = result.dump();
  return mentions(text, "ratio") || mentions(text, "_s\"") || mentions(text, "verdict");
}

std::vector<Result> measure(const std::string& filter, const std::string& size,
                            const Limit& limit) {
  CampaignSettings settings = quick_settings(size, 8, 8);
  settings.sampler.seconds = 0.2;
  CampaignRunner runner(shared_stream(place), settings, {{limit.name, limit}}, with_calm_clock());
  return results_of(runner, plan_of(filter, settings).at(0));
}

const std::string copy = place == Place::host ? "host copy" : "device copy";

TEST_CASE("plan: sizes, types and regimes multiply; each limit is named once", "[campaign][gpu]") {
  CampaignSettings settings = with_sizes({"nx=8,ny=8", "nx=9,ny=9"});
  settings.types = {};
  settings.regimes = {Regime::cold, Regime::hot};

  const std::vector<Group> groups = plan_of("heat2d", settings);
  CHECK(groups.size() == 2 * heat().types.size() * 2);
  CHECK(limits_needed(groups, place) ==
        std::vector<std::string>{place == Place::host ? "host copy" : "device copy"});
}

TEST_CASE("plan: cold alone is measured, cold and hot in the full campaign", "[campaign][gpu]") {
  CampaignSettings settings = quick();
  settings.regimes = {};

  REQUIRE(plan_of("heat2d", settings).size() == 1);
  CHECK(plan_of("heat2d", settings)[0].regime == Regime::cold);
  settings.campaign = Campaign::full;
  CHECK(plan_of("heat2d", settings).size() == 2);
}

TEST_CASE("plan: other ways are measured at two sizes, dials at the main one", "[campaign][gpu]") {
  Algorithm algorithm = of_three_sizes();
  Choice choice{&algorithm, {}, {}};
  for (const Variant& variant : algorithm.variants) choice.variants.push_back(&variant);
  CampaignSettings settings = with_sizes({});
  settings.types = {};
  const auto others = [&](bool with_dials) {
    std::vector<long> counts;
    for (const Group& group : plan({choice}, settings, place)) {
      counts.push_back(
          std::count_if(group.variants.begin(), group.variants.end(), [&](const Variant* variant) {
            return variant->way != Way::tuned && variant->dials.empty() != with_dials;
          }));
    }
    return counts;
  };
  const std::vector<long> ways = others(false), dials = others(true);
  const std::size_t of_main = place == Place::device ? 2 : 1;  // groups: one a type
  REQUIRE(ways.size() == of_main + 2);
  CHECK(ways[0] > 0);
  CHECK((dials[0] > 0) == (place == Place::device));
  CHECK((ways[of_main] == ways[0] && dials[of_main] == 0));  // the size after the main one
  CHECK((ways.back() == 0 && dials.back() == 0));
  settings.campaign = Campaign::full;
  for (const long count : others(true)) CHECK(count > 0);
}

TEST_CASE("plan: a host's main size is the largest whose blocks fit their time", "[campaign]") {
  Algorithm algorithm = heat();
  algorithm.measured = {"9,9,1 64,64,1"};
  algorithm.host_sizes = {{{32, 32, 1}, {64, 64, 1}, {128, 128, 1}}, 2};
  const auto sizes = [&](double seconds) {
    std::vector<Group> groups(2);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].algorithm = &algorithm;
      groups[i].problem = {algorithm.sizes(Campaign::standard, Place::host).at(i),
                           parse_parameters("", algorithm.parameter_keys)};
    }
    // f32: 131072 bytes for the largest, in 16 blocks of 2 least times each, at 12 GB/s a thread.
    constexpr int threads = 2;
    seconds /= threads * 12e9 / 131072;
    fit_main_sizes(groups, {{"host copy", {"host copy", 1, "B/s", {}}}}, threads, seconds, true);
    std::vector<std::string> texts;
    for (const Group& group : groups) {
      texts.push_back(group.problem.size.text());
      CHECK(group.each_way == (&group == &groups.front()));  // the main size alone
    }
    return texts;
  };
  const std::string standard = "nx=64,ny=64,steps=1";
  CHECK(sizes(32.1) == std::vector<std::string>{"nx=128,ny=128,steps=1", standard});
  CHECK(sizes(31.9) == std::vector<std::string>{standard});  // once
  CHECK(sizes(0.1) == std::vector<std::string>{"nx=32,ny=32,steps=1", standard});
}

TEST_CASE("plan: a native side goes where no Kokkos form is measured", "[campaign][gpu]") {
  Algorithm algorithm = of_three_sizes();
  const Model native = place == Place::device ? Model::cuda : Model::openmp;
  algorithm.variants = {native_naive(), native_naive()};
  algorithm.variants[1].model = Model::kokkos;
  algorithm.variants[1].way = Way::usual;  // the third size has tuned forms alone
  const Choice choice{&algorithm, {&algorithm.variants[0], &algorithm.variants[1]}, {}};
  CampaignSettings settings = with_sizes({});
  settings.types = {"f32"};

  const std::vector<Group> groups = plan({choice}, settings, place);

  REQUIRE(groups.size() == 2);
  for (const Group& group : groups) {
    CHECK(group.variants.size() == 2);
    CHECK(group.variants[0]->model == native);
  }
}

TEST_CASE("plan: the reference and other places are never measured", "[campaign][gpu]") {
  for (const Algorithm* algorithm : catalogue()) {
    CampaignSettings settings = with_sizes({algorithm->check_sizes()[0].text()});
    settings.types = {};
    for (const Group& group : plan_of(std::string(algorithm->name), settings)) {
      CHECK_FALSE(group.variants.empty());
      for (const Variant* variant : group.variants) {
        CHECK(variant->model != Model::reference);
        CHECK(variant->place == place);
      }
    }
  }
}

TEST_CASE("plan: parameters are one list, with a problem for each value", "[campaign][gpu]") {
  CampaignSettings settings = with_sizes({"nx=8,ny=8"});
  settings.parameters = {"dt=0.1", "alpha=0.5", "dt=0.2"};
  std::vector<double> planned;
  for (const Group& group : plan_of("heat2d", settings)) {
    CHECK(group.problem.parameters.real("alpha") == 0.5);
    const double dt = group.problem.parameters.real("dt");
    if (planned.empty() || planned.back() != dt) planned.push_back(dt);
  }
  CHECK(planned == std::vector<double>{0.1, 0.2});
}

TEST_CASE("campaign: noise floor, ladder, best agree and have times", "[campaign][kokkos][gpu]") {
  const Group group = plan_of("heat2d", quick()).at(0);

  const std::vector<Result> results = measure(group);

  REQUIRE(results.size() == static_cast<std::size_t>(group.results()));
  CHECK(results.front().role == Role::null);
  CHECK(results.back().role == Role::best);
  std::vector<std::string_view> ladder;
  for (std::size_t i = 1; i + 1 < results.size(); ++i) ladder.push_back(results[i].step);
  CHECK(std::is_sorted(ladder.begin(), ladder.end(), [](auto a, auto b) {
    const auto& steps = heat().steps;
    const auto place_of = [&](std::string_view row) {  // without the way of writing
      return std::find(steps.begin(), steps.end(), row.substr(0, row.find_first_of(".:")));
    };
    return place_of(a) < place_of(b);
  }));
  for (std::size_t i = 0; i < results.size(); ++i) CHECK(results[i].id == static_cast<int>(i));
  for (const Result& result : results) {
    CAPTURE(result.step, result.disagreement);
    CHECK(result.agrees);
    CHECK(result.measurement.blocks >= 2);
    for (const SideResult& side : result.sides) {
      CHECK(side.device_s.median > 0);
      CHECK(side.limit_fraction == Catch::Approx(result.floor_s / side.device_s.median));
      CHECK(side.limit_fraction_interval.low <= side.limit_fraction);
      CHECK(side.limit_fraction_interval.high >= side.limit_fraction);
      CHECK(side.first_run_s > 0);
    }
    if (!result.paired()) continue;
    CHECK(result.ratio.interval.low <= result.ratio.value);
    CHECK(result.ratio.value <= result.ratio.interval.high);
    if (result.role == Role::null) continue;
    CHECK(result.sides[0].model == "kokkos");
    CHECK(result.sides[1].model != "kokkos");
    CHECK(result.ratio.unit == Unit::allocation);
    CHECK(result.ratio.units == 8);
    const Verdict verdict =
        result.undecided.empty() ? judge(result.ratio.interval, *result.noise) : Verdict::unclear;
    CHECK(result.verdict == verdict);
  }
}

TEST_CASE("campaign: a wrong variant gives no ratio and no times", "[campaign][kokkos][gpu]") {
  const std::vector<Result> results = measure_two(native_naive(), make_wrong<0>);

  REQUIRE(results.size() == 2);  // no best: nothing portable is right
  CHECK(results[0].agrees);
  CHECK(names_times(to_json(results[0])));
  const Result& pair = results[1];
  CHECK(pair.role == Role::pair);
  CHECK_FALSE(pair.agrees);
  CHECK(pair.measurement.samples.empty());
  CHECK(mentions(pair.disagreement, "elements differ"));
  CHECK(pair.disagreement.find("heat2d/naive/kokkos against heat2d/naive/") == 0);
  const std::size_t blame = pair.disagreement.find(" is wrong: node [");  // of that one alone
  CHECK(pair.disagreement.rfind("; heat2d/naive/kokkos is wrong: ", blame) != std::string::npos);
  CHECK(pair.disagreement.find(" is wrong: ", blame + 1) == std::string::npos);
  const Json row = to_json(pair);
  CHECK(row.at("agrees") == false);
  CHECK(row.at("disagreement") == pair.disagreement);
  CHECK_FALSE(names_times(row));
  CHECK(samples_to_json(pair, "platform").empty());
}

TEST_CASE("campaign: two wrong variants that agree are found", "[campaign][kokkos][gpu]") {
  Variant native = native_naive();
  native.make = make_wrong<0>;

  const std::vector<Result> results = measure_two(native, make_wrong<0>);

  REQUIRE(results.size() == 2);  // A against A, and the pair
  for (const Result& result : results) {
    CHECK_FALSE(result.agrees);
    CHECK(mentions(result.disagreement, "/naive/"));
    CHECK(mentions(result.disagreement, " is wrong: node ["));
    CHECK_FALSE(names_times(to_json(result)));
  }
}

TEST_CASE("campaign: a variant that turns wrong while timed is found", "[campaign][kokkos][gpu]") {
  const std::vector<Result> results = measure_two(native_naive(), make_wrong<4>);

  REQUIRE(results.size() == 2);
  CHECK_FALSE(results[1].agrees);
  CHECK_FALSE(results[1].disagreement.empty());
  CHECK_FALSE(names_times(to_json(results[1])));
}

TEST_CASE("campaign: peers and lone variants have no ratio", "[campaign][kokkos][gpu]") {
  const std::vector<Result> results = measure(plan_of("heat2d/naive/kokkos", quick()).at(0));

  REQUIRE(results.size() == 1);
  CHECK(results[0].role == Role::solo);
  const Json row = to_json(results[0]);
  CHECK_FALSE(row.contains("ratio"));
  CHECK_FALSE(row.contains("verdict"));
  CHECK(row.at("sides").size() == 1);
}

TEST_CASE("record rows: a pair without a kept block has no ratio and no times", "[campaign]") {
  Result result;
  result.role = Role::pair;
  result.algorithm = heat().name;
  result.step = "naive";
  result.sides.resize(2);
  result.measurement.stop = Stop::throttled;
  result.measurement.dropped = 16;

  const Json row = to_json(result);

  CHECK(row.at("stop") == "throttled");
  CHECK_FALSE(row.contains("ratio"));
  CHECK_FALSE(row.contains("verdict"));
  CHECK_FALSE(row.at("sides").at(0).contains("device_s"));
}

TEST_CASE("campaign: noise floor, truth and samples of a pair", "[campaign][kokkos][gpu]") {
  const std::vector<Result> results = measure(plan_of(naive_pair, quick()).at(0));

  REQUIRE(results.size() == 3);
  CHECK(results[0].sides[0].variant == results[0].sides[1].variant);
  CHECK(results[1].noise == results[0].ratio.interval);
  CHECK(results[2].noise == results[0].ratio.interval);
  for (const Result& result : results) {
    CHECK(mentions(result.truth, "recomputed"));
    CHECK(to_json(result).at("truth") == result.truth);
  }
}

TEST_CASE("campaign rows: a floor is bytes or operations by a limit", "[campaign][kokkos][gpu]") {
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

TEST_CASE("campaign rows: the best of each way, the best of all first", "[campaign][kokkos][gpu]") {
  CampaignSettings settings = quick_settings("nx=70,ny=35,steps=1", 2, 2);
  Group group = plan_of("heat2d", settings).at(0);
  group.each_way = true;
  CampaignRunner runner(shared_stream(place), settings, {{copy, {copy, 1e9, "B/s"}}},
                        with_calm_clock());
  const std::vector<Result> results = results_of(runner, group);

  REQUIRE(results.size() == static_cast<std::size_t>(group.results()));
  std::map<std::string, std::string> bests;
  std::map<std::string, std::pair<double, std::string>> fastest_of;
  for (const Result& row : results) {
    if (row.role == Role::best) bests[row.step] = row.sides[0].variant;
    if (row.role != Role::pair && row.role != Role::solo) continue;
    const SideResult& side = row.sides[0];
    if (side.model != name(Model::kokkos)) continue;
    const bool usual = mentions(side.variant, ".usual"), book = mentions(side.variant, ".book");
    const std::string way = usual ? "best.usual" : book ? "best.book" : "best.tuned";
    const std::pair time{side.device_s.median, side.variant};
    if (!fastest_of.contains(way) || time < fastest_of[way]) fastest_of[way] = time;
  }
  const auto best = std::ranges::min_element(fastest_of, {},
                                             [](const auto& entry) { return entry.second.first; });
  REQUIRE(fastest_of.size() == 3);
  REQUIRE(bests.size() == 3);
  for (const auto& [way, time] : fastest_of) {
    CHECK(bests.at(way == best->first ? "best" : way) == time.second);
  }
}

// Steps that answer for themselves cannot be the best, however fast they are.
TEST_CASE("campaign rows: a step with an answer of its own is no best", "[campaign][kokkos][gpu]") {
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

  algorithm.one_answer = false;
  const std::vector<Result> none = measured();
  REQUIRE(none.size() == static_cast<std::size_t>(group.results()));
  CHECK(none.back().role != Role::best);
}

}  // namespace portcost::test::test_campaign
