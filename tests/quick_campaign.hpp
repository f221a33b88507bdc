// SPDX-License-Identifier: Apache-2.0
// Campaigns that are short enough for a test: one size, f32, hot.
#pragma once

#include "perf/command/campaign.hpp"
#include "tests/support.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::test {

inline CampaignSettings quick_settings(const std::string& size, int min_blocks = 4,
                                       int max_blocks = 4) {
  CampaignSettings settings;
  settings.sizes = {size};
  settings.types = {"f32"};
  settings.regimes = {Regime::hot};
  settings.sampler.seconds = 0.05;
  settings.sampler.min_blocks = min_blocks;
  settings.sampler.max_blocks = max_blocks;
  settings.sampler.warm_s = 0.001;
  return settings;
}

/// The groups of what `filter` names, where Kokkos runs. Goes on only where that is.
inline std::vector<Group> plan_of(const std::string& filter, const CampaignSettings& settings) {
  need_measured_place();
  return plan(select_variants(std::vector{filter}), settings, kokkos_place());
}

/// What measuring the group gives, in order.
inline std::vector<Result> results_of(CampaignRunner& runner, const Group& group) {
  std::vector<Result> results;
  runner.measure(group, [&](const Result& result) { results.push_back(result); });
  return results;
}

}  // namespace portcost::test
