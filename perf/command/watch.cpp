// SPDX-License-Identifier: Apache-2.0
#include "perf/command/watch.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "src/distributed/exchange_limits.hpp"
#include "src/distributed/path.hpp"

namespace portcost {

namespace {

constexpr std::size_t most_variants = 1024;
constexpr std::size_t longest = 4000;

// For whom a rank waits, and how many times the patience before it says so.
struct Waits {
  double times = 1;
  std::string_view text = {};
};
constexpr Waits of_others{2, ", it waits for another rank"};
constexpr Waits of_device{1.5, ", it waits for its GPU, which may wait for another rank"};

// Looks at what this rank reports, until it `ends`. Where it shows no sign of life (a report, an
// exchange) for so many seconds while a variant ran, one line names the rank and the variant, and
// the whole program ends with 3: nobody can be left out when others wait for it.
//
// A rank that waits for others in a call of MPI is not the one that hangs; so it speaks only after
// twice that time, when nobody else has. One that waits for its GPU, which may wait for another
// rank's, speaks before those and after one that waits for nobody.
void look(const std::stop_token& ends, const Ranks& ranks, const Watch& watch, double patience_s) {
  // What passes while this process is halted is not counted: hence not the clock's time. Of ranks
  // that hang in the same way the first speaks first.
  const double look_s = std::clamp(patience_s / 20, 0.01, 1.0);
  double silent_s = 0;
  std::uint64_t life = 0;
  std::mutex mutex;
  std::condition_variable_any never;
  for (std::unique_lock lock(mutex);;) {
    never.wait_for(lock, ends, std::chrono::duration<double>(look_s), [] { return false; });
    if (ends.stop_requested()) return;
    const std::uint64_t now = watch.life() + distributed::signs_of_life();  // both only grow
    Json row = watch.last_run();
    const bool silent = now == life && !watch.ended() && !row.is_null();
    silent_s = silent ? silent_s + look_s : 0;
    life = now;
    if (silent_s < patience_s) continue;
    const Waits waits = distributed::waits_for_others() ? of_others
                        : waits_for_device()            ? of_device
                                                        : Waits();
    if (silent_s < waits.times * patience_s + 0.1 * ranks.rank()) continue;
    row["what"] =
        fmt::format("hung: no sign of life in {:g} s (--patience){}", patience_s, waits.text);
    distributed::end_all(static_cast<const distributed::Communicator&>(ranks),
                         failure_text(row, true));
  }
}

bool same_variant(const Json& a, const Json& b) {
  const auto same = [&](const char* field) {
    return a.value(field, Json()) == b.value(field, Json());
  };
  return same("variant") && same("size_text") && same("parameters") && same("type") &&
         same("regime");
}

}  // namespace

// Rows of variants are written once a group, so that a sample costs two stores. Pages that nobody
// writes to take no memory.
struct Watch::Board {
  std::atomic<std::uint64_t> life{0};
  std::atomic<int> variant{-1};  // its row
  std::atomic<Doing> doing{Doing::made};
  std::atomic<bool> ended{false}, threw{false};
  Printed printed;
  char why[longest + 1];
  char rows[most_variants][longest + 1];
};

std::string_view when(Doing doing) {
  constexpr std::array<std::string_view, 6> texts{
      "while it was made ready", "in its first run",      "in a run whose answer is judged",
      "while it was measured",   "while it was released", "after a run"};
  return texts.at(static_cast<std::size_t>(doing));
}

Watch::Watch(bool gives_up)
    : memory_(std::make_unique<Shared<Board>>()), board_(memory_->get()), gives_up_(gives_up) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                std::atomic<Doing>::is_always_lock_free);
}

Watch::~Watch() = default;

void Watch::begin(const Group& group) {
  require(group.variants.size() <= most_variants, "more variants than can be watched");
  board_->variant = -1;
  group_ = &group;
  for (std::size_t i = 0; i < group.variants.size(); ++i) {
    const std::string row = failure_of(group, *group.variants[i]).dump();
    require(row.size() <= longest, "a problem whose name is too long to be watched");
    board_->rows[i][row.copy(board_->rows[i], longest)] = '\0';
  }
  ++board_->life;
}

void Watch::about_to(const Variant& variant, Doing doing) {
  const auto& all = group_->variants;
  board_->doing = doing;
  board_->variant = static_cast<int>(std::ranges::find(all, &variant) - all.begin());
  ++board_->life;
}

