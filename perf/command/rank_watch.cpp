// SPDX-License-Identifier: Apache-2.0
#include "perf/command/rank_watch.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "perf/command/failure.hpp"
#include "perf/command/over_ranks.hpp"
#include "src/distributed/path.hpp"
#include "src/memory/stream.hpp"

namespace portcost {

namespace {

// For whom a rank waits, and how many times the patience before it says so.
struct Waits {
  double times = 1;
  std::string_view text = {};
};
constexpr Waits of_others{2, ", it waits for another rank"};
constexpr Waits of_device{1.5, ", it waits for its GPU, which may wait for another rank"};

}  // namespace

void tell_limit(Watch* watch, std::string_view name) {
  // Of a process by itself the supervisor would take it for a variant.
  if (watch == nullptr || watch->gives_up()) return;
  if (is_limit_of_exchange(name)) {
    watch->about_to(row_of_limit(name), Doing::measured);
  } else {
    watch->rest();
  }
}

RankWatch::RankWatch(const Ranks& ranks, const Watch& watch, double patience_s)
    : ranks_(ranks), watch_(watch), patience_s_(patience_s) {
  distributed::gpu_patience_s = patience_s;
  // Signals are for the thread that does the work.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { look(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RankWatch::~RankWatch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void RankWatch::look() {
  // What passes while this process is halted is not counted: hence not the clock's time. Of ranks
  // that hang in the same way the first speaks first.
  const double look_s = std::clamp(patience_s_ / 20, 0.01, 1.0);
  double silent_s = 0;
  std::uint64_t life = 0;
  for (std::unique_lock lock(mutex_); !ends_;) {
    if (ended_.wait_for(lock, std::chrono::duration<double>(look_s), [this] { return ends_; })) {
      return;
    }
    const std::uint64_t now = watch_.life() + signs_of_life_of_ranks();  // both only grow
    const bool silent = now == life && !watch_.ended() && !watch_.last_run().is_null();
    silent_s = silent ? silent_s + look_s : 0;
    life = now;
    if (silent_s < patience_s_) continue;
    const Waits waits = waits_for_other_ranks() ? of_others
                        : waits_for_device()    ? of_device
                                                : Waits();
    if (silent_s >= waits.times * patience_s_ + 0.1 * ranks_.rank()) end_all(waits.text);
  }
}

void RankWatch::end_all(std::string_view waits) const {
  Json row = watch_.last_run();
  row["what"] = fmt::format("hung: no sign of life in {:g} s (--patience){}", patience_s_, waits);
  end_all_ranks(ranks_, failure_text(row, true));
}

}  // namespace portcost
