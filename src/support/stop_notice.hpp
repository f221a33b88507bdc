// SPDX-License-Identifier: Apache-2.0
// What a program says when it is asked to stop.
#pragma once

#include <signal.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "src/support/uncopied.hpp"

namespace portcost {

struct NamedSignal {
  int number;
  const char* name;
};
/// The name of a signal; null where it is none of `known`.
constexpr const char* name_of(int signal, std::span<const NamedSignal> known) {
  const auto one = std::ranges::find(known, signal, &NamedSignal::number);
  return one == known.end() ? nullptr : one->name;
}
inline constexpr std::array<NamedSignal, 5> stop_signals{{{SIGINT, "SIGINT"},
                                                          {SIGTERM, "SIGTERM"},
                                                          {SIGHUP, "SIGHUP"},
                                                          {SIGXCPU, "SIGXCPU"},
                                                          {SIGPIPE, "SIGPIPE"}}};

/// While it lives, these (SIGPIPE: nobody reads the output any more) make the program say one line
/// on the error stream and end with 128 + the signal. A signal that was ignored before (nohup, a
/// job in the background) stays ignored. One at a time.
class StopNotice : Uncopied {
 public:
  StopNotice();
  ~StopNotice();

  /// What is said from now on, after "portcost: stopped by SIGTERM: ", and a file that is removed
  /// then ("": none). Longer than 8000 bytes is cut off.
  void say(const std::string& text, const std::string& remove = "");

  /// From now on nothing is said where `*unless` is not 0 when the signal comes: another process
  /// has said why all end. It outlives every StopNotice; null: always.
  static void silence(const volatile int* unless);

  /// While one lives, stopping waits for its end: what is being written is written completely.
  class Delay : Uncopied {
   public:
    Delay();
    ~Delay();
  };
};

}  // namespace portcost
