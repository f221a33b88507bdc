// SPDX-License-Identifier: Apache-2.0
// What the supervisor is to a process by itself, of one of several that a launcher has started.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

#include "perf/command/watch.hpp"
#include "src/memory/ranks.hpp"

namespace portcost {

/// While it lives, a thread looks at what this rank reports. Where it shows no sign of life (a
/// report, an exchange) for so many seconds while a variant ran, one line names the rank and the
/// variant, and the whole program ends with 3: nobody can be left out when others wait for it.
///
/// A rank that waits for others in a call of MPI is not the one that hangs; so it speaks only after
/// twice that time, when nobody else has. One that waits for its GPU, which may wait for another
/// rank's, speaks before those and after one that waits for nobody.
class RankWatch {
 public:
  /// `ranks` are a launcher's.
  RankWatch(const Ranks& ranks, const Watch& watch, double patience_s);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

 private:
  void look();
  [[noreturn]] void end_all(std::string_view waits) const;

  const Ranks& ranks_;
  const Watch& watch_;
  double patience_s_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;
};

/// A limit is measured next, or none (""). Those of an exchange are looked at: they give signs of
/// life. Others wait for nobody, and take their time.
void tell_limit(Watch* watch, std::string_view name);

/// A command's work on this rank, looked at meanwhile.
template <class Options>
int watched(Options options, const Ranks& ranks, int (*f)(const Options&)) {
  Watch watch(false);
  const RankWatch look(ranks, watch, options.patience_s);
  options.watch = &watch;
  return f(options);
}

}  // namespace portcost
