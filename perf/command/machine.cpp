// SPDX-License-Identifier: Apache-2.0
// portcost machine: what was built, and for what.
#include "src/machine/machine.hpp"

#include <fmt/format.h>

#include "perf/command/commands.hpp"

namespace portcost {

int machine(const MachineOptions& options) {
  const Place place = device_present() ? Place::device : Place::host;
  const nlohmann::json about{{"machine", describe_machine(place)},
                             {"build", describe_build()},
                             {"commit", commit()},
                             {"version", version()}};
  if (options.json) {
    fmt::print("{}\n", about.dump(2));
    return 0;
  }
  fmt::print("portcost {} ({})\n", version(), commit());
  for (const char* part : {"machine", "build"}) {
    for (const auto& [key, value] : about[part].items()) {
      fmt::print("  {:<18} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return 0;
}

}  // namespace portcost
