// SPDX-License-Identifier: Apache-2.0
#include "perf/command/over_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "src/machine/cpus.hpp"
#include "src/machine/machine.hpp"
#include "src/record/record_part.hpp"
#include "src/support/error.hpp"
#include "src/timing/load_probe.hpp"
#include "variants/shared/kokkos_runtime.hpp"
#if PORTCOST_HAS_MPI
#include "src/distributed/communicator.hpp"
#include "src/distributed/exchange.hpp"
#include "src/distributed/exchange_limits.hpp"
#endif

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

std::string variables_of_openmp() {
  std::string text;
  for (const char* variable : {"OMP_PROC_BIND", "OMP_PLACES", "OMP_SCHEDULE"}) {
    const char* const value = std::getenv(variable);
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", variable, value == nullptr ? "" : value);
  }
  return text;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

bool is_over_ranks(int argc, char** argv) {
  const bool named = std::any_of(argv, argv + argc, [](std::string_view word) {
    return word == "--ranks" || word.starts_with("--ranks=");
  });
  // Slurm's and PMI's variables are also set in a shell that srun has started by itself.
  return named || number_in("OMPI_COMM_WORLD_SIZE") > 0 || launched() > 1;
}

#if PORTCOST_HAS_MPI

namespace {

// The standard output goes nowhere.
void be_quiet() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
}

}  // namespace

bool waits_for_other_ranks() { return distributed::waits_for_others(); }
bool is_limit_of_exchange(std::string_view name) { return distributed::is_exchange_limit(name); }
std::uint64_t signs_of_life_of_ranks() { return distributed::signs_of_life(); }

void end_all_ranks(const Ranks& ranks, const std::string& text) {
  distributed::end_all(dynamic_cast<const distributed::Communicator&>(ranks), text);
}

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

namespace {

std::string launch_fault(const Ranks& ranks) {
  return ranks.size() == 1 && launched() > 1
             ? fmt::format(
                   "{} processes were started, and MPI ({}) knows of this one alone: take "
                   "the launcher of that library",
                   launched(), distributed::mpi_library())
             : "";
}

std::string library() { return distributed::mpi_library(); }

std::vector<std::string> names_of_exchange(Place place, const Ranks& ranks) {
  return distributed::exchange_limit_names(place, ranks);
}
std::optional<Limit> exchange_limit(std::string_view name, const Stream& stream) {
  if (!distributed::is_exchange_limit(name)) return {};
  return distributed::measure_exchange(name, stream);
}

std::string automatic_halos(const Ranks& ranks) {
  const auto& all = dynamic_cast<const distributed::Communicator&>(ranks);
  return std::string(distributed::name(distributed::automatic_path(all)));
}

int select_device_of(const Ranks& ranks, bool shared) {
  return distributed::select_device(dynamic_cast<const distributed::Communicator&>(ranks), shared);
}

}  // namespace

#else

bool waits_for_other_ranks() { return false; }
bool is_limit_of_exchange(std::string_view) { return false; }
std::uint64_t signs_of_life_of_ranks() { return 0; }
void end_all_ranks(const Ranks&, const std::string& text) { throw Failure(text); }

void throw_with(const std::exception& error, const std::string& more) {
  throw std::runtime_error(error.what() + more);
}

int do_over_ranks(int, char**, const std::function<int(const Ranks&)>&) {
  throw UsageError(
      "several processes were asked for, and this was built without MPI: perf/prepare --mpi "
      "installs it and builds again");
}

namespace {

std::string launch_fault(const Ranks&) { return {}; }
std::string library() { return {}; }
std::vector<std::string> names_of_exchange(Place, const Ranks&) { return {}; }
std::optional<Limit> exchange_limit(std::string_view, const Stream&) { return {}; }
std::string automatic_halos(const Ranks&) { return {}; }
int select_device_of(const Ranks&, bool) { return 0; }

}  // namespace

#endif

void check_ranks(const Ranks& ranks, int wanted, const std::string& words) {
  ranks.require_equal("commit", commit());
  ranks.require_equal("build", describe_build().dump());
  ranks.require_equal("command", words);
  ranks.require_equal("binding of threads", variables_of_openmp());
  ranks.together([&] {
    if (const std::string fault = launch_fault(ranks); !fault.empty()) throw UsageError(fault);
    if (wanted == 0 || wanted == ranks.size()) return;
    throw UsageError(fmt::format(
        "--ranks {}, and {} process{} started: let the launcher start as many (mpirun -n {} "
        "portcost ...), or take perf/run --ranks {}",
        wanted, ranks.size(), ranks.size() == 1 ? " was" : "es were", wanted, wanted));
  });
}

std::optional<int> device_of(const Ranks& ranks, bool shared) {
  if (kokkos_place() == Place::host) return {};
  return select_device_of(ranks, shared);
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
  Json result{{"count", ranks.size()}, {"mpi", library()}, {"each", std::move(each)}};
  if (device) result["automatic_halos"] = automatic_halos(ranks);
  return result;
}

std::vector<std::string> limit_names(Place place, const Ranks& ranks) {
  std::vector<std::string> names;
  for (const std::string_view name : limit_names(place)) names.emplace_back(name);
  for (std::string& name : names_of_exchange(place, ranks)) names.push_back(std::move(name));
  return names;
}

Limit limit_of(std::string_view name, const Stream& stream) {
  if (auto exchange = exchange_limit(name, stream)) return *exchange;
  return measure_limit(name, stream);
}

RecordPart from_first(const Ranks& ranks, const RecordPart& part) {
  if (ranks.size() == 1) return part;
  Json mine{{"header", part.header},     {"limits", part.limits}, {"results", part.results},
            {"failures", part.failures}, {"ended", part.ended},   {"samples", Json::array()}};
  for (const auto& [id, samples] : part.samples) {
    for (const Sample& sample : samples) {
      mine["samples"].push_back({id, to_json(sample), sample.timing.ranks_s});
    }
  }
  const Json first = Json::parse(ranks.from_first(mine.dump()));
  RecordPart result;
  result.header = first["header"];
  result.limits = first["limits"].get<std::vector<Json>>();
  result.results = first["results"].get<std::vector<Json>>();
  result.failures = first["failures"].get<std::vector<Json>>();
  result.ended = first["ended"];
  for (const Json& row : first["samples"]) {
    Sample sample = sample_from(row.at(1));
    row.at(2).get_to(sample.timing.ranks_s);
    result.samples[row.at(0)].push_back(sample);
  }
  return result;
}

}  // namespace portcost
