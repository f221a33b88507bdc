// SPDX-License-Identifier: Apache-2.0
// portcost bench: plan, measure limits, measure pairs, print tables, write the record.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <optional>

#include "perf/commands.hpp"
#include "perf/text.hpp"
#include "src/cpus.hpp"
#include "src/error.hpp"
#include "src/machine.hpp"
#include "variants/kokkos_runtime.hpp"

namespace portcost {

namespace {

Json header(const BenchOptions& options, Place place) {
  const SamplerSettings& s = options.settings.sampler;
  return {{"format", 1},
          {"tool", "portcost"},
          {"version", version()},
          {"commit", commit()},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"command", options.command},
          {"seed", s.seed},
          {"machine", describe_machine(place)},
          {"build", describe_build()},
          {"settings",
           {{"seconds", s.seconds},
            {"precision", s.precision},
            {"min_blocks", s.min_blocks},
            {"max_blocks", s.max_blocks},
            {"sync", name(options.settings.sync)}}}};
}

// Progress goes to the error stream: over one line on a terminal, a line each otherwise.
class Progress {
 public:
  explicit Progress(int all) : all_(all) {}
  void show(const Result& result) {
    const std::string line = progress_line(result, ++done_, all_);
    if (terminal_) {
      fmt::print(stderr, "\r\033[K{:.99}", line);
    } else {
      fmt::print(stderr, "{}\n", line);
    }
    std::fflush(stderr);
  }
  void clear() const {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  int all_, done_ = 0;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
};

}  // namespace

int bench(const BenchOptions& options) {
  const Place place = kokkos_place();
  auto choices = select_variants(options.filters);
  if (options.filters.empty() && options.settings.campaign == Campaign::standard) {
    std::erase_if(choices, [](const Choice& c) { return !c.algorithm->in_default_campaign; });
  }
  if (place == Place::device && !device_present()) {
    throw UsageError(
        "no CUDA device answers, and this build measures the GPU: run it where there is one, or "
        "build the "
        "preset openmp to measure the CPU");
  }
  if (const std::string warning = oversubscription(find_cpus());
      place == Place::host && !warning.empty()) {
    fmt::print(stderr, "portcost: {}\n", warning);
  }
  const auto groups = plan(choices, options.settings, place);
  std::optional<RecordWriter> record;
  if (!options.out.empty()) record.emplace(options.out);

  const KokkosGuard kokkos;
  Stream stream(place);
  if (record) record->write("header", header(options, place));
  std::map<std::string, Limit> limits;
  for (const std::string& wanted : limits_needed(groups, place)) {
    const Limit limit = measure_limit(wanted, stream);
    limits[wanted] = limit;
    fmt::print("{}: {}{}\n", limit.name, readable_limit(limit), readable_interval(limit));
    if (record) record->write("limit", to_json(limit));
  }

  int all = 0;
  for (const Group& group : groups) all += group.results();
  Progress progress(all);
  CampaignRunner runner(stream, options.settings, limits);
  const std::string platform = processor_name(place);
  bool agree = true;
  for (const Group& group : groups) {
    std::vector<Result> results;
    runner.measure(group, [&](const Result& result) {
      progress.show(result);
      agree = agree && result.agrees;
      if (record) {
        record->write("result", to_json(result));
        // Of answers that differ not even the samples are kept: nobody should compare their times.
        if (result.agrees) {
          for (const Json& sample : samples_to_json(result, platform)) {
            record->write("sample", sample);
          }
        }
      }
      results.push_back(result);
    });
    progress.clear();
    fmt::print("{}", group_table(results));
    std::fflush(stdout);
  }
  if (record) {
    record->finish();
    fmt::print("\nrecord: {} and {}\n", record->path(), record->csv_path());
  }
  if (!agree)
    fmt::print(stderr, "portcost: some answers differ: no ratio is given for those pairs\n");
  return agree ? 0 : 1;
}

}  // namespace portcost
