// SPDX-License-Identifier: Apache-2.0
// How the data is cut, in which order the calls for its pieces come, and what they wait for: the
// same for all models. A model's Calls say what a call is:
//
//   begin(), end()           around a run: what runs before it and after it
//   in(p), out(p)            piece p from the host's array to its device buffer, and back
//   kernel(p)                the work on its device buffer
//   mark(p)                  an event behind its kernel
//   emptied(p), wait(p, q)   an event behind out(q); in(p), in the same buffer, comes after it
//   queue(number)            the native queue (a cudaStream_t; null on the host)
//   waits()                  true where some wait for the work: no runs are queued ahead of a
//   device
//
// Calls on one queue run in their order; of two queues, only what an event orders. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "src/contract/algorithm.hpp"
#include "src/timing/timeline.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::transfer_overlap {

/// A stretch of the data: elements first .. first + count - 1, which lie in device memory from
/// element `at` on, and the queue that its calls go to.
struct Piece {
  std::int64_t number, first, count, at, buffer;
  int queue;
};

/// Pieces of `length` elements, the last one perhaps shorter, go round `queues` queues and, in
/// device memory, round `buffers` buffers of `length` elements.
struct Plan {
  std::int64_t n, length, pieces, buffers;
  int queues;

  Piece piece(std::int64_t i) const {
    const std::int64_t first = i * length, buffer = i % buffers;
    return {i,
            first,
            std::min(length, n - first),
            buffer * length,
            buffer,
            static_cast<int>(i % queues)};
  }
  /// True where piece i finds its buffer used, by piece i - buffers, on another queue.
  bool waits(std::int64_t i) const { return i >= buffers && i % queues != (i - buffers) % queues; }
  /// Of device memory.
  std::int64_t elements() const { return std::min(n, buffers * length); }
};

/// How a problem is cut: into `chunks` pieces of equal length, or fewer where rounding up leaves
/// nothing for the last ones.
struct Cut {
  std::int64_t n, chunks, buffers;
  int streams;

  std::int64_t length() const { return ceil_div(n, std::min(chunks, n)); }
  std::int64_t pieces() const { return ceil_div(n, length()); }
  /// All data at once, on one queue.
  Plan whole() const { return {n, n, 1, 1, 1}; }
  /// In chunks, each with device memory of its own.
  Plan chunked() const { return {n, length(), pieces(), pieces(), queues()}; }
  /// In chunks that share `buffers` buffers; 0: half as many as there are chunks.
  Plan ring() const {
    const std::int64_t wanted = buffers > 0 ? buffers : ceil_div(pieces(), 2);
    return {n, length(), pieces(), std::min(wanted, pieces()), queues()};
  }

 private:
  int queues() const { return static_cast<int>(std::min<std::int64_t>(streams, pieces())); }
};

/// Piece by piece: copy in, kernel, copy out (the chapter's version 1). Of one piece it is the
/// sequential run; with fewer buffers than pieces, a ring.
struct OneLoop {
  template <class Calls>
  void operator()(const Plan& plan, Calls& calls) const {
    for (std::int64_t i = 0; i < plan.pieces; ++i) {
      const Piece p = plan.piece(i);
      if (plan.waits(i)) calls.wait(p, plan.piece(i - plan.buffers));
      calls.in(p);
      calls.kernel(p);
      calls.out(p);
      const std::int64_t next = i + plan.buffers;
      if (next < plan.pieces && plan.waits(next)) calls.emptied(p);
    }
  }
};

/// All copies in, all kernels, all copies out (version 2); needs a buffer for each piece. Version 3
/// is `marked`: it has an event behind each kernel, for which nothing waits.
template <bool marked>
struct InThreeLoops {
  template <class Calls>
  void operator()(const Plan& plan, Calls& calls) const {
    for (std::int64_t i = 0; i < plan.pieces; ++i) calls.in(plan.piece(i));
    for (std::int64_t i = 0; i < plan.pieces; ++i) {
      calls.kernel(plan.piece(i));
      if constexpr (marked) calls.mark(plan.piece(i));
    }
    for (std::int64_t i = 0; i < plan.pieces; ++i) calls.out(plan.piece(i));
  }
};
using ThreeLoops = InThreeLoops<false>;
using ThreeLoopsMarked = InThreeLoops<true>;

/// The part of Calls that models take from the harness: its queues, the first of which is the one
/// that it times, and events between them.
class OnQueues {
 public:
  OnQueues(const Stream& main, const Plan& plan)
      : queues_(main, plan.queues), mark_(main.place(), true) {
    if (plan.buffers == plan.pieces) return;
    for (std::int64_t i = 0; i < plan.buffers; ++i) emptied_.emplace_back(main.place());
  }
  void begin() const { queues_.fork(); }
  void end() const { queues_.join(); }
  void mark(const Piece& p) { mark_.record(queue(p.queue)); }
  void emptied(const Piece& p) { of(p).record(queue(p.queue)); }
  void wait(const Piece& p, const Piece&) { of(p).enqueue_wait(queue(p.queue)); }
  CUstream_st* queue(int number) const { return queues_[number].native(); }
  /// A host's calls return when their work is done.
  bool waits() const { return queues_[0].place() == Place::host; }

 private:
  Event& of(const Piece& p) { return emptied_.at(static_cast<std::size_t>(p.buffer)); }

  Queues queues_;
  Event mark_;
  std::vector<Event> emptied_;  // of a ring, by buffer
};

/// Calls with an event before and after each copy and kernel.
template <class Calls>
class Timed {
 public:
  Timed(Calls& calls, Timeline& timeline) : calls_(calls), timeline_(timeline) {}
  void in(const Piece& p) {
    record("copy in", p, [&] { calls_.in(p); });
  }
  void kernel(const Piece& p) {
    record("kernel", p, [&] { calls_.kernel(p); });
  }
  void out(const Piece& p) {
    record("copy out", p, [&] { calls_.out(p); });
  }
  void mark(const Piece& p) { calls_.mark(p); }
  void emptied(const Piece& p) { calls_.emptied(p); }
  void wait(const Piece& p, const Piece& before) { calls_.wait(p, before); }

 private:
  template <class Call>
  void record(std::string_view what, const Piece& p, const Call& call) {
    timeline_.record(what, p.number, p.queue, calls_.queue(p.queue), call);
  }

  Calls& calls_;
  Timeline& timeline_;
};

/// A run: a model's Calls in an Order, and `beside`, which the host does while they run.
template <class Order, class Calls>
class Pipeline final : public Execution {
 public:
  Pipeline(const Plan& plan, bool waits, std::unique_ptr<Calls> calls, std::function<void()> beside)
      : plan_(plan), waits_(waits), calls_(std::move(calls)), beside_(std::move(beside)) {}
  void run(int) override {
    calls_->begin();
    if (timeline_ != nullptr) {
      Timed<Calls> timed(*calls_, *timeline_);
      Order()(plan_, timed);
    } else {
      Order()(plan_, *calls_);
    }
    beside_();
    calls_->end();
  }
  bool queued_ahead() const override { return !waits_; }
  bool write_to(Timeline& timeline) override {
    timeline_ = &timeline;
    return true;
  }

 private:
  Plan plan_;
  bool waits_;
  std::unique_ptr<Calls> calls_;
  std::function<void()> beside_;
  Timeline* timeline_ = nullptr;
};

}  // namespace portcost::transfer_overlap
