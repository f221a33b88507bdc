// SPDX-License-Identifier: Apache-2.0
// Points from GPU to GPU in one dense message for each rank. For the files of this folder.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "src/distributed/array.hpp"
#include "src/distributed/box_copies.hpp"

namespace portcost::distributed {

/// A message to or from a rank, by where it begins in the memory of all that is sent or received.
struct Message {
  int rank = 0;
  std::size_t at = 0, bytes = 0;
};

/// Device memory for what is sent and for what is received, and the kernels that pack and unpack
/// it. Transfers between two ranks have the same order on both, and so do the bytes of a message.
class PackedMessages {
 public:
  PackedMessages(const ArrayBase& from, const ArrayBase& to,
                 const std::vector<Transfer>& transfers);

  /// One for each rank that there is something for, ordered by rank.
  const std::vector<Message>& sent() const { return out_.messages; }
  const std::vector<Message>& received() const { return in_.messages; }
  std::byte* sent_from() const { return out_.memory.data(); }
  std::byte* received_at() const { return in_.memory.data(); }
  bool empty() const { return sent().empty() && received().empty(); }

  /// Of arrays like those that it was made for.
  struct Kernels {
    BoxCopies pack, unpack;
  };
  const Kernels& kernels(const ArrayBase& from, const ArrayBase& to, const Stream& stream);

 private:
  struct Piece {
    Transfer transfer;
    std::size_t at;
  };
  struct End {
    std::vector<Piece> pieces;
    std::vector<Message> messages;
    Buffer<std::byte> memory;
  };
  End laid_out(const std::map<int, std::vector<Transfer>>& of_ranks) const;

  std::int64_t element_bytes_;
  End out_, in_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Kernels> kernels_;  // by arrays' identities
};

}  // namespace portcost::distributed
