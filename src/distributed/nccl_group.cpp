// SPDX-License-Identifier: Apache-2.0
// Made once for a set of ranks and kept by their Communicator, which ends before MPI does.
#include "src/distributed/nccl_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "src/distributed/mpi_calls.hpp"
#include "src/support/error.hpp"
#if PORTCOST_HAS_NCCL
#include <nccl.h>
#endif

namespace portcost::distributed {

#if PORTCOST_HAS_NCCL

namespace {

std::string last_words([[maybe_unused]] ncclComm_t comm) {
#if NCCL_VERSION_CODE >= 21300
  const char* text = ncclGetLastError(comm);
  if (text != nullptr && *text != 0) return fmt::format(" ({})", text);
#endif
  return {};
}

void nccl_check(ncclResult_t result, ncclComm_t comm,
                std::source_location where = std::source_location::current()) {
  if (result == ncclSuccess) return;
  throw Failure(
      fmt::format("NCCL: {}{}: NCCL_DEBUG=WARN has it print more; the path host_memory does "
                  "without it",
                  ncclGetErrorString(result), last_words(comm)),
      where);
}

class Group final : public NcclGroup {
 public:
  Group(const std::vector<int>& members, int rank, const ncclUniqueId& id) : members_(members) {
    nccl_check(ncclCommInitRank(&comm_, static_cast<int>(members.size()), id, index_of(rank)),
               nullptr);
  }
  // After an error others may be gone, for whom destroying would wait.
  ~Group() override {
    ncclResult_t state = ncclSuccess;
    if (comm_ == nullptr) return;
    if (ncclCommGetAsyncError(comm_, &state) == ncclSuccess && state == ncclSuccess) {
      ncclCommDestroy(comm_);
    } else {
      ncclCommAbort(comm_);
    }
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void exchange(std::span<const NcclMessage> sent, std::span<const NcclMessage> received,
                const Stream& stream) override {
    ncclResult_t state = ncclSuccess;
    nccl_check(ncclCommGetAsyncError(comm_, &state), comm_);
    nccl_check(state, comm_);
    nccl_check(ncclGroupStart(), comm_);
    for (const NcclMessage& one : sent) {
      nccl_check(
          ncclSend(one.memory, one.bytes, ncclInt8, index_of(one.rank), comm_, stream.native()),
          comm_);
    }
    for (const NcclMessage& one : received) {
      nccl_check(
          ncclRecv(one.memory, one.bytes, ncclInt8, index_of(one.rank), comm_, stream.native()),
          comm_);
    }
    nccl_check(ncclGroupEnd(), comm_);
  }

 private:
  int index_of(int rank) const {
    const auto at = std::lower_bound(members_.begin(), members_.end(), rank);
    return static_cast<int>(at - members_.begin());
  }

  std::vector<int> members_;
  ncclComm_t comm_ = nullptr;
};

std::shared_ptr<NcclGroup> made(const Communicator& ranks, const std::vector<int>& members) {
  ncclUniqueId id{};
  ranks.together([&] {
    if (ranks.rank() == members.front()) nccl_check(ncclGetUniqueId(&id), nullptr);
  });
  mpi_check(MPI_Bcast(&id, sizeof id, MPI_BYTE, members.front(), comm_of(ranks)));
  std::shared_ptr<NcclGroup> result;
  ranks.together([&] {
    if (!std::ranges::binary_search(members, ranks.rank())) return;
    result = std::make_shared<Group>(members, ranks.rank(), id);
  });
  return result;
}

}  // namespace

bool has_nccl() { return true; }

std::shared_ptr<NcclGroup> nccl_group(const Communicator& ranks, const std::vector<int>& members) {
  // Whether it is there is the same on all: each has made what the others have.
  auto& groups = ranks.impl().nccl_groups;
  const auto found = groups.find(members);
  if (found != groups.end()) return found->second;
  return groups[members] = made(ranks, members);
}

#else

bool has_nccl() { return false; }

std::shared_ptr<NcclGroup> nccl_group(const Communicator&, const std::vector<int>&) {
  throw Failure(std::string(needs_nccl));
}

#endif

}  // namespace portcost::distributed
