// SPDX-License-Identifier: Apache-2.0
// A program of several processes that fails in the way that its first argument names; a test looks
// at how it ends. The second is a file's path. With a third, the name of a path from GPU to GPU,
// each rank has a GPU, which exchanges with the others before, and waits for them while one fails.
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "src/distributed/exchange.hpp"
#include "src/distributed/files.hpp"
#include "src/distributed/reductions.hpp"

namespace portcost::distributed {

namespace {

Array<double> rows(const Processors& processors, std::int64_t count, std::int64_t width) {
  const int parts = processors.count();
  return {processors, {Distribution({1, count, 100}, parts, {{1, parts, 1}}), {{0, width, 0}}}};
}

// An array of GPUs, one of each rank, whose halos go by a path.
class OnGpus {
 public:
  OnGpus(const Communicator& ranks, Path path)
      : device_(selected(ranks)),
        processors_(ranks, Processor{Place::device, 1}),
        array_(processors_,
               {Distribution({1, 8 * ranks.size(), 100}, ranks.size(), {{1, ranks.size(), 1}}),
                {{0, 1, 0}}},
               &device_),
        halos_(array_, path, {false, patience_s}) {
    array_.fill(1);
  }
  /// Several, of which the host waits for the last alone.
  void exchange() {
    for (int times = 0; times < 5; ++times) halos_.run(array_);
    device_.synchronize();
  }

 private:
  static constexpr double patience_s = 3;
  static Place selected(const Communicator& ranks) {
    select_device(ranks);
    return Place::device;
  }
  Stream device_;
  Processors processors_;
  Array<double> array_;
  HaloExchange halos_;
};

OnGpus* gpus = nullptr;  // where a path is named

// 1.6 MB, to a path that may not take that; no file may have more than 1 MB.
void write_large(const Processors& processors, const std::string& path) {
  const rlimit limit{1000000, 1000000};
  setrlimit(RLIMIT_FSIZE, &limit);
  Array<double> array = rows(processors, 2000, 1);
  array.fill(1);
  gather(array, path);
}

// 32 MiB a rank, of which one lacks the memory for what it writes at a time.
void write_without_memory(const Communicator& ranks, const Processors& processors,
                          const std::string& path) {
  Array<double> array = rows(processors, ranks.size() * 41944, 1);
  array.fill(1);
  if (ranks.rank() == 1) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (16 << 20);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
  }
  gather(array, path);
}

// MPI_Abort (below) does not return.
std::atomic<bool> abort_waits{false};

void fail(std::string_view way, const Communicator& ranks, const std::string& path) {
  const Processors processors(ranks, Processor{});
  const int rank = ranks.rank();
  if (way == "too_many") rows(processors, 2, 1);
  if (way == "wide_halo") rows(processors, 10, 3);
  if (way == "other_array") rows(processors, rank == 1 ? 21 : 20, 1);
  if (way == "mismatch") ranks.require_equal("build", rank == 2 ? "commit b" : "commit a");
  if (way == "nccl") HaloExchange(rows(processors, 20, 1), Path::nccl);
  if (way == "device_pointers") HaloExchange(rows(processors, 20, 1), Path::device_pointers);
  if (way == "no_gpu") select_device(ranks);
  if (way == "file") write_large(processors, path);
  if (way == "file_memory") write_without_memory(ranks, processors, path);
  // All throw, each for itself.
  if (way == "everyone") throw UsageError("bad input on rank " + std::to_string(rank));
  // One GPU lacks the memory for what all ask for.
  if (way == "gpu_memory") {
    ranks.together([&] {
      if (rank == 1) Buffer<std::byte>(std::size_t{1} << 44, Place::device);
    });
  }
  // One rank fails where the others wait for it.
  abort_waits = way == "abort_hangs";
  if (rank == 1) {
    if (way == "alone") throw Failure("this rank has its own trouble");
    if (way == "dies") std::raise(SIGKILL);
    if (way == "leaves") std::_Exit(7);
    if (way == "abort_hangs") end_all(ranks, "this rank ends all");
    // It goes on no more, and says nothing.
    while (way == "hangs") std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  if (gpus != nullptr) gpus->exchange();
  ranks.barrier();
}

constexpr std::array<std::string_view, 17> ways{
    "nothing", "too_many",   "wide_halo",   "other_array", "mismatch",       "nccl",
    "dies",    "no_gpu",     "file",        "file_memory", "everyone",       "alone",
    "leaves",  "gpu_memory", "abort_hangs", "hangs",       "device_pointers"};

int run(const Communicator& ranks, int argc, char** argv) {
  const std::string_view way = argc > 1 ? argv[1] : "";
  if (std::ranges::find(ways, way) == ways.end()) {
    throw UsageError("the first argument names no way of failing");
  }
  std::optional<OnGpus> mine;
  if (argc > 3) {
    const auto path = std::ranges::find(path_names, std::string_view(argv[3]));
    if (path == path_names.end()) throw UsageError("the third argument names no path");
    gpus = &mine.emplace(ranks, static_cast<Path>(path - path_names.begin()));
    gpus->exchange();
  }
  fail(way, ranks, argc > 2 ? argv[2] : "");
  return 0;
}

}  // namespace

}  // namespace portcost::distributed

// Takes the library's place.
int MPI_Abort(MPI_Comm comm, int status) {
  while (portcost::distributed::abort_waits) std::this_thread::sleep_for(std::chrono::seconds(1));
  return PMPI_Abort(comm, status);
}

int main(int argc, char** argv) {
  using namespace portcost::distributed;
  return run_ranks(argc, argv, [&](const Communicator& ranks) { return run(ranks, argc, argv); });
}
