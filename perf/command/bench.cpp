// SPDX-License-Identifier: Apache-2.0
// portcost bench: plan, measure limits, measure pairs, print tables, write the record.
#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "perf/command/commands.hpp"
#include "perf/command/resume.hpp"
#include "perf/command/watch.hpp"
#include "src/memory/cache_flush.hpp"
#include "src/support/stop_notice.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

namespace {

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

Json counted_variants(const std::vector<Group>& groups) {
  std::map<std::string, int> lines;
  for (const Group& group : groups) {
    for (const Variant* variant : group.variants) {
      if (variant->lines_of_code) {
        lines[variant_name(*group.algorithm, *variant)] = *variant->lines_of_code;
      }
    }
  }
  Json table = Json::array();
  for (const auto& [name, count] : lines) table.push_back({{"name", name}, {"lines", count}});
  return table;
}

// Collective.
Json header(const BenchOptions& options, Place place, const std::vector<Group>& groups,
            const std::optional<LikeRecord>& like, std::optional<int> device) {
  const SamplerSettings& s = options.settings.sampler;
  Json row{{"format", record_format},
           {"tool", "portcost"},
           {"version", version()},
           {"commit", commit()},
           {"date", now()},
           {"command", options.command},
           {"arguments", options.arguments},
           {"seed", s.seed},
           {"run_to_run", run_to_run},
           {"machine", describe_machine(place)},
           {"build", describe_build()},
           {"settings",
            {{"seconds", s.seconds},
             {"precision", s.precision},
             {"min_blocks", s.min_blocks},
             {"max_blocks", s.max_blocks},
             {"sync", name(options.settings.sync)}}}};
  if (const Ranks* const ranks = options.settings.ranks) {
    row["ranks"] = describe_ranks(*ranks, device);
  }
  if (like) row["like"] = like->identity();
  if (Json files = files_of(groups); !files.is_null()) row["files"] = std::move(files);
  if (Json variants = counted_variants(groups); !variants.empty()) {
    row["variants"] = std::move(variants);
  }
  return row;
}

// Progress goes to the error stream: over one line on a terminal, a line each otherwise.
class Progress {
 public:
  // On one rank it is shown.
  Progress(int all, bool shown) : all_(all), shown_(shown) {}
  void show(const Result& result) {
    if (!shown_) return;
    const std::string line = progress_line(result, ++done_, all_);
    if (terminal_) {
      fmt::print(stderr, "\r\033[K{:.99}", line);
    } else {
      fmt::print(stderr, "{}\n", line);
    }
    std::fflush(stderr);
  }
  void skip(std::size_t results) { done_ += static_cast<int>(results); }
  void clear() const {
    if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  int all_, done_ = 0;
  bool shown_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
};

// What is said of work that times would say nothing of.
void warn(const BenchOptions& options, Place place) {
  const Ranks* const ranks = options.settings.ranks;
  const std::string warning = ranks != nullptr       ? crowding(place, *ranks, options.share_gpus)
                              : place == Place::host ? oversubscription(find_cpus())
                                                     : "";
  if (warning.empty() || options.again || !options.settings.all_ranks().is_first()) return;
  fmt::print(stderr, "portcost: {}\n", warning);
}

std::vector<Group> plan_groups(const BenchOptions& options, Place place) {
  const bool over_ranks = options.settings.ranks != nullptr;
  const bool standard = options.settings.campaign == Campaign::standard;
  const bool unnamed = options.filters.empty() && !over_ranks;
  auto choices =
      select_variants(options.filters, over_ranks ? Among::over_ranks : Among::one_process);
  if (over_ranks && choices.empty()) {
    throw UsageError(
        "nothing in this build is work of several processes: perf/portcost builds what a filter "
        "names (jacobi)");
  }
  if (const std::string missing = names_of(left_out(), standard); unnamed && !missing.empty()) {
    reject("the {} campaign measures {}, too, which this build leaves out: {}",
           standard ? "default" : "full", missing, how_to_build_all);
  }
  if (unnamed && standard) keep_default_campaign(choices, place);
  if (!over_ranks && place == Place::device && !device_present()) {
    throw UsageError(
        "no CUDA device answers, and this build measures the GPU: run it where there is one, or "
        "build the "
        "preset openmp to measure the CPU");
  }
  warn(options, place);
  return plan(choices, options.settings, place);
}

// The record of one campaign, and what the program says should it be stopped meanwhile. Of several
// ranks it is rank 0's: the others know what it holds, and write nothing.
class Keeper {
 public:
  explicit Keeper(const BenchOptions& options)
      : options_(options), ranks_(options.settings.all_ranks()) {
    if (ranks_.is_first()) notice_.emplace();
    say("before anything was measured");
    ranks_.together([&] { open(); });
    held_ = held_by_first(ranks_, record_ ? &*record_ : nullptr);
    results_ = held_.results.size();
    complete_ = ranks_.any(record_ && record_->was_complete());
    tell();
  }

