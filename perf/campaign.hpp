// SPDX-License-Identifier: Apache-2.0
// Measures what was chosen, pair by pair, and hands out each result as it is ready.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "perf/judging.hpp"
#include "perf/result.hpp"
#include "perf/selection.hpp"

namespace portcost {

struct CampaignSettings {
  Campaign campaign = Campaign::standard;
  std::vector<std::string> sizes, types, parameters;  // as typed; empty: what the campaign takes
  std::vector<Regime> regimes;                        // empty: cold, and hot in the full campaign
  Sync sync = Sync::end;
  SamplerSettings sampler;
};

/// One problem with the variants that will be measured on it.
struct Group {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Regime regime = Regime::cold;
  std::vector<const Variant*> variants;

  /// How many results measuring it gives.
  int results() const;
};

/// Plans all groups and checks every one (sizes, memory) before anything is measured. Only variants
/// of `place` are measured, and never the reference; when nothing is left, UsageError says so.
std::vector<Group> plan(const std::vector<Choice>& choices, const CampaignSettings& settings,
                        Place place);

/// Limits that the groups refer to, each once.
std::vector<std::string> limits_needed(const std::vector<Group>& groups, Place place);

class CampaignRunner {
 public:
  using Report = std::function<void(const Result&)>;
  CampaignRunner(Stream& stream, const CampaignSettings& settings,
                 std::map<std::string, Limit> limits);

  /// The noise floor first (the first native variant against itself), then every step (kokkos
  /// against native, or alone), then best against best. Answers are judged before and after each; a
  /// pair whose answers differ, or are wrong, is reported without times.
  void measure(const Group& group, const Report& report);

 private:
  /// One copy of a problem's data with the variants made ready on it.
  struct Placement {
    std::unique_ptr<Instance> instance;
    std::map<const Variant*, std::unique_ptr<Execution>> executions;
  };
  using Sides = std::vector<const Variant*>;

  std::vector<Placement> place(const Group& group) const;
  Result measure_sides(const Group& group, const std::vector<Placement>& placements, Role role,
                       std::string step, const Sides& sides);
  Finding judge_sides(const Group& group, const Placement& placement, const Sides& sides) const;
  Measurement sample(const Group& group, const std::vector<Placement>& placements,
                     const Sides& sides) const;
  void fill_times(Result& result) const;

  Stream& stream_;
  CampaignSettings settings_;
  std::map<std::string, Limit> limits_;
  std::unique_ptr<Stopwatch> stopwatch_;
  std::unique_ptr<ClockProbe> clock_;
  int next_id_ = 0;
  Interval noise_{1, 1};
};

}  // namespace portcost
