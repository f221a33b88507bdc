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
  NcclPath(std::shared_ptr<NcclGroup> group, PackedMessages packed)
      : group_(std::move(group)), packed_(std::move(packed)) {}
  ~NcclPath() override { turns_.finish(); }

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
  std::shared_ptr<NcclGroup> group_;
  PackedMessages packed_;
  Turns turns_;
};

// Of a rank without a GPU.
class Nothing final : public DevicePath {
 public:
  void enqueue(const ArrayBase&, const ArrayBase&, const Stream&) override {}
};

}  // namespace

std::unique_ptr<DevicePath> detail::make_nccl_path(const ArrayBase& from, const ArrayBase& to,
                                                   const std::vector<Transfer>& transfers) {
  const Communicator& ranks = from.processors().ranks();
  auto group = nccl_group(ranks, ranks_with_devices(from.processors(), to.processors()));
  std::unique_ptr<DevicePath> result = std::make_unique<Nothing>();
  ranks.together([&] {
    if (!group) return;
    result = std::make_unique<NcclPath>(std::move(group),
                                        PackedMessages(from, to, transfers, {true, true}));
  });
  return result;
}

}  // namespace portcost::distributed
