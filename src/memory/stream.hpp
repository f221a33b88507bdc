// SPDX-License-Identifier: Apache-2.0
// Where work runs: an in-order queue of a place, more queues beside it, and the processes that work
// together. On the host, work is done when its call returns and a queue is always empty.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "src/memory/place.hpp"

struct CUstream_st;
struct CUevent_st;

namespace portcost {

/// As MPI numbers them. Every call but rank() and size() is collective: all ranks make it, in the
/// same order. What a process by itself does (alone()) costs nothing.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// Returns when all ranks have called it.
  virtual void barrier() const {}
  /// The largest `seconds` of all ranks: what decides (times, when to stop) is then the same on
  /// all.
  virtual double slowest(double seconds) const { return seconds; }
  /// The value of each rank.
  virtual std::vector<double> gathered(double value) const { return {value}; }
  virtual std::vector<std::string> gathered(const std::string& text) const { return {text}; }
  /// What rank 0 gives.
  virtual std::string from_first(const std::string& text) const { return text; }
  /// Runs `f` on each rank; where it throws on some, all throw what the first of them threw, in
  /// words that name it.
  virtual void together(const std::function<void()>& f) const { f(); }
  /// Throws UsageError, which names a rank with another text than rank 0's, unless all have the
  /// same.
  virtual void require_equal(std::string_view, const std::string&) const {}
  /// How many of them share this computer's memory and processors.
  virtual int on_this_node() const { return 1; }

  bool is_first() const { return rank() == 0; }
  double least(double value) const { return -slowest(-value); }
  double sum(double value) const;
  bool any(bool mine) const { return slowest(mine ? 1 : 0) > 0; }
};

/// This process by itself.
const Ranks& alone();

/// Whose blocks a GPU starts first where several queues have some. (Blocks that run go on.)
enum class Priority { normal, high };

/// Whether this process is in a call of Stream or Event that waits for its GPU. Of any thread.
bool waits_for_device();

/// Owns one CUDA stream on the device; nothing on the host. Both sides of a pair are enqueued on
/// the same one. Work of several processes: each has a Stream of its own, with their Ranks.
class Stream : Uncopied {
 public:
  explicit Stream(Place place, const Ranks& ranks = alone(), Priority priority = Priority::normal);
  ~Stream();

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
class Queues : Uncopied {
 public:
  /// `count` queues, at least one; queue 0 is `main`, which must outlive this. `others`: of all but
  /// that one.
  Queues(const Stream& main, int count, Priority others = Priority::normal);
  ~Queues();

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
