// SPDX-License-Identifier: Apache-2.0
#include "perf/command/ranks_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "perf/command/over_ranks.hpp"
#include "perf/command/resume.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

// 0: not said.
int number_of(const std::string& wanted) {
  if (wanted.empty()) return 0;
  const bool digits = wanted.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || wanted.size() > 6 || std::stoi(wanted) == 0) {
    throw UsageError(fmt::format("--ranks {} is no whole number from 1 to 999999", wanted));
  }
  return std::stoi(wanted);
}

}  // namespace

void add_ranks(CLI::App* sub, RanksOptions& options, bool& share_gpus) {
  sub->add_option("--ranks", options.wanted,
                  "How many processes a launcher has started together (mpirun -n N portcost ... "
                  "--ranks N): others are refused. Work over processes alone is then done");
  sub->add_flag("--share-gpus", share_gpus,
                "Processes may take turns on a GPU where there are more of them: for tests, times "
                "mean nothing");
}

void add_patience(CLI::App* sub, double& patience_s) {
  sub->add_option("--patience", patience_s,
                  "Of several processes together: seconds without a sign of life (an exchange) "
                  "after which one of them has hung, which ends all")
      ->capture_default_str();
}

void check_patience(double patience_s) {
  if (patience_s >= 0.1 && patience_s <= 86400) return;
  throw UsageError(fmt::format("--patience {} is out of range: 0.1 to 86400 seconds", patience_s));
}

void join_ranks(const CLI::App& chosen, const RanksOptions& options,
                const std::vector<std::string>& words) {
  const std::string name = chosen.get_name();
  check_ranks(*options.ranks, number_of(options.wanted), fmt::format("{}", fmt::join(words, " ")));
  if (name == "bench" || name == "check" || name == "limits" || name == "solve") return;
  throw UsageError(fmt::format(
      "portcost {} is work of one process: start it without a launcher (mpirun, srun)", name));
}

std::vector<std::string> arguments_to_resume(const RanksOptions& options, const std::string& path) {
  if (options.ranks == nullptr) return arguments_of_record(path);
  Json words = Json::array();
  options.ranks->together([&] {
    if (options.ranks->is_first()) words = arguments_of_record(path);
  });
  return Json::parse(options.ranks->from_first(words.dump())).get<std::vector<std::string>>();
}

}  // namespace portcost
