// SPDX-License-Identifier: Apache-2.0
// Packed, sent and received by NCCL, unpacked: all on the stream, and the host waits for nothing.
#include "src/distributed/device_path.hpp"
#include "src/distributed/nccl_group.hpp"
#include "src/distributed/packed_messages.hpp"
#include "src/memory/shared_device.hpp"

namespace portcost::distributed {

namespace {

std::vector<NcclMessage> in_memory(const std::vector<Message>& messages, std::byte* memory) {
  std::vector<NcclMessage> result;
  for (const Message& one : messages) result.push_back({one.rank, memory + one.at, one.bytes});
  return result;
}

class NcclPath final : public DevicePath {
 public:
  NcclPath(std::shared_ptr<NcclGroup> group, PackedMessages packed)
      : group_(std::move(group)),
        packed_(std::move(packed)),
        sent_(in_memory(packed_.sent(), packed_.sent_from())),
        received_(in_memory(packed_.received(), packed_.received_at())) {}
  ~NcclPath() override { turns_.finish(); }

  void enqueue(const ArrayBase& from, const ArrayBase& to, const Stream& stream) override {
    if (packed_.empty()) return;
    const PackedMessages::Kernels& kernels = packed_.kernels(from, to, stream);
    turns_.begin(stream);
    kernels.pack.run(stream);
    group_->exchange(sent_, received_, stream);
    kernels.unpack.run(stream);
    turns_.end(stream);
  }

 private:
  std::shared_ptr<NcclGroup> group_;
  PackedMessages packed_;
  std::vector<NcclMessage> sent_, received_;
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
    result = std::make_unique<NcclPath>(std::move(group), PackedMessages(from, to, transfers));
  });
  return result;
}

}  // namespace portcost::distributed
