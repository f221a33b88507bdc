// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/packed_messages.hpp"

#include "src/distributed/transfer_plan.hpp"

namespace portcost::distributed {

namespace {

constexpr std::size_t line = 256;  // messages begin at multiples
constexpr std::size_t most_kept = 16;

BoxCopy copy_of(const Box& box, const Strided& target, const Strided& source) {
  return {box.extent(0), box.extent(1), box.extent(2), target, source};
}

}  // namespace

PackedMessages::PackedMessages(const ArrayBase& from, const ArrayBase& to,
                               const std::vector<Transfer>& transfers)
    : element_bytes_(static_cast<std::int64_t>(from.element_bytes())) {
  const Processors &senders = from.processors(), &receivers = to.processors();
  std::map<int, std::vector<Transfer>> sent, received;
  for (const Transfer& one : transfers) {
    if (senders.is_mine(one.from)) sent[receivers.rank_of(one.to)].push_back(one);
    if (receivers.is_mine(one.to)) received[senders.rank_of(one.from)].push_back(one);
  }
  out_ = laid_out(sent);
  in_ = laid_out(received);
}

PackedMessages::End PackedMessages::laid_out(
    const std::map<int, std::vector<Transfer>>& of_ranks) const {
  End result;
  std::size_t at = 0;
  for (const auto& [rank, transfers] : of_ranks) {
    at = (at + line - 1) / line * line;
    const std::size_t begin = at;
    for (const Transfer& one : transfers) {
      result.pieces.push_back({one, at});
      at += static_cast<std::size_t>(one.source.volume() * element_bytes_);
    }
    result.messages.push_back({rank, begin, at - begin});
  }
  result.memory = Buffer<std::byte>(at, Place::device);
  return result;
}

const PackedMessages::Kernels& PackedMessages::kernels(const ArrayBase& from, const ArrayBase& to,
                                                       const Stream& stream) {
  const std::pair arrays{from.identity(), to.identity()};
  if (const auto found = kernels_.find(arrays); found != kernels_.end()) return found->second;
  if (kernels_.size() >= most_kept) kernels_.clear();
  std::vector<BoxCopy> packs, unpacks;
  for (const Piece& one : out_.pieces) {
    const Box& box = one.transfer.source;
    packs.push_back(copy_of(box, dense_rows(out_.memory.data() + one.at, box, element_bytes_),
                            rows_of(part_of(from, one.transfer.from), box.begin, element_bytes_)));
  }
  for (const Piece& one : in_.pieces) {
    const Box& box = one.transfer.target;
    unpacks.push_back(copy_of(box, rows_of(part_of(to, one.transfer.to), box.begin, element_bytes_),
                              dense_rows(in_.memory.data() + one.at, box, element_bytes_)));
  }
  const auto bytes = static_cast<std::size_t>(element_bytes_);
  Kernels& made = kernels_[arrays];
  made.pack = BoxCopies(std::move(packs), bytes, stream);
  made.unpack = BoxCopies(std::move(unpacks), bytes, stream);
  return made;
}

}  // namespace portcost::distributed
