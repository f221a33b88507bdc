// SPDX-License-Identifier: Apache-2.0
#include "perf/command/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "perf/command/check_progress.hpp"
#include "perf/command/failure.hpp"
#include "perf/command/shared_memory.hpp"
#include "perf/command/watched_process.hpp"
#include "src/record/record.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

namespace fs = std::filesystem;

// Where no record was requested, one is kept all the same until all is measured: what is finished
// is not measured again.
class TemporaryRecord {
 public:
  explicit TemporaryRecord(BenchOptions& options) : owner_(getpid()) {
    if (!options.out.empty() || options.resume) return;
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "portcost-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr) {
      throw Failure(
          fmt::format("no folder could be made for what is measured ({}): name another with "
                      "TMPDIR, or a record with --out",
                      pattern));
    }
    folder_ = pattern;
    options.out = (folder_ / "record.jsonl").string();
    options.temporary = true;
  }
  ~TemporaryRecord() {
    std::error_code ignored;
    if (!folder_.empty() && getpid() == owner_) fs::remove_all(folder_, ignored);
  }
  TemporaryRecord(const TemporaryRecord&) = delete;
  TemporaryRecord& operator=(const TemporaryRecord&) = delete;

 private:
  pid_t owner_;
  fs::path folder_;
};

std::string kept_of(const BenchOptions& options) {
  const std::string name = record_name(options.out), part = name + ".part";
  std::error_code ignored;
  if (!fs::exists(part, ignored) && !fs::exists(name, ignored)) return {};
  return kept_rows(options, read_record_part(fs::exists(part) ? part : name).results.size());
}

void say(const Json& failure) {
  const char* const fresh_line = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";
  fmt::print(stderr, "{}portcost: {}; going on without it\n", fresh_line,
             failure_text(failure, true));
}

// False where the record holds it already.
bool note_in_record(const Json& failure, const BenchOptions& options) {
  RecordWriter record(options.out, {true, options.replace});
  if (Failures(record.held().failures).holds(failure)) return false;
  record.write("failure", failure);
  say(failure);
  return true;
}

// Nothing is measured by a check, so that the regime says nothing.
void say_on_output(Json failure) {
  failure.erase("regime");
  fmt::print("{}\n", failure_text(failure, true));
  flush_output();
}

}  // namespace

int supervise(BenchOptions options) {
  const TemporaryRecord temporary(options);
  Watch watch;
  options.watch = &watch;
  return do_watched(watch, {.name = "measures",
                            .complete = "when all was measured",
                            .patience_s = options.patience_s,
                            .run = [&] { return bench(options); },
                            .note =
                                [&](const Json& failure) {
                                  options.resume = options.again = true;
                                  return note_in_record(failure, options);
                                },
                            .kept = [&] { return kept_of(options); },
                            .unkept = "nothing is kept"});
}

int supervise(CheckOptions options) {
  Watch watch;
  const Shared<CheckProgress> progress;
  options.watch = &watch;
  options.progress = progress.get();
  return do_watched(watch, {.name = "checks",
                            .complete = "when all was checked",
                            .patience_s = options.patience_s,
                            .run = [&] { return check(options); },
                            .note =
                                [&](const Json& failure) {
                                  if (Failures(options.failures).holds(failure)) return false;
                                  options.failures.push_back(failure);
                                  say_on_output(failure);
                                  return true;
                                },
                            .kept = [] { return std::string(); },
                            .unkept = "not all was checked"});
}

}  // namespace portcost
