// SPDX-License-Identifier: Apache-2.0
// A campaign of several processes: all take the same decisions, on the slowest one's seconds.
#include <cstdlib>
#include <ctime>

#include "perf/command/commands.hpp"
#include "src/distributed/exchange_limits.hpp"
#include "src/distributed/files.hpp"
#include "tests/ranks/rings.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test::campaign {

using namespace portcost::distributed;

// Has a rank fail as long as it lives.
class RingsFault : Uncopied {
 public:
  explicit RingsFault(const std::string& text) { setenv("RINGS_FAULT", text.c_str(), 1); }
  ~RingsFault() { unsetenv("RINGS_FAULT"); }
};

// Only the last rank's first readings say that it was throttled, whatever the machine's clock is.
class ThrottledLast final : public ClockProbe {
 public:
  explicit ThrottledLast(int readings) : left_(readings) {}
  ClockReading read() override {
    const bool mine = all_ranks().rank() == all_ranks().size() - 1;
    return {1000, mine && left_-- > 0};
  }

 private:
  int left_;
};

std::vector<Result> measured(int throttled_readings = 0) {
  static const Algorithm algorithm = rings();
  Instruments instruments;
  instruments.clock = std::make_unique<ThrottledLast>(throttled_readings);
  CampaignSettings settings;
  settings.sizes = {"n=1000"};
  settings.sampler.seconds = 0.01;
  settings.sampler.warm_s = 0.001;
  settings.sampler.min_blocks = 4;
  settings.sampler.max_blocks = 16;
  settings.ranks = &all_ranks();
  Stream stream(Place::host, all_ranks());
  CampaignRunner runner(stream, settings, {}, std::move(instruments));
  std::vector<Result> results;
  Choice choice{&algorithm, {}};
  for (const Variant& variant : algorithm.over_ranks) choice.variants.push_back(&variant);
  for (const Group& group : plan({choice}, settings, Place::host)) {
    runner.measure(group, [&](const Result& result) { results.push_back(result); });
  }
  return results;
}

// What a rank knows of a result, but for its own load.
std::string text_of(const Result& result) {
  Json row = to_json(result);
  row.erase("load");
  row.erase("disturbed");
  row.erase("undecided");
  row.erase("verdict");
  std::string text = row.dump();
  for (const Sample& sample : result.measurement.samples) {
    text += Json(sample.timing.ranks_s).dump() + std::to_string(sample.timing.device_s) +
            std::to_string(sample.side) + std::to_string(sample.kept);
  }
  return text;
}

bool alike_on_all(const std::vector<Result>& results) {
  std::string text;
  for (const Result& result : results) text += text_of(result);
  return text == all_ranks().from_first(text);
}

TEST_CASE("campaign over ranks: all have the same results", "[campaign]") {
  const std::vector<Result> results = measured();
  CHECK_ON_ALL(results.size() == 3);  // noise floor, pair, best
  CHECK_ON_ALL(alike_on_all(results));
  for (const Result& result : results) {
    CHECK_ON_ALL(result.agrees && result.problem.ranks == all_ranks().size());
    for (const Sample& sample : result.measurement.samples) {
      const std::vector<double>& own = sample.timing.ranks_s;
      const auto count = static_cast<std::size_t>(all_ranks().size());
      CHECK_ON_ALL(count == 1 ? own.empty()  // one has no others to wait for
                              : own.size() == count &&
                                    *std::ranges::max_element(own) == sample.timing.device_s);
    }
  }
}

TEST_CASE(
    "campaign over ranks: all drop a pair that was throttled on one, and know of wrong answers",
    "[campaign]") {
  const std::vector<Result> results = measured(3);
  CHECK_ON_ALL(alike_on_all(results));
  CHECK_ON_ALL(results.at(0).measurement.dropped == 2);
  for (int rank = 0; rank < all_ranks().size(); ++rank) {
    const RingsFault fault("wrong:" + std::to_string(rank));
    const std::vector<Result> wrong = measured();
    CHECK_ON_ALL(alike_on_all(wrong));
    CHECK_ON_ALL(!wrong.at(0).agrees && mentions(wrong.at(0).disagreement, "is wrong"));
  }
}

