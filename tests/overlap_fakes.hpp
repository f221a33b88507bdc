// SPDX-License-Identifier: Apache-2.0
// A device that a test plays for transfer_overlap: queues that keep what is enqueued, events, and a
// run of it all in any order that these allow.
#pragma once

#include <random>

#include "tests/support.hpp"
#include "variants/transfer_overlap/schedule.hpp"

namespace portcost::test {

/// Calls that are kept: in the order in which they came, and on their queues.
class FakeDevice {
 public:
  using Piece = transfer_overlap::Piece;

  explicit FakeDevice(const transfer_overlap::Plan& plan)
      : plan_(plan), queues_(static_cast<std::size_t>(plan.queues)) {
    for (std::int64_t i = 0; i < plan.n; ++i) host.push_back(10 * i);
    device_.assign(static_cast<std::size_t>(plan.elements()), -1);
  }

  void begin() { said("begin"); }
  void end() { said("end"); }
  void in(const Piece& p) { add("in", p); }
  void kernel(const Piece& p) { add("kernel", p); }
  void out(const Piece& p) { add("out", p); }
  void mark(const Piece& p) { add("mark", p); }
  void emptied(const Piece& p) {
    add("emptied", p);
    queue(p).back().event = recorded_[p.buffer] = events_++;
  }
  void wait(const Piece& p, const Piece& before) {
    add("wait", p);
    queue(p).back().event = recorded_.at(before.buffer);
  }
  CUstream_st* queue(int) const { return nullptr; }
  bool waits() const { return waiting; }
  bool waiting = false;

  /// "in0 kernel0 out0", in the order in which they came; queues are not told.
  std::string calls() const { return calls_; }
  /// "in0 in2", of one queue.
  std::string calls_of(int number) const {
    std::string text;
    for (const Call& call : queues_[static_cast<std::size_t>(number)]) append(text, call.text());
    return text;
  }

  /// Runs it all: next comes the first call of a queue that is drawn, unless it waits for an event.
  void run(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> done(queues_.size(), 0);
    std::vector<bool> reached(static_cast<std::size_t>(events_), false);
    for (;;) {
      std::vector<std::size_t> ready;
      for (std::size_t q = 0; q < queues_.size(); ++q) {
        if (done[q] == queues_[q].size()) continue;
        const Call& call = queues_[q][done[q]];
        if (call.what != "wait" || reached[static_cast<std::size_t>(call.event)])
          ready.push_back(q);
      }
      if (ready.empty()) return;
      const std::size_t q = ready[random() % ready.size()];
      const Call& call = queues_[q][done[q]++];
      if (call.what == "emptied") reached[static_cast<std::size_t>(call.event)] = true;
      execute(call);
    }
  }

  std::vector<std::int64_t> host;  // element i is 10 i, and, increased, 10 i + 1

 private:
  struct Call {
    std::string what;
    Piece piece{};
    int event = -1;
    std::string text() const { return what + std::to_string(piece.number); }
  };

  static void append(std::string& text, const std::string& word) {
    text += (text.empty() ? "" : " ") + word;
  }
  void said(const std::string& word) { append(calls_, word); }
  std::vector<Call>& queue(const Piece& p) { return queues_.at(static_cast<std::size_t>(p.queue)); }
  void add(const std::string& what, const Piece& p) {
    queue(p).push_back({what, p});
    said(queue(p).back().text());
  }
  void execute(const Call& call) {
    for (std::int64_t i = 0; i < call.piece.count; ++i) {
      std::int64_t& here = host.at(static_cast<std::size_t>(call.piece.first + i));
      std::int64_t& there = device_.at(static_cast<std::size_t>(call.piece.at + i));
      if (call.what == "in") there = here;
      if (call.what == "kernel") ++there;
      if (call.what == "out") here = there;
    }
  }

  transfer_overlap::Plan plan_;
  std::vector<std::vector<Call>> queues_;
  std::vector<std::int64_t> device_;
  std::map<std::int64_t, int> recorded_;  // the last event of each buffer
  int events_ = 0;
  std::string calls_;
};

}  // namespace portcost::test
