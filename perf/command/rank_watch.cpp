// SPDX-License-Identifier: Apache-2.0
#include "perf/command/rank_watch.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "perf/command/failure.hpp"
#include "perf/command/over_ranks.hpp"

namespace portcost {

RankWatch::RankWatch(const Ranks& ranks, const Watch& watch, double patience_s)
    : ranks_(ranks), watch_(watch), patience_s_(patience_s) {
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
  // that hang in their own GPUs the first speaks first.
  const double look_s = std::clamp(patience_s_ / 20, 0.01, 1.0);
  const double most_s = patience_s_ + 0.1 * ranks_.rank();
  double silent_s = 0;
  std::uint64_t life = watch_.life();
  for (std::unique_lock lock(mutex_); !ends_;) {
    if (ended_.wait_for(lock, std::chrono::duration<double>(look_s), [this] { return ends_; })) {
      return;
    }
    const std::uint64_t now = watch_.life();
    const bool silent = now == life && !watch_.ended() && !watch_.last_run().is_null();
    silent_s = silent ? silent_s + look_s : 0;
    life = now;
    if (silent_s < most_s) continue;
    const bool waits = waits_for_other_ranks();
    if (!waits || silent_s >= patience_s_ + most_s) end_all(waits);
  }
}

void RankWatch::end_all(bool waits) const {
  Json row = watch_.last_run();
  row["what"] = fmt::format("hung: no sign of life in {:g} s (--patience){}", patience_s_,
                            waits ? ", it waits for another rank" : "");
  end_all_ranks(ranks_, failure_text(row, true));
}

}  // namespace portcost
