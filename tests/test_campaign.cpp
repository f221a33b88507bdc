// SPDX-License-Identifier: Apache-2.0
// Plans, and campaigns on tiny problems: order, agreement, wrong variants, numbers of rows.
#include <chrono>
#include <thread>

#include "tests/sampler_fakes.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_campaign {

constexpr Place place = kokkos_place();
const std::string copy = place == Place::host ? "host copy" : "device copy";

const Algorithm& heat() { return *catalogue()[0]; }

const Variant& native_naive() {
  return *std::find_if(heat().variants.begin(), heat().variants.end(), [](const Variant& v) {
    return v.place == place && (v.model == Model::openmp || v.model == Model::cuda);
  });
}

CampaignSettings quick() { return quick_settings("nx=70,ny=35,steps=2", 12, 24); }

std::vector<Result> measure(const Group& group, const CampaignSettings& settings = quick(),
                            const Limit& limit = {copy, 1e11, "B/s"}) {
  CampaignRunner runner(shared_stream(place), settings, {{limit.name, limit}}, with_calm_clock());
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
  return measure(plan_of(filter, settings).at(0), settings, limit);
}

TEST_CASE("plan: sizes, types and regimes multiply, cold alone but in the full campaign",
          "[campaign][gpu]") {
  CampaignSettings settings = with_sizes({"nx=8,ny=8", "nx=9,ny=9"});
  settings.types = {};
  settings.regimes = {Regime::cold, Regime::hot};

  const std::vector<Group> groups = plan_of("heat2d", settings);
  CHECK(groups.size() == 2 * heat().types.size() * 2);
  CHECK(limits_needed(groups, place) == std::vector{copy});
  settings = quick();
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
  const auto sizes = [&](double seconds, double flush_bytes = 0) {
    std::vector<Group> groups(2);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].algorithm = &algorithm;
      groups[i].problem = {algorithm.sizes(Campaign::standard, Place::host).at(i),
                           parse_parameters("", algorithm.parameter_keys)};
    }
    // f32: 131072 bytes for the largest, in 16 blocks of 2 least times each, at 12 GB/s a thread.
    constexpr int threads = 2;
    seconds /= threads * 12e9 / 131072;
    fit_main_sizes(groups, {{"host copy", {"host copy", 1, "B/s", {}}}}, threads, seconds,
                   flush_bytes, true);
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
  // As many bytes before each of the 32 runs.
  CHECK(sizes(63.9, 131072) == std::vector<std::string>{standard});
  CHECK(sizes(64.1, 131072) == std::vector<std::string>{"nx=128,ny=128,steps=1", standard});
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
    CHECK(mentions(result.truth, "recomputed"));
    CHECK(result.measurement.blocks >= 2);
    for (const SideResult& side : result.sides) {
      CHECK(side.device_s.median > 0);
      CHECK(side.limit_fraction == Approx(result.floor_s / side.device_s.median));
      CHECK(side.limit_fraction_interval.low <= side.limit_fraction);
      CHECK(side.limit_fraction_interval.high >= side.limit_fraction);
      CHECK(side.first_run_s > 0);
    }
    if (!result.paired()) {
      CHECK_FALSE((to_json(result).contains("ratio") || to_json(result).contains("verdict")));
      continue;
    }
    CHECK(result.noise == results.front().ratio.interval);
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

TEST_CASE("campaign: wrong answers that agree, or come later, are found",
          "[campaign][kokkos][gpu]") {
  Variant wrong_native = native_naive();
  wrong_native.make = make_wrong<0>;
  const std::vector<Result> both = measure_two(wrong_native, make_wrong<0>);
  const std::vector<Result> later = measure_two(native_naive(), make_wrong<4>);

  REQUIRE((both.size() == 2 && later.size() == 2));  // A against A, and the pair
  for (const Result& result : both) {
    CHECK(mentions(result.disagreement, "/naive/"));
    CHECK(mentions(result.disagreement, " is wrong: node ["));
  }
  for (const Result& result : {both[0], both[1], later[1]}) {
    CHECK_FALSE(result.agrees);
    CHECK_FALSE(result.disagreement.empty());
    CHECK_FALSE(names_times(to_json(result)));
  }
}

