// SPDX-License-Identifier: Apache-2.0
// Packed by the sender, copied by the receiver's copy engine out of the sender's memory, unpacked
// (where it is not one stretch of the receiver's array). The sender's array may be overwritten as
// soon as it is packed, whenever the receiver gets to read.
//
// A GPU waits for another one's work by events of CUDA IPC. Such a wait is for what was last
// recorded when the wait is enqueued; so hosts tell each other, by empty messages, that they have
// recorded, and wait for nothing else:
//
//   sender                                      receiver
//   pack, record `packed`, say so         ->    wait for `packed`, copy, record `copied`, say so
//   next exchange: hear it, wait for      <-
//   `copied`, pack, record `packed`, ...
//
// `packed` is recorded anew only when the receiver has said that its wait is enqueued, and `copied`
// only when the sender has said the same: no wait is for a later record than its own exchange's.
#include <exception>
#include <set>

#include "src/distributed/device_path.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/packed_messages.hpp"
#include "src/memory/shared_device.hpp"

namespace portcost::distributed {

namespace {

constexpr int packed_tag = 1, copied_tag = 2;

// What a rank tells all others, besides the messages that it sends.
struct Offer {
  SharedHandle memory{}, packed{}, copied{};
};

class PeerPath final : public DevicePath {
 public:
  PeerPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers)
      : rank_(from.processors().ranks().rank()), packed_(from, to, transfers, {false, true}) {}
  // Others may still read what was sent last. (After an error they may be gone.)
  ~PeerPath() override {
    const double seconds = std::uncaught_exceptions() > 0 ? 0 : gpu_patience_s;
    if (hears_all_within(seconds) && !first_) {
      for (const Reader& one : readers_) one.copied.finish();
    }
    turns_.finish();
    readers_.clear();
    sources_.clear();
    farewell_.part();
    sends_.wait_at_most(seconds);
    arrivals_.wait_at_most(0);
  }

  void meet(const Communicator& ranks) override {
    ranks_ = ranks.split(0);
    std::vector<Offer> mine(1);
    ranks.together([&] { mine[0] = offer(); });
    const std::vector<std::vector<Offer>> offers = gathered_values(ranks, mine);
    const std::vector<std::vector<Message>> sent = gathered_values(ranks, packed_.sent());
    farewell_.meet(ranks, partners());
    ranks.together([&] { open(offers, sent); });
  }

  void enqueue(const ArrayBase& from, const ArrayBase& to, const Stream& stream) override {
    if (packed_.empty()) return;
    const PackedMessages::Bound& bound = packed_.bound(from, to, stream);
    turns_.begin(stream);
    wait_until_read(stream);
    bound.pack.run(stream);
    say_packed(stream);
    fetch(bound.received, stream);
    bound.unpack.run(stream);
    turns_.end(stream);
  }

 private:
  struct Reader {
    int rank;
    SharedEvent copied;
  };
  struct Source {
    int rank;  // this rank itself: neither memory nor event is another process's
    MappedMemory memory;
    SharedEvent packed;
    const std::byte* begin;
    std::size_t bytes;
  };

  bool hears_all_within(double seconds) noexcept {
    const WaitsForOthers now;
    return reads_.wait_at_most(seconds);
  }

  // All that have this rank's memory or events open, or the reverse.
  std::vector<int> partners() const {
    std::set<int> result;
    for (const Message& one : packed_.sent()) result.insert(one.rank);
    for (const Message& one : packed_.received()) result.insert(one.rank);
    result.erase(rank_);
    return {result.begin(), result.end()};
  }

  Offer offer() {
    Offer result;
    if (packed_.empty()) return result;
    own_packed_ = SharedEvent::made();
    own_copied_ = SharedEvent::made();
    result.packed = own_packed_.handle();
    result.copied = own_copied_.handle();
    if (!packed_.sent().empty()) result.memory = share_memory(packed_.sent_from());
    return result;
  }

  void open(const std::vector<std::vector<Offer>>& offers,
            const std::vector<std::vector<Message>>& sent) {
    for (const Message& one : packed_.sent()) {
      if (one.rank == rank_) continue;
      const Offer& offer = offers[one.rank][0];
      readers_.push_back({one.rank, SharedEvent::opened(offer.copied)});
    }
    for (const Message& one : packed_.received()) {
      const std::vector<Message>& messages = sent[one.rank];
      const auto its = std::ranges::find(messages, rank_, &Message::rank);
      require(its != messages.end(), "a message is expected of a rank that does not send it");
      require(its->bytes == one.bytes, "two ranks disagree on the length of a message");
      Source source{one.rank, {}, {}, packed_.sent_from() + its->at, one.bytes};
      if (one.rank != rank_) {
        const Offer& offer = offers[one.rank][0];
        source.memory = MappedMemory(offer.memory);
        source.packed = SharedEvent::opened(offer.packed);
        source.begin = source.memory.data() + its->at;
      }
      sources_.push_back(std::move(source));
    }
  }

  // Of the exchange before. (Before the first one nothing is expected or recorded.)
  void wait_until_read(const Stream& stream) {
    sends_.wait();
    reads_.wait();
    if (first_) return;
    for (const Reader& one : readers_) one.copied.enqueue_wait(stream.native());
  }

  void say_packed(const Stream& stream) {
    for (const Source& one : sources_) {
      if (one.rank != rank_) arrivals_.hear(*ranks_, one.rank, packed_tag);
    }
    for (const Reader& one : readers_) reads_.hear(*ranks_, one.rank, copied_tag);
    own_packed_.record(stream.native());
    for (const Reader& one : readers_) sends_.tell(*ranks_, one.rank, packed_tag);
    first_ = false;
  }

  // To the begins of the messages that are received, of which each is a source's.
  void fetch(const std::vector<std::byte*>& targets, const Stream& stream) {
    arrivals_.wait();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const Source& one = sources_[i];
      if (one.rank != rank_) one.packed.enqueue_wait(stream.native());
      copy_bytes(targets[i], Place::device, one.begin, Place::device, one.bytes, stream);
    }
    own_copied_.record(stream.native());
    for (const Source& one : sources_) {
      if (one.rank != rank_) sends_.tell(*ranks_, one.rank, copied_tag);
    }
  }

  int rank_;
  PackedMessages packed_;
  std::optional<Communicator> ranks_;
  Farewell farewell_;
  SharedEvent own_packed_, own_copied_;
  std::vector<Reader> readers_;
  std::vector<Source> sources_;
  Requests sends_, reads_, arrivals_;
  bool first_ = true;
  Turns turns_;
};

}  // namespace

std::unique_ptr<DevicePath> detail::make_peer_path(const ArrayBase& from, const ArrayBase& to,
                                                   const std::vector<Transfer>& transfers,
                                                   const PathSettings&) {
  return std::make_unique<PeerPath>(from, to, transfers);
}

}  // namespace portcost::distributed
