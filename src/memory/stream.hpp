// SPDX-License-Identifier: Apache-2.0
// Where work runs: an in-order queue of a place, more queues beside it, and the processes that work
// together. On the host, work is done when its call returns and a queue is always empty.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "src/memory/place.hpp"
#include "src/memory/ranks.hpp"

struct CUstream_st;
struct CUevent_st;

namespace portcost {

/// Whose blocks a GPU starts first where several queues have some. (Blocks that run go on.)
enum class Priority { normal, high };

/// Whether this process is in a call of Stream or Event that waits for its GPU. Of any thread.
bool waits_for_device();

/// Owns one CUDA stream on the device; nothing on the host. Both sides of a pair are enqueued on
/// the same one. Work of several processes: each has a Stream of its own, with their Ranks.
class Stream {
 public:
  explicit Stream(Place place, const Ranks& ranks = alone(), Priority priority = Priority::normal);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Place place() const { return place_; }
  const Ranks& ranks() const { return ranks_; }
  /// The cudaStream_t; null on the host.
  CUstream_st* native() const { return native_; }
  /// As CUDA knows it; on the host normal.
  Priority priority() const;
  /// Blocks until everything enqueued is done; throws Failure with the first error the work met.
  void synchronize() const;
  /// Has `f` called before the stream ends: for what was built on it and must not outlive it.
  void at_end(std::function<void()> f) const { at_end_.push_back(std::move(f)); }

 private:
  Place place_;
  const Ranks& ranks_;
  CUstream_st* native_ = nullptr;
  mutable std::vector<std::function<void()>> at_end_;
};

/// Has `check` called at the end of each synchronize() of the stream, which throws what it throws,
/// as long as what is returned is kept: for work that fails without an error of the CUDA runtime.
/// The stream may end before.
using Check = std::function<void()>;
std::shared_ptr<Check> watch(const Stream& stream, Check check);

/// A point of a queue, for other queues to wait for, or to be timed. What is enqueued is not waited
/// for by the host. On the host a queue is always at its end, so only time passes.
class Event {
 public:
  Event() = default;
  explicit Event(Place place, bool timed = false);
  ~Event();
  Event(Event&& other) noexcept { swap(other); }
  Event& operator=(Event&& other) noexcept {
    Event(std::move(other)).swap(*this);
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// What is on the queue now comes before it. Recorded again, it is another point; who has waited
  /// for the one before still does. A cudaStream_t; null on the host.
  void record(CUstream_st* queue);
  /// What is enqueued from now on, on that queue, runs after it. Not recorded yet: after nothing.
  void enqueue_wait(CUstream_st* queue) const;
  /// Waits for both, which must be timed and have been recorded.
  double seconds_since(const Event& start) const;
  /// The host waits for what was last recorded. Throws nothing: for destructors.
  void finish() const noexcept;

  void swap(Event& other) noexcept {
    std::swap(native_, other.native_);
    std::swap(recorded_s_, other.recorded_s_);
  }

 protected:
  CUevent_st* native_ = nullptr;

 private:
  double recorded_s_ = 0;  // on the host
};

/// Several queues whose work may run at the same time. Work between fork() and join() counts as the
/// main queue's for all who wait for that one or time it.
class Queues {
 public:
  /// `count` queues, at least one; queue 0 is `main`, which must outlive this. `others`: of all but
  /// that one.
  Queues(const Stream& main, int count, Priority others = Priority::normal);
  ~Queues();
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  int size() const { return 1 + static_cast<int>(others_.size()); }
  const Stream& operator[](int queue) const;
  /// What is enqueued from now on, on any queue, runs after what is on the main one.
  void fork() const;
  /// What is enqueued on the main queue from now on runs after what is on all.
  void join() const;

 private:
  struct Other;
  const Stream& main_;
  std::vector<std::unique_ptr<Other>> others_;
};

}  // namespace portcost