TEST_CASE("campaign rows: a floor is bytes or operations by a limit", "[campaign][kokkos][gpu]") {
  // Two steps on 70 x 35 nodes, each read and written once.
  for (const Result& row : measure(naive_pair, "nx=70,ny=35,steps=2", {copy, 1e9, "B/s"})) {
    CHECK(row.floor_s == Approx(2.0 * 2 * 70 * 35 * 4 / 1e9));
  }
  // Eight trips of two stretches of sixteen multiply-adds for each of 1000 numbers.
  const std::string fma = place == Place::host ? "host fma f32" : "fma f32";
  for (const Result& row :
       measure("divergence/uniform/*", "n=1000,diverging=3,trip=2", {fma, 1e9, "FLOP/s"})) {
    CHECK(row.floor_s == Approx(1000.0 * 8 * 2 * 16 * 2 / 1e9));
  }
}

TEST_CASE("campaign rows: the best of each way, the best of all first", "[campaign][kokkos][gpu]") {
  CampaignSettings settings = quick_settings("nx=70,ny=35,steps=1", 2, 2);
  Group group = plan_of("heat2d", settings).at(0);
  group.each_way = true;
  const std::vector<Result> results = measure(group, settings);

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
  algorithm.other_answers.assign(algorithm.steps.begin() + 1, algorithm.steps.end());
  const std::vector<Result> one = measure(group, settings);
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
  const std::vector<Result> none = measure(group, settings);
  REQUIRE(none.size() == static_cast<std::size_t>(group.results()));
  CHECK(none.back().role != Role::best);
}

// ---- What a campaign settles before it measures a pair: first runs, the noise floor, orders, hot.
// On the host in every build, timed by a stopwatch with given times.

// Does nothing: the first run sleeps, later ones are said to take `later_us`.
class Sleep final : public Execution {
 public:
  Sleep(int first_ms, int later_us) : first_ms_(first_ms), later_s_(1e-6 * later_us) {}
  void run(int) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(first_ms_));
    first_ms_ = 0;
  }
  double later_s() const { return later_s_; }

 private:
  int first_ms_;
  double later_s_;
};

template <int first_ms, int later_us>
std::unique_ptr<Execution> make_sleep(const Problem&, Instance&) {
  return std::make_unique<Sleep>(first_ms, later_us);
}

// Sleeps beside the runs that choose the fastest native variant, three of each of two.
class ToldStopwatch final : public Stopwatch {
 public:
  explicit ToldStopwatch(int beside_ms) : beside_ms_(beside_ms) {}
  Timing time(const Subject& subject, Regime, int) override {
    if (calls_++ < 6) std::this_thread::sleep_for(std::chrono::milliseconds(beside_ms_));
    const double s = dynamic_cast<const Sleep&>(*subject.execution).later_s();
    return {s, s};
  }

 private:
  int beside_ms_, calls_ = 0;
};

template <bool repeatable = true>
Algorithm sleeper() {
  Algorithm algorithm = *catalogue()[0];
  algorithm.steps = {"slow", "fast"};
  algorithm.variants = {{"slow", Model::kokkos, Place::host, make_sleep<0, 2000>},
                        {"slow", Model::openmp, Place::host, make_sleep<30, 2000>},
                        {"fast", Model::openmp, Place::host, make_sleep<20, 500>}};
  algorithm.make = [](const Problem&, Stream& stream) -> std::unique_ptr<Instance> {
    return std::make_unique<FakeInstance>(stream, repeatable);
  };
  algorithm.footprint = [](const Problem&) { return 1.0; };
  algorithm.compare = [](const Problem&, const Answer&, const Answer&, const Stream&) {
    return Disagreement{};
  };
  algorithm.judge = [](const Problem&, std::string_view, const Answer&, const Instance&) {
    return Judgement{"nothing: it sleeps", ""};
  };
  return algorithm;
}

