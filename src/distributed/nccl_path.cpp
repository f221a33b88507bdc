// SPDX-License-Identifier: Apache-2.0
// Packed (where they are not one stretch), sent and received by NCCL, unpacked: all on the stream,
// and the host waits for nothing. NCCL's communicators are made once for a set of ranks and kept by
// their Communicator, which ends before MPI does.
#include <fmt/format.h>

#include <chrono>
#include <future>
#include <thread>

#include "src/distributed/device_path.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/packed_messages.hpp"
#include "src/memory/shared_device.hpp"
#if PORTCOST_HAS_NCCL
#include <nccl.h>
#endif

namespace portcost::distributed {

#if PORTCOST_HAS_NCCL

namespace {

constexpr double least_patience_s = 60;  // many GPUs take some of them to connect

std::string last_words([[maybe_unused]] ncclComm_t comm) {
#if NCCL_VERSION_CODE >= 21300
  const char* text = ncclGetLastError(comm);
  if (text != nullptr && *text != 0) return fmt::format(" ({})", text);
#endif
  return {};
}

std::string words_of(ncclResult_t result, ncclComm_t comm) {
  return fmt::format(
      "NCCL: {}{}: NCCL_DEBUG=WARN has it print more; the path host_memory does "
      "without it",
      ncclGetErrorString(result), last_words(comm));
}

// ncclCommInitRank returns when all members have called it, and never where one of them is gone. So
// a thread calls it, which is left behind then.
struct Made {
  ncclResult_t result = ncclInProgress;
  ncclComm_t comm = nullptr;
};
Made made_in_time(int size, const ncclUniqueId& id, int index, double seconds) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return {ncclUnhandledCudaError};
  auto promise = std::make_shared<std::promise<Made>>();
  std::future<Made> made = promise->get_future();
  std::thread([=] {
    Made result{ncclUnhandledCudaError};
    if (cudaSetDevice(device) == cudaSuccess) {
      result.result = ncclCommInitRank(&result.comm, size, id, index);
    }
    promise->set_value(result);
  }).detach();
  const WaitsForOthers now;
  const auto ready = made.wait_for(std::chrono::duration<double>(seconds));
  return ready == std::future_status::ready ? made.get() : Made();
}

int index_in(const std::vector<int>& members, int rank) {
  return static_cast<int>(std::ranges::lower_bound(members, rank) - members.begin());
}

// A message to or from a member, by its rank among all: `bytes` of device memory.
struct NcclMessage {
  int rank;
  std::byte* memory;
  std::size_t bytes;
};

}  // namespace

// A communicator of NCCL among some ranks, with the devices that these have in use.
class NcclGroup : Uncopied {
 public:
  NcclGroup(const std::vector<int>& members, ncclComm_t comm) : members_(members), comm_(comm) {}
  // After an error others may be gone, for whom destroying would wait.
  ~NcclGroup() {
    if (comm_ == nullptr) return;
    if (state() == ncclSuccess) {
      ncclCommDestroy(comm_);
    } else {
      ncclCommAbort(comm_);
    }
  }

  // Enqueues all messages as one group. Collective among the members; each message of one rank has
  // its counterpart on the other. Throws Failure with what NCCL says.
  void exchange(std::span<const NcclMessage> sent, std::span<const NcclMessage> received,
                const Stream& stream) {
    require(comm_ != nullptr, "NCCL has failed between these GPUs before");
    check(state());
    // Whatever fails in between, a group that has begun ends.
    ncclResult_t result = ncclGroupStart();
    check(result);
    for (const NcclMessage& one : sent) {
      if (result != ncclSuccess) break;
      result =
          ncclSend(one.memory, one.bytes, ncclInt8, index_of(one.rank), comm_, stream.native());
    }
    for (const NcclMessage& one : received) {
      if (result != ncclSuccess) break;
      result =
          ncclRecv(one.memory, one.bytes, ncclInt8, index_of(one.rank), comm_, stream.native());
    }
    const ncclResult_t ended = ncclGroupEnd();
    check(result != ncclSuccess ? result : ended);
  }
  void broadcast(std::byte* data, std::size_t bytes, int root, const Stream& stream) {
    require(comm_ != nullptr, "NCCL has failed between these GPUs before");
    check(state());
    check(ncclBroadcast(data, data, bytes, ncclInt8, index_of(root), comm_, stream.native()));
  }

