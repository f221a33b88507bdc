// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/packed_messages.hpp"

namespace portcost::distributed {

namespace {

constexpr std::size_t line = 256;  // messages begin at multiples
constexpr std::size_t most_kept = 16;

}  // namespace

PackedMessages::PackedMessages(const ArrayBase& from, const ArrayBase& to,
                               const std::vector<Transfer>& transfers, const AsTheyLie& as_they_lie)
    : element_bytes_(static_cast<std::int64_t>(from.element_bytes())) {
  const Processors &senders = from.processors(), &receivers = to.processors();
  std::map<int, std::vector<Transfer>> sent, received;
  for (const Transfer& one : transfers) {
    if (senders.is_mine(one.from)) sent[receivers.rank_of(one.to)].push_back(one);
    if (receivers.is_mine(one.to)) received[senders.rank_of(one.from)].push_back(one);
  }
  lay_out(out_, from, sent, as_they_lie.sent);
  lay_out(in_, to, received, as_they_lie.received);
}

void PackedMessages::lay_out(End& end, const ArrayBase& array,
                             const std::map<int, std::vector<Transfer>>& of_ranks,
                             bool as_they_lie) const {
  std::size_t size = 0;
  for (const auto& [rank, transfers] : of_ranks) {
    size = (size + line - 1) / line * line;
    std::size_t at = size;
    for (const Transfer& one : transfers) {
      end.pieces.push_back({one, end.messages.size(), at});
      at += static_cast<std::size_t>(one.source.volume() * element_bytes_);
    }
    const Transfer& first = transfers.front();
    const Layout& layout = part_of(array, first.*end.part).layout;
    const bool in_array =
        as_they_lie && transfers.size() == 1 && layout.is_one_stretch(first.*end.box);
    end.messages.push_back({rank, size, at - size, in_array});
    if (!in_array) size = at;
  }
  end.memory = Buffer<std::byte>(size, Place::device);
}

template <class F>
std::vector<std::byte*> PackedMessages::bind(const End& end, const ArrayBase& array,
                                             const F& f) const {
  std::vector<std::byte*> begins;
  for (const Message& one : end.messages) begins.push_back(end.memory.data() + one.at);
  for (const Piece& one : end.pieces) {
    const Box& box = one.transfer.*end.box;
    const Part& part = part_of(array, one.transfer.*end.part);
    const Strided there = rows_of(part, box.begin, element_bytes_);
    if (end.messages[one.message].in_array) {
      begins[one.message] = there.data;
    } else {
      f(box, there, dense_rows(end.memory.data() + one.at, box, element_bytes_));
    }
  }
  return begins;
}

const PackedMessages::Bound& PackedMessages::bound(const ArrayBase& from, const ArrayBase& to,
                                                   const Stream& stream) {
  const std::pair arrays{from.identity(), to.identity()};
  if (const auto found = bound_.find(arrays); found != bound_.end()) return found->second;
  if (bound_.size() >= most_kept) bound_.clear();
  std::vector<BoxCopy> packs, unpacks;
  Bound made;  // kept when it is complete
  made.sent = bind(out_, from, [&](const Box& box, const Strided& there, const Strided& packed) {
    packs.push_back(copy_of(box, packed, there));
  });
  made.received = bind(in_, to, [&](const Box& box, const Strided& there, const Strided& packed) {
    unpacks.push_back(copy_of(box, there, packed));
  });
  const auto bytes = static_cast<std::size_t>(element_bytes_);
  made.pack = BoxCopies(std::move(packs), bytes, stream);
  made.unpack = BoxCopies(std::move(unpacks), bytes, stream);
  return bound_.emplace(arrays, std::move(made)).first->second;
}

}  // namespace portcost::distributed