void Watch::about_to(const Json& row, Doing doing) {
  rest();
  const std::string text = row.dump();
  board_->rows[0][text.copy(board_->rows[0], longest)] = '\0';
  board_->doing = doing;
  board_->variant = 0;
  ++board_->life;
}

void Watch::rest() {
  board_->variant = -1;
  ++board_->life;
}

void Watch::done() {
  board_->doing = Doing::after;
  ++board_->life;
}

void Watch::give_up(const std::string& why) {
  board_->why[why.copy(board_->why, longest)] = '\0';
  board_->threw = true;
  std::fflush(nullptr);
  _exit(3);
}

void Watch::end() { board_->ended = true; }
Watch::Printed& Watch::printed() const { return board_->printed; }

void Watch::expect_child() {
  board_->variant = -1;
  board_->ended = false;
  board_->threw = false;
}

std::uint64_t Watch::life() const { return board_->life; }
bool Watch::ended() const { return board_->ended; }

Json Watch::last_run() const {
  const int variant = board_->variant;
  if (variant < 0) return {};
  // It may just be written: then something goes on.
  Json row = Json::parse(board_->rows[variant], nullptr, false);
  if (row.is_discarded()) return {};
  row["when"] = when(board_->doing);
  return row;
}

std::optional<std::string> Watch::thrown() const {
  if (!board_->threw) return std::nullopt;
  return board_->why;
}

void tell_limit(Watch* watch, std::string_view name) {
  // Of a process by itself the supervisor would take it for a variant.
  if (watch == nullptr || watch->gives_up()) return;
  if (distributed::is_exchange_limit(name)) {
    watch->about_to({{"variant", fmt::format("the limit '{}'", name)}}, Doing::measured);
  } else {
    watch->rest();
  }
}

int watched(const Ranks& ranks, double patience_s, const std::function<int(Watch&)>& work) {
  Watch watch(false);
  distributed::gpu_patience_s = patience_s;
  // Signals are for the thread that does the work.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const std::jthread looks(
      [&](const std::stop_token& ends) { look(ends, ranks, watch, patience_s); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return work(watch);
}

Json failure_of(const Group& group, const Variant& variant) {
  const Problem& problem = group.problem;
  return {{"variant", variant_name(*group.algorithm, variant)},
          {"algorithm", group.algorithm->name},
          {"step", variant.step},
          {"model", name(variant.model)},
          {"size", to_json(problem.size)},
          {"size_text", problem.size.text()},
          {"parameters", to_json(problem.parameters)},
          {"parameters_text", changed(problem.parameters, group.algorithm->parameter_keys).text()},
          {"type", name(problem.type)},
          {"regime", name(group.regime)}};
}

std::string failure_text(const Json& row, bool with_problem) {
  const auto text = [&](const char* field) { return row.value(field, std::string("?")); };
  std::string problem, process;
  if (with_problem && row.contains("size_text")) {
    const std::string parameters = row.value("parameters_text", std::string());
    problem = fmt::format(" {}{}{} {}", text("size_text"), parameters.empty() ? "" : ",",
                          parameters, text("type"));
    if (row.contains("regime")) problem += " " + text("regime");
  }
  if (with_problem && row.contains("process")) {
    process = fmt::format("process {}: ", row["process"].get<int>() + 1);
  }
  return fmt::format("{}{}{} {}, {}", process, text("variant"), problem, text("what"),
                     text("when"));
}

int outcome(bool agree, const std::vector<Json>& failures, const Ranks& ranks) {
  if (!agree && ranks.is_first()) {
    fmt::print(stderr, "portcost: some answers differ: no ratio is given for those pairs\n");
  }
  if (!failures.empty() && ranks.is_first()) {
    fmt::print(stderr, "portcost: {}: what needs it has failed, the rest is measured\n",
               joined(failures, "; ", [](const Json& row) { return failure_text(row, true); }));
  }
  return agree && failures.empty() ? 0 : 1;
}

FailedVariants failed_of(const std::vector<Json>& failures, const Group& group) {
  FailedVariants failed;
  for (const Variant* variant : group.variants) {
    const Json wanted = failure_of(group, *variant);
    for (const Json& row : failures) {
      if (same_variant(row, wanted)) failed[variant] = failure_text(row);
    }
  }
  return failed;
}

bool holds(const std::vector<Json>& failures, const Json& row) {
  return std::ranges::any_of(failures, [&](const Json& held) { return same_variant(held, row); });
}

}  // namespace portcost
