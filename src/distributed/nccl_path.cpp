// SPDX-License-Identifier: Apache-2.0
// Packed (where they are not one stretch), sent and received by NCCL, unpacked: all on the stream,
// and the host waits for nothing.
#include "src/distributed/device_path.hpp"
#include "src/distributed/nccl_group.hpp"
#include "src/distributed/packed_messages.hpp"
#include "src/memory/shared_device.hpp"

namespace portcost::distributed {

namespace {

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

std::unique_ptr<DevicePath> detail::make_nccl_path(const ArrayBase& from, const ArrayBase& to,
                                                   const std::vector<Transfer>& transfers,
                                                   const PathSettings&) {
  return std::make_unique<NcclPath>(from, to, transfers);
}

}  // namespace portcost::distributed
