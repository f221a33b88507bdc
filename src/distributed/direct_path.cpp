// SPDX-License-Identifier: Apache-2.0
// A kernel of the receiver reads the points in the sender's array; flags in device memory say when
// it may and when it has.

#include "src/distributed/device_path.hpp"
#include "src/distributed/direct_flags.hpp"

namespace portcost::distributed {

namespace {

constexpr std::size_t most_kept = 16;

// A part of the sender's array, as the sender offers it.
struct OfferedPart {
  int number;
  SharedHandle memory;
};
using OfferedParts = std::vector<std::vector<OfferedPart>>;  // of each rank

class DirectPath final : public DevicePath {
 public:
  DirectPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
             double patience_s)
      : ranks_(from.processors().ranks()),
        senders_(from.processors()),
        receivers_(to.processors()),
        element_bytes_(static_cast<std::int64_t>(from.element_bytes())),
        transfers_(transfers),
        flags_(ranks_, neighbours(), patience_s, device_stream(from, to)) {}
  // Its last launch ends when nobody reads from here any more, or waits for a flag.
  ~DirectPath() override {
    turns_.finish();
    std::erase(living(), this);
    bound_.clear();
    flags_.part();
  }

  void meet(const Communicator&) override {
    living().push_back(this);
    flags_.meet();
  }

  void bind(const ArrayBase& from, const ArrayBase& to) override {
    const std::pair arrays{from.identity(), to.identity()};
    if (const auto found = bound_.find(arrays); found != bound_.end()) {
      now_ = &found->second;
      return;
    }
    close_maps_of_gone();
    if (bound_.size() >= most_kept) {  // as on all other ranks
      turns_.finish();
      bound_.clear();
    }
    // Kept when it is complete: else the next exchange would find it.
    Bound made{from.life(), to.life()};
    std::vector<OfferedPart> mine;
    ranks_.together([&] { mine = offered(from); });
    const OfferedParts all = gathered_values(ranks_, mine);
    ranks_.together([&] { bind(from, to, all, made); });
    now_ = &bound_.emplace(arrays, std::move(made)).first->second;
  }

  void enqueue(const ArrayBase&, const ArrayBase&, const Stream& stream) override {
    if (flags_.empty()) return;
    [[maybe_unused]] const DirectLoads loads = flags_.next(now_->copies.span());
    turns_.begin(stream);
#if PORTCOST_HAS_CUDA
    enqueue_direct_loads(loads, now_->words, stream);
#else
    no_device();
#endif
    turns_.end(stream);
  }

  // All of this process.
  static std::vector<DirectPath*>& living() {
    static std::vector<DirectPath*> result;
    return result;
  }
  static void close_maps_of_gone() {
    for (DirectPath* const one : living()) one->forget_gone();
  }

 private:
  // Two arrays whose memory other ranks, or this one, have mapped.
  struct Bound {
    std::weak_ptr<const void> from = {}, to = {};
    std::vector<MappedMemory> mapped = {};
    Buffer<DirectCopy> copies = {};
    detail::Words words = {};
  };

  void forget_gone() {
    const auto gone = [](const auto& one) {
      return one.second.from.expired() || one.second.to.expired();
    };
    if (std::ranges::any_of(bound_, gone)) turns_.finish();
    std::erase_if(bound_, gone);
  }

  std::vector<DirectNeighbour> neighbours() const {
    std::map<int, DirectNeighbour> result;
    const auto with = [&](int rank) -> DirectNeighbour& {
      return result.try_emplace(rank, DirectNeighbour{rank}).first->second;
    };
    for (const Transfer& one : transfers_) {
      if (senders_.is_mine(one.from)) with(receivers_.rank_of(one.to)).reads = true;
      if (receivers_.is_mine(one.to)) with(senders_.rank_of(one.from)).is_read = true;
    }
    std::vector<DirectNeighbour> by_rank;
    for (const auto& [rank, neighbour] : result) by_rank.push_back(neighbour);
    return by_rank;
  }

  // Each part that another rank reads.
  std::vector<OfferedPart> offered(const ArrayBase& from) const {
    std::vector<OfferedPart> result;
    for (const Part& part : from.parts()) {
      const bool wanted = std::ranges::any_of(transfers_, [&](const Transfer& one) {
        return one.from == part.number && !receivers_.is_mine(one.to);
      });
      if (wanted) result.push_back({part.number, share_memory(part.data)});
    }
    return result;
  }

  // A part as its owner lays it out, and where it lies here.
  Part source_part(const ArrayBase& from, int number, const OfferedParts& all,
                   std::map<int, std::byte*>& opened, Bound& bound) const {
    if (senders_.is_mine(number)) return part_of(from, number);
    Part result{number, from.shape().layout(number), Place::device, nullptr};
    std::byte*& data = opened[number];
    if (data == nullptr) {
      const auto& offers = all[static_cast<std::size_t>(senders_.rank_of(number))];
      const auto its = std::ranges::find(offers, number, &OfferedPart::number);
      require(its != offers.end(), "a part that its owner does not offer");
      bound.mapped.emplace_back(its->memory);
      data = bound.mapped.back().data();
    }
    result.data = data;
    return result;
  }

  void bind(const ArrayBase& from, const ArrayBase& to, const OfferedParts& all,
            Bound& bound) const {
    std::vector<DirectCopy> copies;
    std::map<int, std::byte*> opened;
    for (const Transfer& one : transfers_) {
      if (!receivers_.is_mine(one.to)) continue;
      const Part source = source_part(from, one.from, all, opened, bound);
      copies.push_back(
          {copy_of(one.source, rows_of(part_of(to, one.to), one.target.begin, element_bytes_),
                   rows_of(source, one.source.begin, element_bytes_)),
           flags_.index_of(senders_.rank_of(one.from))});
    }
    if (copies.empty()) return;
    std::vector<BoxCopy*> boxes;
    for (DirectCopy& one : copies) boxes.push_back(&one.copy);
    bound.words = detail::widen(boxes, static_cast<std::size_t>(element_bytes_));
    bound.copies = Buffer<DirectCopy>(copies.size(), Place::device);
    bound.copies.upload(copies, Stream(Place::device));
  }

  const Communicator& ranks_;
  const Processors &senders_, &receivers_;
  std::int64_t element_bytes_;
  std::vector<Transfer> transfers_;
  DirectFlags flags_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Bound> bound_;
  Bound* now_ = nullptr;
  Turns turns_;
};

}  // namespace

void detail::close_maps_of_gone() { DirectPath::close_maps_of_gone(); }

std::unique_ptr<DevicePath> detail::make_direct_path(const ArrayBase& from, const ArrayBase& to,
                                                     const std::vector<Transfer>& transfers,
                                                     const PathSettings& settings) {
  return std::make_unique<DirectPath>(from, to, transfers, settings.patience_s);
}

}  // namespace portcost::distributed
