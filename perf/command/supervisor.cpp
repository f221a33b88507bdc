// SPDX-License-Identifier: Apache-2.0
#include "perf/command/commands.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "perf/command/watch.hpp"
#include "src/support/stop_notice.hpp"

namespace portcost {

namespace {

// What the child processes do, and what becomes of a variant that fails in one.
struct WatchedWork {
  std::string name;         // what the process does, in a message: "measures"
  std::string complete;     // when it has done all: "when all was measured"
  double patience_s = 300;  // a process without a sign of life for so long is hung

  // In a child: does what is left, and returns the exit status.
  std::function<int()> run;
  // Notes the variant that ended a child, so that the next one leaves it out (failure_of(), with
  // `what` and `when`). False where it was noted already, so that leaving it out has not helped.
  std::function<bool(const Json& failure)> note;
  // What is kept of the work when it is stopped or cannot go on, in words; empty: nothing.
  std::function<std::string()> kept;
  std::string unkept;  // what is said of a stop then: "nothing is kept"
};

constexpr std::array<NamedSignal, 8> crashing{{{SIGSEGV, "SIGSEGV"},
                                               {SIGABRT, "SIGABRT"},
                                               {SIGBUS, "SIGBUS"},
                                               {SIGFPE, "SIGFPE"},
                                               {SIGILL, "SIGILL"},
                                               {SIGTRAP, "SIGTRAP"},
                                               {SIGSYS, "SIGSYS"},
                                               {SIGKILL, "SIGKILL"}}};

// While it lives, signals wait until they are taken. Those that were ignored stay ignored.
class HeldSignals : Uncopied {
 public:
  HeldSignals() {
    sigemptyset(&wanted_);
    sigaddset(&wanted_, SIGCHLD);
    for (const NamedSignal& one : stop_signals) {
      struct sigaction now {};
      sigaction(one.number, nullptr, &now);
      if (now.sa_handler != SIG_IGN) sigaddset(&wanted_, one.number);
    }
    sigprocmask(SIG_BLOCK, &wanted_, &before_);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;  // where it is ignored, waiting for a child has no result
    sigaction(SIGCHLD, &standard, &child_before_);
  }
  ~HeldSignals() { release(); }

