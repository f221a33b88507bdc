// SPDX-License-Identifier: Apache-2.0
// What a campaign settles before it measures a pair: first runs, the noise floor, orders, hot.
#include <chrono>
#include <thread>

#include "tests/quick_campaign.hpp"
#include "tests/sampler_fakes.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_campaign_start {

// These campaigns run on the host in every build, and are timed by a stopwatch with given times.
constexpr Place place = Place::host;

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

class ToldStopwatch final : public Stopwatch {
 public:
  Timing time(const Subject& subject, Regime, int) override {
    const double s = dynamic_cast<const Sleep&>(*subject.execution).later_s();
    return {s, s};
  }
};

template <bool repeatable = true>
Algorithm sleeper() {
  Algorithm algorithm = *catalogue()[0];
  algorithm.steps = {"slow", "fast"};
  algorithm.variants = {{"slow", Model::kokkos, place, make_sleep<0, 2000>},
                        {"slow", Model::openmp, place, make_sleep<30, 2000>},
                        {"fast", Model::openmp, place, make_sleep<20, 500>}};
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
                            std::uint64_t seed = 1) {
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
  CampaignRunner runner(shared_stream(place), settings, limits,
                        {std::make_unique<ToldStopwatch>(), std::make_unique<FakeClockProbe>(),
                         std::make_unique<FakeLoadProbe>()});
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
  const auto allocations = [&] { return measure(algorithm)[1].measurement.allocations; };

  CHECK(allocations() == 8);
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

}  // namespace portcost::test::test_campaign_start
