// SPDX-License-Identifier: Apache-2.0
// A program of several processes that fails in the way that its first argument names; a test looks
// at how it ends. The second is a file's path. With a third, the name of a path from GPU to GPU,
// each rank has a GPU, which exchanges with the others before, and waits for them while one fails.
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "src/distributed/exchange.hpp"
#include "src/distributed/files.hpp"
#include "src/distributed/reductions.hpp"
#include "src/support/error.hpp"

namespace portcost::distributed {

namespace {

using Way = std::function<void(const Communicator&, const std::string&)>;

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

// What the others wait in for the rank that has failed.
void go_on(const Communicator& ranks) {
  if (gpus != nullptr) gpus->exchange();
  ranks.barrier();
}

void too_many(const Communicator& ranks, const std::string&) {
  const Processors processors(ranks, Processor{});
  rows(processors, 2, 1);
}

void wide_halo(const Communicator& ranks, const std::string&) {
  const Processors processors(ranks, Processor{});
  rows(processors, 10, 3);
}

void mismatch(const Communicator& ranks, const std::string&) {
  ranks.require_equal("build", ranks.rank() == 2 ? "commit b" : "commit a");
}

void other_array(const Communicator& ranks, const std::string&) {
  const Processors processors(ranks, Processor{});
  rows(processors, ranks.rank() == 1 ? 21 : 20, 1);
}

// One rank throws where the others wait for it.
void alone(const Communicator& ranks, const std::string&) {
  if (ranks.rank() == 1) throw Failure("this rank has its own trouble");
  go_on(ranks);
}

// All throw, each for itself.
void everyone(const Communicator& ranks, const std::string&) {
  throw UsageError("bad input on rank " + std::to_string(ranks.rank()));
}

void dies(const Communicator& ranks, const std::string&) {
  if (ranks.rank() == 1) std::raise(SIGKILL);
  go_on(ranks);
}

void leaves(const Communicator& ranks, const std::string&) {
  if (ranks.rank() == 1) std::_Exit(7);
  go_on(ranks);
}

// It goes on no more, and says nothing.
void hangs(const Communicator& ranks, const std::string&) {
  while (ranks.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(1));
  go_on(ranks);
}

// One GPU lacks the memory for what all ask for.
void gpu_memory(const Communicator& ranks, const std::string&) {
  Buffer<std::byte> much;
  ranks.together([&] {
    if (ranks.rank() == 1) much = Buffer<std::byte>(std::size_t{1} << 44, Place::device);
  });
}

void no_gpu(const Communicator& ranks, const std::string&) { select_device(ranks); }

template <Path path>
void exchange_by(const Communicator& ranks, const std::string&) {
  const Processors processors(ranks, Processor{});
  const Array<double> array = rows(processors, 20, 1);
  const HaloExchange exchange(array, path);
}

// 1.6 MB, to a path that may not take that; no file may have more than 1 MB.
void file(const Communicator& ranks, const std::string& path) {
  const rlimit limit{1000000, 1000000};
  setrlimit(RLIMIT_FSIZE, &limit);
  const Processors processors(ranks, Processor{});
  Array<double> array = rows(processors, 2000, 1);
  array.fill(1);
  gather(array, path);
}

// 32 MiB a rank, of which one lacks the memory for what it writes at a time.
void file_memory(const Communicator& ranks, const std::string& path) {
  const Processors processors(ranks, Processor{});
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

void abort_hangs(const Communicator& ranks, const std::string&) {
  abort_waits = true;
  if (ranks.rank() == 1) end_all(ranks, "this rank ends all");
  go_on(ranks);
}

int run(const Communicator& ranks, int argc, char** argv) {
  const std::map<std::string, Way> ways{
      {"too_many", too_many},
      {"wide_halo", wide_halo},
      {"mismatch", mismatch},
      {"other_array", other_array},
      {"alone", alone},
      {"everyone", everyone},
      {"dies", dies},
      {"leaves", leaves},
      {"hangs", hangs},
      {"gpu_memory", gpu_memory},
      {"no_gpu", no_gpu},
      {"device_pointers", exchange_by<Path::device_pointers>},
      {"file", file},
      {"file_memory", file_memory},
      {"abort_hangs", abort_hangs},
      {"nccl", exchange_by<Path::nccl>},
      {"nothing", [](const Communicator&, const std::string&) {}}};
  const auto way = ways.find(argc > 1 ? argv[1] : "");
  if (way == ways.end()) throw UsageError("the first argument names no way of failing");
  std::optional<OnGpus> mine;
  if (argc > 3) {
    const auto path = std::ranges::find(path_names, std::string_view(argv[3]));
    if (path == path_names.end()) throw UsageError("the third argument names no path");
    gpus = &mine.emplace(ranks, static_cast<Path>(path - path_names.begin()));
    gpus->exchange();
  }
  way->second(ranks, argc > 2 ? argv[2] : "");
  if (gpus != nullptr) gpus->exchange();
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
