// SPDX-License-Identifier: Apache-2.0
// What the process that runs variants reports to the one that watches it.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>

#include "perf/command/campaign.hpp"

namespace portcost {

/// What is done with a variant.
enum class Doing { made, first_run, judged, measured, released, after };
/// "in its first run"
std::string_view when(Doing doing);

/// One T that this process and all children it forks see. Pages that nobody writes to take no
/// memory.
template <class T>
class Shared : Uncopied {
 public:
  static_assert(std::is_trivially_destructible_v<T>);
  Shared() {
    void* const memory =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw Failure(
          fmt::format("no memory to share with another process ({})", std::strerror(errno)));
    }
    value_ = new (memory) T;
  }
  ~Shared() { munmap(value_, sizeof(T)); }

  T* get() const { return value_; }

 private:
  T* value_;
};

/// Memory that a process shares with the children it forks. Reporting costs no system call, so that
/// it disturbs no measurement, and the last report is still there after a crash.
class Watch : Uncopied {
 public:
  /// `gives_up`: what a variant throws ends the process in its name (guarded()); else it is thrown
  /// on.
  explicit Watch(bool gives_up = true);
  ~Watch();

  // Of the process that runs variants.

  /// The variants that will be named until the next group; none of them has run.
  void begin(const Group& group);
  /// `variant` of this group is run next, or made, or released. Also a sign of life.
  void about_to(const Variant& variant, Doing doing);
  /// The same of what is no variant of a group: `row` says it as failure_of() does, as far as it
  /// has those fields.
  void about_to(const Json& row, Doing doing);
  /// Until the next one, nothing runs that could hang.
  void rest();
  /// It has done so, and nothing of it runs.
  void done();
  bool gives_up() const { return gives_up_; }
  /// Ends the process, since the variant that ran last has thrown this. Nothing is tidied up: with
  /// a broken device that might not come to an end.
  [[noreturn]] void give_up(const std::string& why);
  /// From now on, nothing that happens is a variant's fault: the record is complete, or the
  /// campaign ends with an exit status of its own.
  void end();

  // Of both.

  /// Counts what was printed, so that a process that goes on prints nothing again.
  struct Printed {
    std::atomic<int> limits{0}, tables{0};
  };
  Printed& printed() const;

  // Of the process that watches.

  /// Before a child starts: forgets what the one before has reported, but for what it printed.
  void expect_child();
  /// Another number whenever there was a sign of life.
  std::uint64_t life() const;
  bool ended() const;
  /// The variant that ran last in the group being measured, as failure_of(), with `when`; null
  /// where none has run yet.
  Json last_run() const;
  /// What it has thrown; none where the process ended otherwise.
  std::optional<std::string> thrown() const;

 private:
  struct Board;
  std::unique_ptr<Shared<Board>> memory_;
  Board* board_;
  const Group* group_ = nullptr;
  bool gives_up_;
};

/// Does `work`, which belongs to the variant that `watch` was told of last: what it throws, a
/// UsageError apart, ends the process in that variant's name. Without a watch that gives up it is
/// thrown on.
template <class Work>
auto guarded(Watch* watch, const Work& work) {
  if (watch == nullptr) return work();
  try {
    auto result = work();
    watch->done();
    return result;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    if (!watch->gives_up()) throw;
    watch->give_up(error.what());
  } catch (...) {
    if (!watch->gives_up()) throw;
    watch->give_up("an exception without words");
  }
}

/// Does a command's work on this rank, one of a launcher's. Meanwhile another thread ends the whole
/// program, with a line, where a variant shows no sign of life for so many seconds.
int watched(const Ranks& ranks, double patience_s, const std::function<int(Watch&)>& work);

/// A limit is measured next, or none (""). Those of an exchange are looked at: they give signs of
/// life. Others wait for nobody, and take their time.
void tell_limit(Watch* watch, std::string_view name);

}  // namespace portcost
