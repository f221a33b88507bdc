// SPDX-License-Identifier: Apache-2.0
// Measures what was chosen, pair by pair, and passes on each result as it is ready.
#pragma once

#include "perf/command/result.hpp"
#include "perf/command/selection.hpp"
#include "src/timing/paired_sampler.hpp"

namespace portcost {

class Watch;
enum class Doing;

struct CampaignSettings {
  Campaign campaign = Campaign::standard;
  std::vector<std::string> sizes, types, parameters;  // as typed; empty: what the campaign takes
  std::vector<Regime> regimes;                        // empty: cold, and hot in the full campaign
  Sync sync = Sync::end;
  SamplerSettings sampler;
  /// Those that a launcher has started together: work over ranks is measured, and no other. Null:
  /// this process by itself. What follows is then collective.
  const Ranks* ranks = nullptr;
  /// Why nothing that is measured means anything, such as processes that share a GPU; empty: it
  /// does.
  std::string crowding = {};
  /// Most seconds for all groups together: what rows leave of it is for those that are not precise
  /// yet. 0: each row has its own time alone.
  double budget_s = 0;

  const Ranks& all_ranks() const { return ranks != nullptr ? *ranks : alone(); }
};

/// One problem with the variants that will be measured on it.
struct Group {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Regime regime = Regime::cold;
  std::vector<const Variant*> variants;
  std::vector<const Variant*> unfit = {};  // chosen, but not for this problem (Variant::unfit)
  bool each_way = false;                   // the best of each way against best native, too

  /// How many results measuring it gives.
  int results() const;
};

/// Variants of a group that crashed or hung, and what became of each.
using FailedVariants = std::map<const Variant*, std::string>;

/// Which variants of a group are measured beyond its ladder; null: none.
struct Chosen {
  const Variant* null = nullptr;       // against itself, for the noise floor
  const Variant* native = nullptr;     // the best one
  std::vector<const Variant*> kokkos;  // the best one, then the best of each other way
};

/// Plans all groups and checks every one (sizes, memory) before anything is measured. Only variants
/// of `place` are measured, and never the reference; when nothing is left, UsageError says so.
std::vector<Group> plan(const std::vector<Choice>& choices, const CampaignSettings& settings,
                        Place place);

/// The default campaign on a host: the main size of an algorithm with HostSizes becomes the largest
/// of them that fits the memory and whose slowest pair has the blocks that an interval needs in
/// `seconds`, or else the smallest, by rates of these limits that are assumed for so many threads.
/// A flush before each run moves `flush_bytes`. Such a group is measured `each_way`. Prints a line
/// for each algorithm, unless `told` says that this was done before.
void fit_main_sizes(std::vector<Group>& groups, const std::map<std::string, Limit>& limits,
                    int threads, double seconds, double flush_bytes, bool told);

/// What a problem costs, with the limits of a place by their full names.
Cost cost_in(Place place, const Algorithm& algorithm, const Problem& problem);

/// Limits that the groups refer to, each once.
std::vector<std::string> limits_needed(const std::vector<Group>& groups, Place place);

/// What a campaign measures with, where that is not the machine's own, and what it goes by.
struct Instruments {
  std::unique_ptr<Stopwatch> stopwatch = {};
  std::unique_ptr<ClockProbe> clock = {};
  std::unique_ptr<LoadProbe> load = {};
  /// What is there already of a result that is planned (its id, role, step and sides are known): it
  /// is taken instead of measured.
  std::function<std::optional<Result>(const Group&, const Result& planned)> finished = {};
  /// Says what noise floor and best against best are measured of, not which steps are fastest: as
  /// another process has chosen.
  std::function<Chosen(const Group&)> chooser = {};
  std::vector<Json> failures = {};  // not run: results that would need it have failed
  Watch* watch = nullptr;           // receives which variant is run next
};

class CampaignRunner {
 public:
  using Report = std::function<void(const Result&)>;
  CampaignRunner(Stream& stream, const CampaignSettings& settings,
                 std::map<std::string, Limit> limits, Instruments instruments = {});

  /// Runs every variant once, for its first run. Then the noise floor (the native variant that was
  /// fastest, against itself: noise is largest in what is shortest), then every step (kokkos
  /// against native, or alone), then best against best. Answers are judged before and after each;
  /// a pair whose answers differ, or are wrong, is reported without times.
  ///
  /// Work that is not repeatable has no hot regime: requested by name it is a UsageError, in a full
  /// campaign the group is passed over.
  void measure(const Group& group, const Report& report);

  /// From now on, the rows of `groups` share CampaignSettings::budget_s.
  void begin(const std::vector<Group>& groups);
  /// Passes over `results` ids: those of a group that is not measured.
  void skip(std::size_t results) { next_id_ += static_cast<int>(results); }
  int next_id() const { return next_id_; }

 private:
  /// One copy of a problem's data with the variants made ready on it.
  struct Placement {
    std::unique_ptr<Instance> instance;
    std::map<const Variant*, std::unique_ptr<Execution>> executions;
  };
  using Sides = std::vector<const Variant*>;

  void about_to(const Variant& variant, Doing doing) const;
  std::vector<Placement> prepare(const Group& group) const;
  void release(std::vector<Placement>& placements) const;
  bool has_regime(const Group& group, const Placement& placement) const;
  const Variant* meet(const Group& group, const Placement& placement);
  Result measure_sides(const Group& group, const std::vector<Placement>& placements, Role role,
                       std::string step, const Sides& sides);
  Finding judge_sides(const Group& group, const Placement& placement, const Sides& sides) const;
  Measurement sample(const Group& group, const std::vector<Placement>& placements,
                     const Sides& sides, std::uint64_t order_seed) const;
  double spare_s() const;

  Stream& stream_;
  CampaignSettings settings_;
  std::map<std::string, Limit> limits_;
  Instruments with_;
  int next_id_ = 0;
  std::map<const Variant*, double> first_run_s_;
  double beside_run_s_ = 0;  // what a sample takes beside the run: reset and flush
  int rows_ = 0;             // that share the budget
  int main_rows_ = 0;        // of these at a main size, to come
  double begin_s_ = 0;       // when the first of them began
  FailedVariants failed_;    // of this group
  std::optional<Interval> noise_;
};

/// The fields of a "failure" row that say which variant of which problem: all but `what` and
/// `when`.
Json failure_of(const Group& group, const Variant& variant);

/// "sum/strided/kokkos crashed: SIGSEGV, in its first run"; with_problem also names, where the row
/// has them, size and type, regime and process.
std::string failure_text(const Json& row, bool with_problem = false);

/// The exit status of a campaign, and what rank 0 says of one that is not 0.
int outcome(bool agree, const std::vector<Json>& failures, const Ranks& ranks = alone());

/// Those of the group's variants of which a record's "failure" rows tell.
FailedVariants failed_of(const std::vector<Json>& failures, const Group& group);
/// Whether one of these rows tells of the same variant and problem.
bool holds(const std::vector<Json>& failures, const Json& row);

}  // namespace portcost