  bool was_complete() const { return complete_; }

  // Begins the record, or makes sure that it goes on as it began.
  void begin(const Json& header, const std::string& platform) {
    platform_ = platform;
    ranks_.together([&] {
      if (!record_) return;
      if (options_.resume) {
        check_same_campaign(record_->held().header, header, record_->part_path());
        write("resume", {{"date", now()}, {"results", record_->results()}});
      } else {
        write("header", header);
      }
    });
  }

  const RecordPart& held() const { return held_; }

  void write(const std::string& kind, const Json& fields) {
    const StopNotice::Delay whole;
    if (record_) record_->write(kind, fields);
  }

  void write(const Result& result) {
    ++results_;
    if (!record_) return;
    const StopNotice::Delay whole;
    // Of answers that differ not even the samples are kept: nobody should compare their times.
    const bool samples = result.agrees;
    record_->write_result(to_json(result),
                          samples ? samples_to_json(result, platform_) : std::vector<Json>(),
                          samples ? ranks_to_json(result) : std::vector<Json>());
    tell();
  }

  void finish() {
    if (!record_ || options_.temporary) return;
    const StopNotice::Delay whole;
    record_->finish();
    say(fmt::format("the record '{}' is complete", record_->path()));
    fmt::print("\nrecord: {} and {}\n", record_->path(), record_->csv_path());
  }

  // The same on all ranks.
  std::string kept() const { return options_.out.empty() ? "" : kept_rows(options_, results_); }

 private:
  void open() {
    if (options_.out.empty() || !ranks_.is_first()) return;
    record_.emplace(options_.out, RecordMode{options_.resume, options_.replace});
    check_not_combined(record_->held().header, options_.out);
  }

  void say(const std::string& text, const std::string& remove = "") {
    if (notice_) notice_->say(text, remove);
  }

  void tell() {
    if (!record_ || options_.temporary) {
      say("nothing is kept, since no record was requested (--out)");
    } else if (record_->results() > 0) {
      say(kept());
    } else {
      say("before the first row was finished, so nothing is kept",
          options_.resume && !options_.again ? "" : record_->part_path());
    }
  }