std::vector<Result> measure(const Algorithm& algorithm, std::vector<Regime> regimes = {},
                            std::uint64_t seed = 1, int beside_ms = 0) {
  CampaignSettings settings;
  settings.regimes = std::move(regimes);
  settings.sampler.seconds = 0.01;
  settings.sampler.warm_runs = 1;
  settings.sampler.warm_s = 0;
  settings.sampler.seed = seed;
  Group group;
  group.algorithm = &algorithm;
  group.problem.size = algorithm.check_sizes()[0];
  group.problem.parameters = parse_parameters("", algorithm.parameter_keys);
  group.problem.seed = seed;
  group.regime = Regime::hot;
  for (const Variant& variant : algorithm.variants) group.variants.push_back(&variant);
  const std::map<std::string, Limit> limits{{"host copy", {"host copy", 1e11, "B/s"}}};
  CampaignRunner runner(shared_stream(Place::host), settings, limits,
                        {std::make_unique<ToldStopwatch>(beside_ms),
                         std::make_unique<FakeClockProbe>(), std::make_unique<FakeLoadProbe>()});
  return results_of(runner, group);
}

// The side that went first in the first round of each allocation.
std::vector<int> order(const Result& result) {
  std::vector<int> first;
  for (const Sample& sample : result.measurement.samples) {
    if (sample.block == 0 && sample.position == 0) first.push_back(sample.side);
  }
  return first;
}

TEST_CASE("campaign: the noise floor is the fastest native one's, after first runs", "[campaign]") {
  const Algorithm algorithm = sleeper();
  const std::vector<Result> results = measure(algorithm);

  REQUIRE(results.size() == 4);
  CHECK(results[0].role == Role::null);
  CHECK(results[0].step == "fast");
  CHECK(results[0].sides[0].first_run_s >= 0.02);
  CHECK(results[1].step == "slow");
  CHECK(results[1].sides[1].first_run_s >= 0.03);
  CHECK(results[1].noise == results[0].noise);
}

TEST_CASE("campaign: small problems with little work have eight allocations", "[campaign]") {
  Algorithm algorithm = sleeper();
  const auto allocations = [&](int beside_ms = 0) {
    return measure(algorithm, {}, 1, beside_ms)[1].measurement.allocations;
  };

  CHECK(allocations() == 8);
  CHECK(allocations(70) == 1);  // 16 blocks of two samples take 2 s, whatever they run
  algorithm.cost = [](const Problem&) { return Cost{{1e8, "copy"}, {0.999e9, "fma f32"}}; };
  CHECK(allocations() == 8);
  algorithm.cost = [](const Problem&) { return Cost{{1e8, "copy"}, {1e9, "fma f32"}}; };
  CHECK(allocations() == 1);
  algorithm = sleeper();
  algorithm.footprint = [](const Problem&) { return 1e12; };
  CHECK(allocations() == 1);
}

TEST_CASE("campaign: no measurement shares another's order, a seed repeats them", "[campaign]") {
  const Algorithm algorithm = sleeper();
  std::vector<std::vector<int>> orders[2];
  std::set<std::vector<int>> different;
  for (auto& run : orders) {
    for (const Result& result : measure(algorithm)) {
      if (result.paired()) run.push_back(order(result));
    }
  }

  REQUIRE(orders[0].size() == 3);  // null, pair, best
  CHECK(orders[0] == orders[1]);
  different.insert(orders[0].begin(), orders[0].end());
  CHECK(different.size() == 3);
  CHECK(order(measure(algorithm, {}, 2)[1]) != orders[0][1]);
}

TEST_CASE("campaign: hot is refused or passed over where work is not repeatable", "[campaign]") {
  const Algorithm algorithm = sleeper<false>();

  const std::string text = message_of<UsageError>([&] { measure(algorithm, {Regime::hot}); });
  CHECK(mentions(text, "regime hot"));
  CHECK(mentions(text, "leave out --regime hot"));
  CHECK(measure(algorithm).empty());
}

}  // namespace portcost::test::test_campaign
