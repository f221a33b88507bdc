// SPDX-License-Identifier: Apache-2.0
#include "src/support/stop_notice.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <iterator>

namespace portcost {

namespace {

constexpr std::size_t longest = 8000;
struct Message {
  char text[longest + 1];
  char remove[longest + 1];
};

// A handler may run between any two instructions and on any thread: it reads the message that
// `current` points to, while the next one is being written to the other buffer.
std::array<Message, 2> messages;
std::atomic<const Message*> current{messages.data()};
std::atomic<int> delays{0}, pending{0};
std::atomic<const volatile int*> silent{nullptr};
std::array<struct sigaction, stop_signals.size()> before;

static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<const Message*>::is_always_lock_free);

iovec part(const char* text) { return {const_cast<char*>(text), std::strlen(text)}; }

// Only what may be called in a handler.
[[noreturn]] void stop(int number) {
  const Message& message = *current.load();
  const char* const fresh_line = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";
  const iovec parts[]{part(fresh_line),
                      part("portcost: stopped by "),
                      part(name_of(number, stop_signals)),
                      part(": "),
                      part(message.text),
                      part("\n")};
  const volatile int* const unless = silent.load();
  if (unless == nullptr || *unless == 0) {
    static_cast<void>(!writev(STDERR_FILENO, parts, static_cast<int>(std::size(parts))));
  }
  if (message.remove[0] != '\0') unlink(message.remove);
  _exit(128 + number);
}

void on_signal(int number) {
  pending = number;
  // The Delay that ends meanwhile sees `pending`, or this sees that it has ended.
  if (delays == 0) stop(number);
}

}  // namespace

StopNotice::StopNotice() {
  pending = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    sigaction(stop_signals[i].number, nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(stop_signals[i].number, &action, nullptr);
  }
}

StopNotice::~StopNotice() {
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    sigaction(stop_signals[i].number, &before[i], nullptr);
  }
}

void StopNotice::say(const std::string& text, const std::string& remove) {
  Message& next = messages[current.load() == &messages[0] ? 1 : 0];
  next.text[text.copy(next.text, longest)] = '\0';
  next.remove[remove.copy(next.remove, longest)] = '\0';
  current = &next;
}

void StopNotice::silence(const volatile int* unless) { silent = unless; }

StopNotice::Delay::Delay() { ++delays; }

StopNotice::Delay::~Delay() {
  if (--delays == 0 && pending != 0) stop(pending);
}

}  // namespace portcost
