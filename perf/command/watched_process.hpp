// SPDX-License-Identifier: Apache-2.0
// Running variants in a process of its own, so that what a variant does to it ends nothing else.
#pragma once

#include <functional>
#include <string>

#include "perf/command/watch.hpp"

namespace portcost {

/// What the child processes do, and what becomes of a variant that fails in one.
struct WatchedWork {
  std::string name;         // what the process does, in a message: "measures"
  std::string complete;     // when it has done all: "when all was measured"
  double patience_s = 300;  // a process without a sign of life for so long is hung

  /// In a child: does what is left, and returns the exit status.
  std::function<int()> run;
  /// Notes the variant that ended a child, so that the next one leaves it out (failure_of(), with
  /// `what` and `when`). False where it was noted already, so that leaving it out has not helped.
  std::function<bool(const Json& failure)> note;
  /// What is kept of the work when it is stopped or cannot go on, in words; empty: nothing.
  std::function<std::string()> kept;
  std::string unkept;  // what is said of a stop then: "nothing is kept"
};

/// Does the work in a child process. Where that crashes, ends the program, gives up (Watch) or
/// shows no sign of life while a variant ran, the variant is noted and another child goes on.
/// Returns the exit status; throws where a child ended so and no variant was to blame. In a child
/// this returns, too, or throws: both with the exit status to be had from it. Signals that ask to
/// stop are passed on, and a child ends when this process does.
int do_watched(Watch& watch, const WatchedWork& work);

}  // namespace portcost
