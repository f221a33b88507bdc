// SPDX-License-Identifier: Apache-2.0
// The whole life of a program of many processes: from the start of MPI to one message and one
// status.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include "src/distributed/mpi_calls.hpp"
#include "src/support/clock.hpp"
#include "src/support/stop_notice.hpp"

namespace portcost::distributed {

namespace {

struct End {
  int status = 0;
  std::string text = {};  // what is wrong; empty: nothing
  bool names = false;     // the text names the rank already
};

End end_of(const Communicator& ranks, const std::function<int(const Communicator&)>& f) {
  try {
    return {f(ranks)};
  } catch (const SharedUsageError& error) {
    return {2, error.what(), true};
  } catch (const UsageError& error) {
    return {2, error.what()};
  } catch (const SharedFailure& error) {
    return {3, error.what(), true};
  } catch (const std::exception& error) {
    return {3, error.what()};
  }
}

void say(const Communicator& ranks, const End& end) {
  const bool named = end.names || ranks.size() == 1;
  const std::string who = named ? "" : fmt::format("rank {}: ", ranks.rank());
  std::string text = end.text;
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' '; }, ' ');
  const std::string line = fmt::format("portcost: {}{}\n", who, text);
  // In one piece, so that no other process's words come between.
  static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
}

// What all ranks say of their ends.
struct Ends {
  int status = 0;  // the greatest
  int first_with_words = 0;
  bool alike = false;  // all say the same
};

// Of the text, and never below 0.
int digest(const std::string& text) {
  return static_cast<int>(std::hash<std::string>()(text) & 0x7fffffff);
}

// Waits for all ranks to say how they ended; nothing where some do not come in time.
std::optional<Ends> ends_of_all(const Communicator& ranks, const End& mine, double patience_s) {
  // The greatest of each: of the ranks, the first is the greatest when it is counted from the end.
  const int words = digest(mine.text);
  int own[4] = {mine.status, mine.text.empty() ? 0 : ranks.size() - ranks.rank(), words, -words};
  int all[4] = {};
  MPI_Request request;
  mpi_check(MPI_Iallreduce(own, all, 4, MPI_INT, MPI_MAX, comm_of(ranks), &request));
  const Clock clock;
  for (int done = 0;;) {
    mpi_check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return Ends{all[0], ranks.size() - all[1], all[2] == -all[3]};
    if (!mine.text.empty() && clock.seconds() > patience_s) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Memory of this computer's ranks, by which one of them says that it has ended all: those that are
// then stopped by a signal need not say so.
class EndedByOne : Uncopied {
 public:
  EndedByOne(const Communicator& ranks, const Communicator& node) {
    int* own = nullptr;
    const MPI_Aint bytes = node.rank() == 0 ? sizeof(int) : 0;
    if (MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, comm_of(node), &own, &window_) !=
        MPI_SUCCESS) {
      // The other ranks are still waiting inside of that call.
      throw std::runtime_error(fmt::format(
          "rank {}: MPI could not make memory that the ranks of a computer share: make room where "
          "temporary files lie (TMPDIR, /dev/shm)",
          ranks.rank()));
    }
    MPI_Aint size = 0;
    int unit = 0;
    mpi_check(MPI_Win_shared_query(window_, 0, &size, &unit, &flag_));
    if (node.rank() == 0) *flag_ = 0;
    node.barrier();
    StopNotice::silence(flag_);
  }
  ~EndedByOne() { StopNotice::silence(nullptr); }

  // When all have ended: waits for all of this computer.
  void free() {
    StopNotice::silence(nullptr);
    flag_ = nullptr;
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }

  // True for the first of this computer's ranks that says so: the others need not speak.
  bool say() const { return flag_ == nullptr || std::atomic_ref<int>(*flag_).exchange(1) == 0; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  int* flag_ = nullptr;
};

// That of the program, while run_all runs.
std::atomic<const EndedByOne*> by_one_of_all{nullptr};

// What is thrown outside of `f`: by MPI itself.
int run_all(const std::function<int(const Communicator&)>& f, double patience_s) {
  const Communicator ranks, at_end;
  const Communicator node = at_end.of_this_node();
  EndedByOne by_one(ranks, node);
  by_one_of_all = &by_one;
  const End mine = end_of(ranks, f);
  // Of several ranks that wait for others in vain, the first speaks first, and ends the others
  // before they do.
  const double patience = patience_s + 0.1 * ranks.rank();
  const auto ends = ends_of_all(at_end, mine, patience);
  by_one_of_all = nullptr;
  if (!ends) {
    if (by_one.say()) say(ranks, mine);
    MPI_Abort(MPI_COMM_WORLD, mine.status);
  } else if (ends->first_with_words == ranks.rank()) {
    say(ranks, {mine.status, mine.text, mine.names || ends->alike});
  }
  if (ends) by_one.free();
  return ends ? ends->status : mine.status;
}

}  // namespace

void end_all(const Communicator& ranks, const std::string& text) {
  const EndedByOne* const by_one = by_one_of_all;
  if (by_one == nullptr || by_one->say()) say(ranks, {3, text});
  // MPI may be held by the thread that goes on no more: then the end of this process ends the rest.
  std::signal(SIGALRM, [](int) { _exit(3); });
  alarm(5);
  MPI_Abort(MPI_COMM_WORLD, 3);
  _exit(3);
}

int run_ranks(int& argc, char**& argv, const std::function<int(const Communicator&)>& f,
              double patience_s) {
  std::signal(SIGXFSZ, SIG_IGN);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 3;
  try {
    status = run_all(f, patience_s);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "portcost: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return status;
}

}  // namespace portcost::distributed
