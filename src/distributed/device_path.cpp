// SPDX-License-Identifier: Apache-2.0
// Which path can be taken, and what is said where one cannot.
#include "src/distributed/device_path.hpp"

#include <numeric>
#include <set>

#include "src/distributed/exchange.hpp"
#include "src/machine/machine.hpp"
#include "src/memory/shared_device.hpp"
#include "src/support/reject.hpp"

namespace portcost::distributed {

namespace {

// Ranks whose memory a rank maps, or that map its.
std::vector<int> neighbours(const Processors& from, const Processors& to,
                            const std::vector<Transfer>& transfers) {
  std::vector<int> result;
  const int mine = from.ranks().rank();
  for (const Transfer& one : transfers) {
    for (const int rank : {from.rank_of(one.from), to.rank_of(one.to)}) {
      if (rank != mine) result.push_back(rank);
    }
  }
  return result;
}

void require_one_computer(Path path, const Processors& from, const Processors& to,
                          const std::vector<Transfer>& transfers) {
  const Communicator& ranks = from.ranks();
  const std::vector<int> nodes = ranks.nodes();
  const std::vector<std::string> names = ranks.gathered(host_name());
  const std::vector<int> others = neighbours(from, to, transfers);
  ranks.together([&] {
    const int far = first_elsewhere(nodes, ranks.rank(), others);
    if (far < 0) return;
    reject(
        "rank {} is on another computer ({}, here is {}), where {} do not reach: take "
        "the path automatic, nccl or host_memory",
        far, names[far], host_name(), name(path));
  });
}

Path first_that_can_be(const Communicator& ranks, std::span<const int> members) {
  if (members.empty()) return Path::host_memory;
  if (takes_device_pointers()) return Path::device_pointers;
  // A GPU by itself has nobody to send to.
  const bool nccl = members.size() > 1 && why_no_nccl(ranks, members).empty();
  return nccl ? Path::nccl : Path::host_memory;
}

}  // namespace

Path path_in_reach(const Communicator& ranks, const std::vector<int>& members) {
  if (const Path path = first_that_can_be(ranks, members); path != Path::nccl) return path;
  try {
    nccl_group(ranks, members);
    return Path::nccl;
  } catch (const SharedFailure& failure) {
    if (ranks.rank() == 0) {
      fmt::print(stderr, "portcost: halos travel by host memory, because {}\n", failure.what());
    }
    return Path::host_memory;
  }
}

Path automatic_path(const Communicator& ranks) { return first_that_can_be(ranks, all_of(ranks)); }

std::vector<int> all_of(const Communicator& ranks) {
  std::vector<int> result(static_cast<std::size_t>(ranks.size()));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

std::vector<int> ranks_with_devices(const Processors& from, const Processors& to) {
  std::set<int> result;
  for (const Processors* processors : {&from, &to}) {
    for (int i = 0; i < processors->count(); ++i) {
      if (processors->place_of(i) == Place::device) result.insert(processors->rank_of(i));
    }
  }
  return {result.begin(), result.end()};
}

SharedGpu shared_gpu(std::span<const std::string> gpus, std::span<const int> members) {
  for (std::size_t second = 1; second < members.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (gpus[members[first]] == gpus[members[second]]) {
        return {members[first], members[second]};
      }
    }
  }
  return {};
}

int first_elsewhere(std::span<const int> nodes, int rank, std::span<const int> neighbours) {
  for (const int one : neighbours) {
    if (nodes[one] != nodes[rank]) return one;
  }
  return -1;
}

std::string why_no_device_pointers() {
  if (takes_device_pointers()) return {};
  return fmt::format("{} does not take device pointers: take the path automatic or host_memory",
                     mpi_library());
}

std::string why_no_nccl(const Communicator& ranks, std::span<const int> members) {
  if (!has_nccl()) return std::string(needs_nccl);
  const std::vector<int> nodes = ranks.nodes();
  const bool member = std::ranges::find(members, ranks.rank()) != members.end();
  const std::string mine = member ? device_address() : "";
  std::vector<std::string> gpus = ranks.gathered(mine);
  const std::vector<std::string> names = ranks.gathered(host_name());
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i] += fmt::format(" {}", nodes[i]);
  const SharedGpu found = shared_gpu(gpus, members);
  if (found.first < 0) return {};
  const auto at = static_cast<std::size_t>(found.first);
  return fmt::format(
      "ranks {} and {} share the GPU {} of {}, and NCCL needs one for each rank: start "
      "no more ranks than there are GPUs, or take the path peer_copies, direct_loads, "
      "direct_stores or host_memory",
      found.first, found.second, gpus[at].substr(0, gpus[at].find(' ')), names[at]);
}

Path chosen_path(Path wanted, const ArrayBase& from, const ArrayBase& to) {
  if (wanted == Path::host_memory) return wanted;
  const Communicator& ranks = from.processors().ranks();
  const std::vector<int> members = ranks_with_devices(from.processors(), to.processors());
  if (wanted == Path::automatic) return path_in_reach(ranks, members);
  std::string refusal;
  if (wanted == Path::one_sided) {
    if (!members.empty()) refusal = gpus_refuse;
  } else if (members.empty()) {
    refusal = fmt::format("{}: {}", name(wanted), hosts_refuse);
  } else if (wanted == Path::device_pointers) {
    refusal = why_no_device_pointers();
  } else if (wanted == Path::nccl) {
    refusal = why_no_nccl(ranks, members);
  }
  ranks.together([&] {
    if (!refusal.empty()) throw UsageError(refusal);
  });
  return wanted;
}

std::unique_ptr<DevicePath> make_device_path(Path path, const ArrayBase& from, const ArrayBase& to,
                                             const std::vector<Transfer>& transfers,
                                             const PathSettings& settings) {
  require(needs_gpus(path), "a path that is MPI's");
  if (is_between_gpus(path) && path != Path::nccl) {
    detail::close_maps_of_gone();
    require_one_computer(path, from.processors(), to.processors(), transfers);
  }
  detail::PathMaker* const make = path == Path::device_pointers ? detail::make_pointers_path
                                  : path == Path::nccl          ? detail::make_nccl_path
                                  : path == Path::peer_copies   ? detail::make_peer_path
                                  : path == Path::direct_loads  ? detail::make_loading_path
                                                                : detail::make_storing_path;
  std::unique_ptr<DevicePath> result;
  const Communicator& ranks = from.processors().ranks();
  ranks.together([&] { result = make(from, to, transfers, settings); });
  result->meet(ranks);
  return result;
}

}  // namespace portcost::distributed
