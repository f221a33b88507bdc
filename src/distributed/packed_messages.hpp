// SPDX-License-Identifier: Apache-2.0
// Points from GPU to GPU in one message for each rank, dense, or as they lie where that is the
// same. For the files of this folder.
#pragma once

#include "src/distributed/array.hpp"

namespace portcost::distributed {

/// A message to or from a rank, by where it begins in the memory of all that is sent or received.
/// One that lies as a stretch in the array itself takes none of that memory.
struct Message {
  int rank = 0;
  std::size_t at = 0, bytes = 0;
  bool in_array = false;
};

/// Which messages may be left where they lie in an array: of one transfer, whose points are one
/// stretch there.
struct AsTheyLie {
  bool sent = false, received = false;
};

/// Device memory for what is sent and for what is received, and the kernels that pack and unpack
/// it. Transfers between two ranks have the same order on both, and so do the bytes of a message.
class PackedMessages {
 public:
  PackedMessages(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
                 const AsTheyLie& as_they_lie);

  /// One for each rank that there is something for, ordered by rank.
  const std::vector<Message>& sent() const { return out_.messages; }
  const std::vector<Message>& received() const { return in_.messages; }
  std::byte* sent_from() const { return out_.memory.data(); }
  bool empty() const { return sent().empty() && received().empty(); }

  /// Of arrays like those that it was made for: the kernels, and where each message begins, in
  /// packed memory or in the array.
  struct Bound {
    BoxCopies pack, unpack;
    std::vector<std::byte*> sent, received;
  };
  const Bound& bound(const ArrayBase& from, const ArrayBase& to, const Stream& stream);

 private:
  struct Piece {
    Transfer transfer;
    std::size_t message, at;
  };
  // What is sent, or received: these ends of transfers.
  struct End {
    int Transfer::*part;
    Box Transfer::*box;
    std::vector<Piece> pieces = {};
    std::vector<Message> messages = {};
    Buffer<std::byte> memory = {};
  };
  void lay_out(End& end, const ArrayBase& array,
               const std::map<int, std::vector<Transfer>>& of_ranks, bool as_they_lie) const;
  // Where each message of an end begins; calls f(box, where its points lie in the array, the same
  // packed) for each piece that is packed.
  template <class F>
  std::vector<std::byte*> bind(const End& end, const ArrayBase& array, const F& f) const;

  std::int64_t element_bytes_;
  End out_{&Transfer::from, &Transfer::source}, in_{&Transfer::to, &Transfer::target};
  std::map<std::pair<std::uint64_t, std::uint64_t>, Bound> bound_;  // by arrays' identities
};

}  // namespace portcost::distributed
