// SPDX-License-Identifier: Apache-2.0
// portcost machine: what was built, and for what. portcost limits: what this machine can do.
#include <algorithm>
#include <cstdio>

#include "perf/command/commands.hpp"
#include "perf/command/over_ranks.hpp"
#include "perf/command/text.hpp"
#include "perf/command/watch.hpp"
#include "src/support/reject.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

int limits(const MachineOptions& options) {
  const Ranks& ranks = options.all_ranks();
  if (options.ranks != nullptr) {
    device_of(ranks, options.share_gpus);
    if (const std::string text = crowding(kokkos_place(), ranks, options.share_gpus);
        !text.empty() && ranks.is_first()) {
      fmt::print(stderr, "portcost: {}\n", text);
    }
  }
  std::vector<std::string> known;
  std::vector<Place> places;
  for (const Place place : {Place::device, Place::host}) {
    if (place == Place::device && !device_present()) continue;
    for (std::string& limit : limit_names(place, ranks)) {
      known.push_back(std::move(limit));
      places.push_back(place);
    }
  }
  for (const std::string& wanted : options.names) {
    if (std::ranges::none_of(known, [&](const auto& k) { return glob_match(wanted, k); })) {
      reject("no limit is called '{}': {}", wanted, did_you_mean(wanted, known));
    }
  }
  Json all = Json::array();
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool wanted =
        options.names.empty() ||
        std::ranges::any_of(options.names, [&](const auto& n) { return glob_match(n, known[i]); });
    if (!wanted) continue;
    tell_limit(options.watch, known[i]);
    const Limit limit = limit_of(known[i], Stream(places[i], ranks));
    all.push_back(to_json(limit));
    if (!options.json) {
      fmt::print("{:<26} {:>16}{}\n", limit.name, readable_limit(limit), readable_interval(limit));
    }
    std::fflush(stdout);
  }
  if (options.json) fmt::print("{}\n", all.dump(2));
  return 0;
}

int machine(const MachineOptions& options) {
  const Place place = device_present() ? Place::device : Place::host;
  nlohmann::json device = describe_device();
  if (!device.empty()) {  // beside the rate that the clock and the bus allow
    const Limit copy = limit_of("device copy", Stream(place));
    device["memory_rate_measured"] = copy.value;
  }
  const nlohmann::json about{{"machine", describe_machine(place)},
                             {"device", device},
                             {"build", describe_build()},
                             {"commit", commit()},
                             {"version", version()}};
  if (options.json) {
    fmt::print("{}\n", about.dump(2));
    return 0;
  }
  fmt::print("portcost {} ({})\n", version(), commit());
  for (const char* part : {"machine", "device", "build"}) {
    for (const auto& [key, value] : about[part].items()) {
      fmt::print("  {:<20} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return 0;
}

}  // namespace portcost
