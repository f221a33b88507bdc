// SPDX-License-Identifier: Apache-2.0
#include "perf/command/commands.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "src/distributed/exchange.hpp"
#include "src/distributed/exchange_limits.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

namespace {

// The number in a variable; 0 where there is none.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

// Processes that the launcher started, where it says so.
int launched() {
  int most = 0;
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    most = std::max(most, number_in(variable));
  }
  return most;
}

void be_quiet() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
}

const distributed::Communicator& launched_together(const Ranks& ranks) {
  return static_cast<const distributed::Communicator&>(ranks);
}

}  // namespace

bool is_over_ranks(int argc, char** argv) {
  const bool named = std::any_of(argv, argv + argc, [](std::string_view word) {
    return word == "--ranks" || word.starts_with("--ranks=");
  });
  // Slurm's and PMI's variables are also set in a shell that srun has started by itself.
  return named || number_in("OMPI_COMM_WORLD_SIZE") > 0 || launched() > 1;
}

#if !PORTCOST_HAS_MPI

// What a build without MPI has in place of distributed arrays.
namespace distributed {

int run_ranks(int&, char**&, const std::function<int(const Communicator&)>&, double) {
  throw UsageError(
      "several processes were asked for, and this was built without MPI: perf/prepare --mpi "
      "installs it and builds again");
}
void end_all(const Communicator&, const std::string& text) { throw Failure(text); }
bool waits_for_others() { return false; }
std::uint64_t signs_of_life() { return 0; }
std::string mpi_library() { return {}; }
int select_device(const Communicator&, bool) { return 0; }
Path automatic_path(const Communicator&) { return Path::host_memory; }
std::vector<std::string> exchange_limit_names(Place, const Ranks&) { return {}; }
bool is_exchange_limit(std::string_view) { return false; }
Limit measure_exchange(std::string_view, const Stream&) { return {}; }

}  // namespace distributed

#endif

void throw_with(const std::exception& error, const std::string& more) {
  const std::string text = error.what() + more;
  if (dynamic_cast<const distributed::SharedFailure*>(&error) != nullptr) {
    throw distributed::SharedFailure(text);
  }
  throw std::runtime_error(text);
}

int do_over_ranks(int argc, char** argv, const std::function<int(const Ranks&)>& f) {
  return distributed::run_ranks(argc, argv, [&](const distributed::Communicator& ranks) {
    if (!ranks.is_first()) be_quiet();
    return f(ranks);
  });
}

void check_ranks(const Ranks& ranks, int wanted, const std::string& words) {
  ranks.require_equal("commit", commit());
  ranks.require_equal("build", describe_build().dump());
  ranks.require_equal("command", words);
  constexpr std::array variables{"OMP_PROC_BIND", "OMP_PLACES", "OMP_SCHEDULE"};
  ranks.require_equal("binding of threads", joined(variables, " ", [](const char* variable) {
                        const char* const value = std::getenv(variable);
                        return fmt::format("{}={}", variable, value == nullptr ? "" : value);
                      }));
  ranks.together([&] {
    if (ranks.size() == 1 && launched() > 1) {
      reject(
          "{} processes were started, and MPI ({}) knows of this one alone: take the launcher of "
          "that library",
          launched(), distributed::mpi_library());
    }
    if (wanted == 0 || wanted == ranks.size()) return;
    reject(
        "--ranks {}, and {} process{} started: let the launcher start as many (mpirun -n {} "
        "portcost ...), or take perf/run --ranks {}",
        wanted, ranks.size(), ranks.size() == 1 ? " was" : "es were", wanted, wanted);
  });
}

std::optional<int> device_of(const Ranks& ranks, bool shared) {
  if (kokkos_place() == Place::host) return {};
  return distributed::select_device(launched_together(ranks), shared);
}

std::string crowding(Place place, const Ranks& ranks, bool share_gpus) {
  const Cpus node = cpus_of_node(place, ranks);
  std::string mine;
  if (node.threads > node.usable()) {
    mine = fmt::format("{} processes with {} threads on {} processors of a computer",
                       ranks.on_this_node(), node.threads, node.usable());
  } else if (place == Place::device && share_gpus) {
    mine = "processes may share a GPU";
  }
  for (const std::string& text : ranks.gathered(mine)) {
    if (!text.empty()) return text + ": their times mean nothing";
  }
  return {};
}

Json describe_ranks(const Ranks& ranks, std::optional<int> device) {
  const Cpus cpus = find_cpus();
  Json mine{{"computer", host_name()},
            {"affinity", ranges_text(cpus.allowed)},
            {"threads", cpus.threads}};
  if (device) mine["device"] = *device;
  Json each = Json::array();
  for (const std::string& text : ranks.gathered(mine.dump())) each.push_back(Json::parse(text));
  Json result{
      {"count", ranks.size()}, {"mpi", distributed::mpi_library()}, {"each", std::move(each)}};
  if (device) {
    result["automatic_halos"] =
        distributed::name(distributed::automatic_path(launched_together(ranks)));
  }
  return result;
}

std::vector<std::string> limit_names(Place place, const Ranks& ranks) {
  std::vector<std::string> names;
  for (const std::string_view name : limit_names(place)) names.emplace_back(name);
  for (std::string& name : distributed::exchange_limit_names(place, ranks)) {
    names.push_back(std::move(name));
  }
  return names;
}

Limit limit_of(std::string_view name, const Stream& stream) {
  return distributed::is_exchange_limit(name) ? distributed::measure_exchange(name, stream)
                                              : measure_limit(name, stream);
}

RecordPart held_by_first(const Ranks& ranks, const RecordWriter* record) {
  if (ranks.size() == 1) return record != nullptr ? record->held() : RecordPart();
  std::ostringstream mine;
  if (record != nullptr && !record->held().header.is_null()) {
    const std::string& path = record->was_complete() ? record->path() : record->part_path();
    mine << std::ifstream(path).rdbuf();
  }
  std::istringstream text(ranks.from_first(mine.str()));
  return read_record_part(text, "the record of rank 0");
}

}  // namespace portcost
