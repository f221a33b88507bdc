// SPDX-License-Identifier: Apache-2.0
// Packed in device memory (where they are not one stretch), which MPI is given, unpacked. Messages
// are dense bytes at an address of the device: what a library recognises as such. (Types with
// absolute addresses, as the host's messages have them, hide where the bytes lie.)
#include <exception>

#include "src/distributed/device_path.hpp"
#include "src/distributed/mpi_calls.hpp"
#include "src/distributed/packed_messages.hpp"
#include "src/memory/shared_device.hpp"

namespace portcost::distributed {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // MPI counts in int
constexpr int tag = 0;

class PointersPath final : public DevicePath {
 public:
  PointersPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers)
      : packed_(from, to, transfers, {true, true}) {}
  // Where an exception goes through here others may be gone; what they do not send or take must not
  // arrive in memory, or leave it, that others have then.
  ~PointersPath() override {
    if (!requests_.empty() && std::uncaught_exceptions() == 0) finish_messages();
    requests_.wait_at_most(0);
    turns_.finish();
  }

  void meet(const Communicator& ranks) override { ranks_ = ranks.split(0); }

  bool is_only_enqueued() const override { return false; }

  // MPI reads what was packed or computed, and writes where nobody reads any more.
  void enqueue(const ArrayBase& from, const ArrayBase& to, const Stream& stream) override {
    if (packed_.empty()) return;
    now_ = &packed_.bound(from, to, stream);
    const MPI_Comm comm = comm_of(*ranks_);
    turns_.begin(stream);
    now_->pack.run(stream);
    stream.synchronize();
    for_parts(packed_.received(), now_->received, [&](std::byte* at, int bytes, int rank) {
      mpi_check(MPI_Irecv(at, bytes, MPI_BYTE, rank, tag, comm, requests_.fresh()));
    });
    for_parts(packed_.sent(), now_->sent, [&](const std::byte* at, int bytes, int rank) {
      mpi_check(MPI_Isend(at, bytes, MPI_BYTE, rank, tag, comm, requests_.fresh()));
    });
  }

  bool test() override { return requests_.test(); }

  void finish(const Stream& stream) override {
    if (now_ == nullptr) return;
    requests_.wait();
    now_->unpack.run(stream);
    turns_.end(stream);
    now_ = nullptr;
  }

 private:
  // f(begin, bytes, rank) for the messages, cut where MPI cannot count their bytes. Those between
  // two ranks arrive in the order in which they are sent.
  template <class F>
  static void for_parts(const std::vector<Message>& messages, const std::vector<std::byte*>& begins,
                        const F& f) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      for (std::size_t at = 0; at < messages[i].bytes; at += most_bytes) {
        f(begins[i] + at, static_cast<int>(std::min(most_bytes, messages[i].bytes - at)),
          messages[i].rank);
      }
    }
  }

  void finish_messages() noexcept {
    try {
      requests_.wait();
    } catch (const std::exception&) {  // MPI has failed: nothing is left to wait for
    }
  }

  PackedMessages packed_;
  std::optional<Communicator> ranks_;
  Requests requests_;
  const PackedMessages::Bound* now_ = nullptr;  // of the exchange that goes on
  Turns turns_;
};

}  // namespace

std::unique_ptr<DevicePath> detail::make_pointers_path(const ArrayBase& from, const ArrayBase& to,
                                                       const std::vector<Transfer>& transfers,
                                                       const PathSettings&) {
  return std::make_unique<PointersPath>(from, to, transfers);
}

}  // namespace portcost::distributed