  void release() const {
    sigaction(SIGCHLD, &child_before_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  /// The next one; 0 when none comes in time.
  int next(double seconds) const {
    const double whole = std::floor(seconds);
    const timespec time{static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
    return std::max(0, sigtimedwait(&wanted_, nullptr, &time));
  }

 private:
  sigset_t wanted_{}, before_{};
  struct sigaction child_before_ {};
};

// Stopped by job control or a debugger: it cannot show life, and is not to be killed for that.
bool is_halted(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return false;
  return text[name_end + 2] == 'T' || text[name_end + 2] == 't';
}

struct Ending {
  int status = 0;  // as waitpid() says it
  bool hung = false;
};

Ending wait_for(pid_t child, const Watch& watch, double patience_s, const HeldSignals& signals) {
  // What passes while this process itself is halted is not counted: hence not the clock's time.
  const double look_s = std::clamp(patience_s / 20, 0.01, 1.0);
  double silent_s = 0;
  std::uint64_t life = watch.life();
  for (Ending ending;;) {
    const int signal = signals.next(look_s);
    if (waitpid(child, &ending.status, WNOHANG) == child) return ending;
    if (signal == SIGCHLD) continue;
    if (signal != 0) {
      kill(child, signal);
      continue;
    }
    const std::uint64_t now = watch.life();
    // Where no variant runs, nobody could be left out: making large inputs may take its time.
    const bool waits = now == life && !watch.last_run().is_null() && !is_halted(child);
    silent_s = waits ? silent_s + look_s : 0;
    life = now;
    if (silent_s < patience_s || watch.ended()) continue;
    kill(child, SIGKILL);
    waitpid(child, &ending.status, 0);
    ending.hung = true;
    return ending;
  }
}

std::string what_happened(const Ending& ending, const Watch& watch, double patience_s) {
  if (ending.hung) {
    return fmt::format("hung: no sign of life in {:g} s (--patience)", patience_s);
  }
  if (const auto thrown = watch.thrown()) return "failed: " + *thrown;
  if (!WIFSIGNALED(ending.status)) {
    return fmt::format("ended the program with status {}", WEXITSTATUS(ending.status));
  }
  const char* const name = name_of(WTERMSIG(ending.status), crashing);
  return name != nullptr ? fmt::format("crashed: {}", name)
                         : fmt::format("crashed: signal {}", WTERMSIG(ending.status));
}

// The signal by which the child was stopped before it could say so; 0: none.
int unsaid_stop(const Ending& ending) {
  if (ending.hung || !WIFSIGNALED(ending.status)) return 0;
  const int signal = WTERMSIG(ending.status);
  return name_of(signal, stop_signals) == nullptr ? 0 : signal;
}

bool said_itself(const Ending& ending, const Watch& watch) {
  if (!WIFEXITED(ending.status)) return false;
  return watch.ended() || name_of(WEXITSTATUS(ending.status) - 128, stop_signals) != nullptr;
}

int say_stopped(int signal, const WatchedWork& work) {
  const std::string kept = work.kept();
  fmt::print(stderr, "portcost: stopped by {}: {}\n", name_of(signal, stop_signals),
             kept.empty() ? work.unkept : kept);
  return 128 + signal;
}

// Throws where no variant is to blame, or where leaving it out has not helped.
void note_failure(const std::string& what, const Watch& watch, const WatchedWork& work) {
  Json row = watch.last_run();
  const auto give_up = [&](const std::string& why) {
    const std::string kept = work.kept();
    throw std::runtime_error(fmt::format("the process that {} {}, {}{}{}", work.name, what, why,
                                         kept.empty() ? "" : "; ", kept));
  };
  if (watch.ended()) give_up(work.complete);
  if (row.is_null()) give_up("and no variant ran");
  row["what"] = what;
  if (!work.note(row)) give_up("though " + failure_text(row) + " is left out");
}

// Does the work in a child process. Where that crashes, ends the program, gives up (Watch) or
// shows no sign of life while a variant ran, the variant is noted and another child goes on.
// Returns the exit status; throws where a child ended so and no variant was to blame. In a child
// this returns, too, or throws: both with the exit status to be had from it. Signals that ask to
// stop are passed on, and a child ends when this process does.
int do_watched(Watch& watch, const WatchedWork& work) {
  const pid_t self = getpid();
  const HeldSignals signals;
  for (;;) {
    flush_output();  // what is buffered would be printed by both
    watch.expect_child();
    const pid_t child = fork();
    if (child < 0) {
      throw Failure(
          fmt::format("no process that {} could be started ({})", work.name, std::strerror(errno)));
    }
    if (child == 0) {
      signals.release();
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != self) _exit(3);  // it ended before that took effect
      // Says that the work has ended by itself, whichever way.
      const std::unique_ptr<Watch, void (*)(Watch*)> at_end(&watch, [](Watch* one) { one->end(); });
      return work.run();
    }
    const Ending ending = wait_for(child, watch, work.patience_s, signals);
    if (said_itself(ending, watch)) return WEXITSTATUS(ending.status);
    if (const int signal = unsaid_stop(ending)) return say_stopped(signal, work);
    note_failure(what_happened(ending, watch, work.patience_s), watch, work);
  }
}

namespace fs = std::filesystem;

// Where no record was requested, one is kept all the same until all is measured: what is finished
// is not measured again.
class TemporaryRecord : Uncopied {
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

// False where the record holds it already.
bool note_in_record(const Json& failure, const BenchOptions& options) {
  RecordWriter record(options.out, {true, options.replace});
  if (holds(record.held().failures, failure)) return false;
  record.write("failure", failure);
  const char* const fresh_line = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";
  fmt::print(stderr, "{}portcost: {}; going on without it\n", fresh_line,
             failure_text(failure, true));
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
                                  if (holds(options.failures, failure)) return false;
                                  options.failures.push_back(failure);
                                  say_on_output(failure);
                                  return true;
                                },
                            .kept = [] { return std::string(); },
                            .unkept = "not all was checked"});
}

}  // namespace portcost