 private:
  ncclResult_t state() const {
    ncclResult_t result = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(comm_, &result);
    return asked != ncclSuccess ? asked : result;
  }
  // Kernels that wait for others would never end, nor would whatever waits for them: freeing of
  // memory, say. So they are ended before anything is thrown.
  void check(ncclResult_t result) {
    if (result == ncclSuccess) return;
    const std::string text = words_of(result, comm_);
    ncclCommAbort(comm_);
    comm_ = nullptr;
    throw Failure(text);
  }
  int index_of(int rank) const { return index_in(members_, rank); }

  std::vector<int> members_;
  ncclComm_t comm_;  // null after an error
};

namespace {

std::shared_ptr<NcclGroup> made(const Communicator& ranks, const std::vector<int>& members) {
  const bool mine = std::ranges::binary_search(members, ranks.rank());
  ncclUniqueId id{};
  ranks.together([&] {
    if (ranks.rank() != members.front()) return;
    const ncclResult_t result = ncclGetUniqueId(&id);
    if (result != ncclSuccess) throw Failure(words_of(result, nullptr));
  });
  mpi_check(waiting(
      [&] { return MPI_Bcast(&id, sizeof id, MPI_BYTE, members.front(), comm_of(ranks)); }));
  const double seconds = std::max(least_patience_s, gpu_patience_s);
  Made one{ncclSuccess};
  if (mine) {
    one = made_in_time(static_cast<int>(members.size()), id, index_in(members, ranks.rank()),
                       seconds);
  }
  try {
    ranks.together([&] {
      if (one.result == ncclSuccess) return;
      if (one.result != ncclInProgress) throw Failure(words_of(one.result, nullptr));
      throw Failure(fmt::format("NCCL has not connected the GPUs of {} ranks within {:g} s",
                                members.size(), seconds));
    });
  } catch (const std::exception&) {
    if (one.comm != nullptr) ncclCommAbort(one.comm);
    throw;
  }
  if (!mine) return {};
  return std::make_shared<NcclGroup>(members, one.comm);
}

std::vector<NcclMessage> in_memory(const std::vector<Message>& messages,
                                   const std::vector<std::byte*>& begins) {
  std::vector<NcclMessage> result;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    result.push_back({messages[i].rank, begins[i], messages[i].bytes});
  }
  return result;
}

class NcclPath final : public DevicePath {
 public:
  NcclPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers)
      : members_(ranks_with_devices(from.processors(), to.processors())),
        packed_(from, to, transfers, {true, true}) {}
  ~NcclPath() override { turns_.finish(); }

  void meet(const Communicator& ranks) override { group_ = nccl_group(ranks, members_); }

  void enqueue(const ArrayBase& from, const ArrayBase& to, const Stream& stream) override {
    if (packed_.empty()) return;
    const PackedMessages::Bound& bound = packed_.bound(from, to, stream);
    turns_.begin(stream);
    bound.pack.run(stream);
    group_->exchange(in_memory(packed_.sent(), bound.sent),
                     in_memory(packed_.received(), bound.received), stream);
    bound.unpack.run(stream);
    turns_.end(stream);
  }

 private:
  std::vector<int> members_;
  std::shared_ptr<NcclGroup> group_;  // null on a rank without a GPU, which has no messages
  PackedMessages packed_;
  Turns turns_;
};

}  // namespace

bool has_nccl() { return true; }

std::shared_ptr<NcclGroup> nccl_group(const Communicator& ranks, const std::vector<int>& members) {
  // Whether it is there is the same on all: each has made what the others have.
  auto& groups = ranks.impl().nccl_groups;
  const auto found = groups.find(members);
  if (found != groups.end()) return found->second;
  return groups[members] = made(ranks, members);
}

void broadcast(NcclGroup& group, std::byte* data, std::size_t bytes, int root,
               const Stream& stream) {
  group.broadcast(data, bytes, root, stream);
}

std::unique_ptr<DevicePath> detail::make_nccl_path(const ArrayBase& from, const ArrayBase& to,
                                                   const std::vector<Transfer>& transfers,
                                                   const PathSettings&) {
  return std::make_unique<NcclPath>(from, to, transfers);
}

#else

bool has_nccl() { return false; }

std::shared_ptr<NcclGroup> nccl_group(const Communicator&, const std::vector<int>&) {
  throw Failure(std::string(needs_nccl));
}
void broadcast(NcclGroup&, std::byte*, std::size_t, int, const Stream&) {
  throw Failure(std::string(needs_nccl));
}

std::unique_ptr<DevicePath> detail::make_nccl_path(const ArrayBase&, const ArrayBase&,
                                                   const std::vector<Transfer>&,
                                                   const PathSettings&) {
  throw Failure(std::string(needs_nccl));
}

#endif

}  // namespace portcost::distributed