  std::optional<StopNotice> notice_;
  const BenchOptions& options_;
  const Ranks& ranks_;
  std::string platform_;
  std::optional<RecordWriter> record_;
  RecordPart held_;          // what was there already when resuming
  std::size_t results_ = 0;  // in the record
  bool complete_ = false;
};

std::map<std::string, Limit> measure_limits(const std::vector<Group>& groups, Stream& stream,
                                            const FinishedResults& finished, Keeper& keeper,
                                            Watch* watch) {
  std::map<std::string, Limit> limits;
  const int printed = watch == nullptr ? 0 : watch->printed().limits.load();
  for (const std::string& wanted : limits_needed(groups, stream.place())) {
    const auto held = finished.limit(wanted);
    if (!held) tell_limit(watch, wanted);
    const Limit limit = held ? *held : limit_of(wanted, stream);
    limits[wanted] = limit;
    if (static_cast<int>(limits.size()) > printed) {
      fmt::print("{}: {}{}\n", limit.name, readable_limit(limit), readable_interval(limit));
      flush_output();
      if (watch != nullptr) ++watch->printed().limits;
    }
    if (!held) keeper.write("limit", to_json(limit));
  }
  tell_limit(watch, "");
  return limits;
}

// On hosts the default campaign's sizes are chosen by what the machine can do, and its rows share
// two minutes, of which this is without the limits and the inputs.
constexpr double budget_s = 80;

bool chooses_sizes(const BenchOptions& options) {
  return options.settings.campaign == Campaign::standard && options.settings.sizes.empty() &&
         options.settings.ranks == nullptr && kokkos_place() == Place::host;
}

// False when some answers differ, known defects of peers apart, and those that failed.
bool measure_groups(const BenchOptions& options, const std::vector<Group>& groups,
                    CampaignRunner& runner, const FinishedResults& finished, Keeper& keeper) {
  int all = 0;
  for (const Group& group : groups) all += group.results();
  runner.begin(groups);
  Progress progress(all, options.settings.all_ranks().is_first());
  bool agree = true;
  int tables = 0;
  const int printed = options.watch == nullptr ? 0 : options.watch->printed().tables.load();
  for (const Group& group : groups) {
    const int first_new = runner.next_id();
    auto results = finished.whole_group(group, first_new);
    if (!results.empty()) {
      runner.skip(results.size());
      progress.skip(results.size());
    } else {
      runner.measure(group, [&](const Result& result) {
        const bool held = finished.holds(result.id);
        if (!held) keeper.write(result);
        if (held && options.again) {
          progress.skip(1);
        } else {
          progress.show(result);
        }
        results.push_back(result);
      });
    }
    progress.clear();
    for (const Result& result : results) {
      agree = agree && (!result.fails() || !result.failed.empty());
    }
    if (++tables <= printed) continue;
    fmt::print("{}", group_table(results));
    for (const Variant* variant : group.unfit) {
      fmt::print("{:<15} not measured: {}\n", variant->step, variant->unfit(group.problem));
    }
    flush_output();
    if (options.watch != nullptr) ++options.watch->printed().tables;
  }
  return agree;
}

bool measure_all(const BenchOptions& options, std::vector<Group> groups,
                 const std::optional<LikeRecord>& like, Keeper& keeper) {
  const Ranks& ranks = options.settings.all_ranks();
  std::optional<int> device;
  if (options.settings.ranks != nullptr) device = device_of(ranks, options.share_gpus);
  const KokkosGuard kokkos(device);
  Stream stream(kokkos_place(), ranks);
  keeper.begin(header(options, stream.place(), groups, like, device),
               processor_name(stream.place()));
  const RecordPart& held = keeper.held();
  const FinishedResults finished(held);
  const auto limits = measure_limits(groups, stream, finished, keeper, options.watch);
  CampaignSettings settings = options.settings;
  if (chooses_sizes(options)) {
    if (!like)
      fit_main_sizes(groups, limits, processors(Place::host), settings.sampler.patience_s(),
                     CacheFlush::host_traffic(), options.again);
    if (options.filters.empty()) settings.budget_s = budget_s;
  }
  if (settings.ranks != nullptr) {
    settings.crowding = crowding(stream.place(), ranks, options.share_gpus);
  }
  Instruments with;
  with.finished = [&](const Group& group, const Result& planned) {
    return finished.result(group, planned);
  };
  if (like) with.chooser = [&](const Group& group) { return like->choice(group); };
  with.failures = held.failures;
  with.watch = options.watch;
  CampaignRunner runner(stream, settings, limits, std::move(with));
  const bool agree = measure_groups(options, groups, runner, finished, keeper);
  keeper.finish();
  flush_output();
  if (options.watch != nullptr) options.watch->end();
  return agree;
}

int say_complete(const BenchOptions& options, const RecordPart& held) {
  fmt::print("record: {} is complete, nothing is left to measure\n", options.out);
  const bool agree = std::ranges::all_of(held.results, [](const Json& row) {
    return row.value("agrees", false) || row.contains("known_defect") || row.contains("failed");
  });
  return outcome(agree, held.failures, options.settings.all_ranks());
}

}  // namespace

void refuse_false_times(const std::string& why, bool allowed) {
  if (why.empty() || allowed) return;
  reject(
      "{}, which makes every time worthless: name another Kokkos (perf/run --kokkos), or "
      "build with optimisation; `portcost check` works, and --allow-debug measures all the "
      "same and says so in the record",
      why);
}

std::string kept_rows(const BenchOptions& options, std::size_t results) {
  if (results == 0 || options.temporary) return {};
  std::string path = record_name(options.out) + ".part";
  if (!std::filesystem::exists(path) && std::filesystem::exists(record_name(options.out)))
    path = record_name(options.out);
  return fmt::format("{} finished rows are in '{}'; go on with: portcost bench --resume '{}'{}{}",
                     results, path, path,
                     options.like.empty() ? "" : " --like '" + options.like + "'",
                     options.replace ? " --force" : "");
}

int bench(const BenchOptions& options) {
  refuse_false_times(falsifying(), options.allow_debug);
  const Ranks& ranks = options.settings.all_ranks();
  auto groups = plan_groups(options, kokkos_place());
  if (ranks.size() > 1) {
    std::string files;
    ranks.together([&] { files = files_of(groups).dump(); });
    ranks.require_equal("input file", files);
  }
  std::optional<LikeRecord> like;
  ranks.together([&] {
    if (options.like.empty()) return;
    like.emplace(options.like);
    if (chooses_sizes(options)) {
      fit_main_sizes(groups, like->limits(), processors(Place::host),
                     options.settings.sampler.patience_s(), CacheFlush::host_traffic(),
                     options.again);
    }
    like->check(groups, options.settings.campaign == Campaign::full);
  });
  Keeper keeper(options);
  if (keeper.was_complete()) return say_complete(options, keeper.held());
  bool agree = true;
  try {
    agree = measure_all(options, groups, like, keeper);
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    const std::string kept = keeper.kept();
    if (kept.empty()) throw;
    throw_with(error, "; " + kept);
  }
  return outcome(agree, keeper.held().failures, ranks);
}

}  // namespace portcost