TEST_CASE("campaign over ranks: memory is the least share of all", "[campaign]") {
  const double each = memory_for_each(Place::host, all_ranks());
  CHECK_ON_ALL(each == all_ranks().least(each));
  CHECK_ON_ALL(each <= available_bytes(Place::host) / all_ranks().on_this_node() * 1.2);
  const Size size({{"n", 1000}});
  Algorithm large = rings();
  large.footprint = [](const Problem&) { return 1e18; };
  const Problem problem{size, {}, ElementType::i32, 1, all_ranks().size()};
  const std::string refusal =
      message_of<UsageError>([&] { check_problem(large, problem, Place::host, all_ranks()); });
  CHECK_ON_ALL(mentions(refusal, "for each of " + std::to_string(all_ranks().size())));
}

TEST_CASE("load over ranks: what fellows do is not others'", "[campaign]") {
  const auto together = make_load_probe(Place::host, all_ranks()),
             alone = make_load_probe(Place::host);
  CHECK_ON_ALL(together->threads() == all_ranks().size() * alone->threads());
  // Bound to processors of their own, they see no fellows in any case.
  if (all_ranks().any(together->cpus() != alone->cpus())) return;
  if (all_ranks().size() == 1) return;  // there are none
  const LoadCounts before_alone = alone->counts(), before = together->counts();
  const std::clock_t begin = std::clock();
  while (std::clock() - begin < CLOCKS_PER_SEC / 5) continue;
  all_ranks().barrier();
  const double own_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const LoadCounts after_alone = alone->counts(), after = together->counts();
  const double fellows_s = all_ranks().sum(own_s) - own_s;
  const double counted_s =
      (after_alone.others_s - before_alone.others_s) - (after.others_s - before.others_s);
  CHECK_ON_ALL(counted_s > 0.5 * fellows_s - 0.05);
}

TEST_CASE("collect: rank 0 has the whole array, from host and device parts", "[collect]") {
  for_settings([&](const Processors& processors) {
    const std::int64_t longest = 4 * processors.count() + 1;
    // Columns are cut, or planes.
    for (const Index& global : {Index{3, longest, 37}, Index{longest, 3, 4}}) {
      const Distribution distribution(global, processors.count());
      distributed::Array<double> array(processors, {distribution, {{1, 1, 2}}, 8}, device_stream());
      array.fill(-1);
      array.fill(number_of);
      const Box domain = distribution.domain();
      std::vector<double> whole(all_ranks().is_first() ? domain.volume() : 0);
      collect(array, all_ranks().is_first() ? whole.data() : nullptr);
      std::size_t i = 0, wrong = 0;
      for_points(domain, [&](const Index& at) {
        if (all_ranks().is_first()) wrong += whole[i++] != number_of(at);
      });
      CHECK_ON_ALL(wrong == 0);
    }
  });
}

TEST_CASE("limits over ranks: an exchange has the same on all", "[campaign]") {
  const Stream stream(Place::host, all_ranks());
  const std::vector<std::string> names = portcost::limit_names(Place::host, all_ranks());
  const bool has = std::ranges::find(names, "host exchange") != names.end();
  CHECK_ON_ALL(has == (all_ranks().size() > 1));
  if (!has) return;
  const Limit latency = limit_of("host exchange latency", stream);
  const Limit rate = limit_of("host exchange 64 KiB", stream);
  CHECK_ON_ALL(latency.value > 0 && latency.unit == "s");
  CHECK_ON_ALL(rate.value > 0 && rate.unit == "B/s");
  const std::string text = to_json(latency).dump() + to_json(rate).dump();
  CHECK_ON_ALL(text == all_ranks().from_first(text));
}

TEST_CASE("limits over ranks: a path that fails on all together is left out", "[campaign]") {
  const Communicator& ranks = all_ranks();
  const auto usable = [&](const std::function<void()>& f) {
    return can_be_measured(ranks, "(a path of a test)", f);
  };
  CHECK_ON_ALL(usable([] {}));
  CHECK_ON_ALL(!usable([&] {
    ranks.together([&] {
      if (ranks.rank() == ranks.size() - 1) throw Failure("no map of that memory");
    });
  }));
  CHECK_ON_ALL(
      !usable([&] { ranks.together([] { throw UsageError("there is no such library"); }); }));
  // What one throws alone ends all.
  CHECK_THROWS_AS(usable([] { throw Failure("its own"); }), Failure);
}

}  // namespace portcost::test::campaign
