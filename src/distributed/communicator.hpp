// SPDX-License-Identifier: Apache-2.0
// The processes (ranks) of an MPI program, and how they fail together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include "src/memory/stream.hpp"

namespace portcost::distributed {

/// A mistake that every rank throws, with the same text: the ranks are together still.
class SharedUsageError final : public UsageError {
  using UsageError::UsageError;
};
class SharedFailure final : public Failure {
 public:
  explicit SharedFailure(const std::string& what) : Failure(Again(), what) {}
};

/// A group of ranks with a context of messages of its own (a duplicate of an MPI communicator).
/// What is called collective here must be called by all ranks, in the same order. Needs an
/// MpiSession.
class Communicator final : public Ranks {
 public:
  Communicator();
  ~Communicator() override;
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  int rank() const override;
  int size() const override;
  void barrier() const override;
  double slowest(double seconds) const override;
  int on_this_node() const override;
  /// The ranks of this computer's memory, in the same order. Collective.
  Communicator of_this_node() const;
  /// For each rank the first one of its computer. Collective.
  std::vector<int> nodes() const;
  /// The ranks with the same `colour`, in the same order, for other messages. Collective.
  Communicator split(int colour) const;

  /// Runs `f` on each rank. Where it throws UsageError or Failure on some, all throw what the first
  /// of them threw, as a SharedUsageError or SharedFailure that names it, "rank 3: ...", unless all
  /// threw the same.
  /// Collective; `f` itself must call nothing that is.
  void together(const std::function<void()>& f) const override;
  /// Throws SharedUsageError, which names a rank with another text than rank 0's, unless `text` is
  /// equal on all: "rank 3 has another size than rank 0: 5, not 4". Collective.
  void require_equal(std::string_view what, const std::string& text) const override;
  std::vector<double> gathered(double value) const override;
  std::vector<std::string> gathered(const std::string& text) const override;
  std::string from_first(const std::string& text) const override;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit Communicator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Memory that a process has shared by CUDA IPC may be freed only when those that have mapped it
/// have closed it.
class Farewell {
 public:
  /// Of this rank and its partners, which have it for one, too. Collective among all `ranks`.
  void meet(const Communicator& ranks, std::vector<int> partners);
  /// This rank has closed what it had of theirs. Returns when the partners have said the same: what
  /// they had of this rank's may go. Some that say nothing are given up after gpu_patience_s; where
  /// an exception goes through here they may be gone, and none is waited for.
  void part() noexcept;

 private:
  std::optional<Communicator> ranks_;
  std::vector<int> partners_;
};

/// The values of each rank. Collective.
template <class T>
std::vector<std::vector<T>> gathered_values(const Ranks& ranks, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::string bytes(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(T));
  std::vector<std::vector<T>> result;
  for (const std::string& text : ranks.gathered(bytes)) {
    result.emplace_back(text.size() / sizeof(T));
    if (!text.empty()) std::memcpy(result.back().data(), text.data(), text.size());
  }
  return result;
}

/// The ranks that work on what is enqueued on `stream`, for variants and instances over processes.
/// Throws Failure where this process works by itself.
const Communicator& communicator_of(const Stream& stream);

/// Starts MPI, calls `f` with all ranks, and ends it. Returns what `f` returns: the greatest of all
/// ranks, on all; 2 for UsageError, 3 for any other exception. Of an exception, one rank writes one
/// line to the error stream: "portcost: rank 3: ...", or without a rank where all say the same.
/// Ranks that throw while others go on (which
/// may wait for them forever) have the whole program ended, with that status, after `patience_s`.
///
/// SIGXFSZ is ignored, so that a file that is too long is an error as any other.
int run_ranks(int& argc, char**& argv, const std::function<int(const Communicator&)>& f,
              double patience_s = 2);

/// Ends all ranks at once with 3, after the line "portcost: rank 3: TEXT" on the error stream: for
/// a thread that sees that this rank goes on no more. Within run_ranks.
[[noreturn]] void end_all(const Communicator& ranks, const std::string& text);

/// Whether this rank is in a call that waits for other ranks. Of any thread.
bool waits_for_others();
/// A number that grows when this rank begins to wait for others, or an exchange: a rank that has
/// hung leaves it as it is. Of any thread.
std::uint64_t signs_of_life();

/// Whether the MPI library says that it takes device pointers: MPIX_Query_cuda_support of Open MPI,
/// MPIX_GPU_query_support of MPICH and what is derived from it. Others are not asked, and take
/// none.
bool takes_device_pointers();

/// "Open MPI v4.1.4, ..." as the library calls itself, in one line.
std::string mpi_library();

/// Gives every rank of a node a GPU of its own among those that it sees (gpus_of_ranks), and
/// selects it. Collective. Throws SharedUsageError, which names the first rank without one and the
/// numbers, where there are fewer and `shared` is false; else they take turns. Returns its number.
int select_device(const Communicator& ranks, bool shared = false);

/// For each rank of a computer the GPU that it takes, by the number that it has for the rank
/// itself. `seen` are the addresses of the GPUs that each of them sees, in its order: all the same
/// ones, or some for each where a launcher shares them out. A rank takes the first that no rank
/// before it has; where none is left, none, or one of those that the fewest have, if GPUs may be
/// `shared`.
inline std::vector<std::optional<int>> gpus_of_ranks(
    const std::vector<std::vector<std::string>>& seen, bool shared) {
  std::map<std::string, int> taken;
  std::vector<std::optional<int>> result;
  for (const std::vector<std::string>& gpus : seen) {
    const auto one = std::ranges::min_element(
        gpus, {}, [&](const std::string& address) { return taken[address]; });
    const bool can = one != gpus.end() && (shared || taken[*one] == 0);
    result.push_back(can ? std::optional(static_cast<int>(one - gpus.begin())) : std::nullopt);
    if (can) ++taken[*one];
  }
  return result;
}

}  // namespace portcost::distributed
