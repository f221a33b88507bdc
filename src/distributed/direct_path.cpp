// SPDX-License-Identifier: Apache-2.0
// A kernel of one rank, the mover, reads the points in the sender's array (direct_loads) or writes
// them to the receiver's (direct_stores); flags in device memory say when it may move points and
// when it has moved them.

#include "src/distributed/device_path.hpp"
#include "src/distributed/direct_flags.hpp"

namespace portcost::distributed {

namespace {

constexpr std::size_t most_kept = 16;

// A part of the array that is not the mover's, as its owner offers it.
struct OfferedPart {
  int number;
  SharedHandle memory;
};
using OfferedParts = std::vector<std::vector<OfferedPart>>;  // of each rank

class DirectPath final : public DevicePath {
 public:
  DirectPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
             double patience_s, bool stores)
      : ranks_(from.processors().ranks()),
        stores_(stores),
        movers_((stores ? from : to).processors()),
        owners_((stores ? to : from).processors()),
        element_bytes_(static_cast<std::int64_t>(from.element_bytes())),
        transfers_(transfers),
        flags_(ranks_, neighbours(), patience_s, device_stream(from, to)) {}
  // Its last launch ends when nobody reaches this rank's memory any more, or waits for a flag.
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
    detail::close_maps_of_gone();
    if (bound_.size() >= most_kept) {  // as on all other ranks
      turns_.finish();
      bound_.clear();
    }
    // Kept when it is complete: else the next exchange would find it.
    Bound made{from.life(), to.life()};
    std::vector<OfferedPart> mine;
    ranks_.together([&] { mine = offered(stores_ ? to : from); });
    const OfferedParts all = gathered_values(ranks_, mine);
    ranks_.together([&] { bind(from, to, all, made); });
    now_ = &bound_.emplace(arrays, std::move(made)).first->second;
  }

  void enqueue(const ArrayBase&, const ArrayBase&, const Stream& stream) override {
    if (flags_.empty()) return;
    const DirectMoves moves = flags_.next(now_->copies.span());
    turns_.begin(stream);
    if constexpr (PORTCOST_HAS_CUDA) enqueue_direct_moves(moves, now_->words, stream);
    turns_.end(stream);
  }

  // All of this process.
  static std::vector<DirectPath*>& living() {
    static std::vector<DirectPath*> result;
    return result;
  }
  void forget_gone() {
    const auto gone = [](const auto& one) {
      return one.second.from.expired() || one.second.to.expired();
    };
    if (std::ranges::any_of(bound_, gone)) turns_.finish();
    std::erase_if(bound_, gone);
  }

 private:
  // Two arrays whose memory other ranks, or this one, have mapped.
  struct Bound {
    std::weak_ptr<const void> from = {}, to = {};
    std::vector<MappedMemory> mapped = {};
    Buffer<DirectCopy> copies = {};
    detail::Words words = {};
  };

  std::vector<DirectNeighbour> neighbours() const {
    std::map<int, DirectNeighbour> result;
    const auto with = [&](int rank) -> DirectNeighbour& {
      return result.try_emplace(rank, DirectNeighbour{rank}).first->second;
    };
    for (const Transfer& one : transfers_) {
      const int mover = mover_of(one), owner = owner_of(one);
      if (owners_.is_mine(owner)) with(movers_.rank_of(mover)).moves = true;
      if (movers_.is_mine(mover)) with(owners_.rank_of(owner)).is_moved = true;
    }
    std::vector<DirectNeighbour> by_rank;
    for (const auto& [rank, neighbour] : result) by_rank.push_back(neighbour);
    return by_rank;
  }

  // The parts of a transfer: the mover's, and the other array's.
  int mover_of(const Transfer& one) const { return stores_ ? one.from : one.to; }
  int owner_of(const Transfer& one) const { return stores_ ? one.to : one.from; }

  // Each part whose points another rank moves.
  std::vector<OfferedPart> offered(const ArrayBase& array) const {
    std::vector<OfferedPart> result;
    for (const Part& part : array.parts()) {
      const bool wanted = std::ranges::any_of(transfers_, [&](const Transfer& one) {
        return owner_of(one) == part.number && !movers_.is_mine(mover_of(one));
      });
      if (wanted) result.push_back({part.number, share_memory(part.data)});
    }
    return result;
  }

  // A part as its owner lays it out, and where it lies here.
  Part owned_part(const ArrayBase& array, int number, const OfferedParts& all,
                  std::map<int, std::byte*>& opened, Bound& bound) const {
    if (owners_.is_mine(number)) return part_of(array, number);
    Part result{number, array.shape().layout(number), Place::device, nullptr};
    std::byte*& data = opened[number];
    if (data == nullptr) {
      const auto& offers = all[owners_.rank_of(number)];
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
      const int mover = mover_of(one), owner = owner_of(one);
      if (!movers_.is_mine(mover)) continue;
      const Part mine = part_of(stores_ ? from : to, mover);
      const Part other = owned_part(stores_ ? to : from, owner, all, opened, bound);
      copies.push_back(
          {copy_of(one.source, rows_of(stores_ ? other : mine, one.target.begin, element_bytes_),
                   rows_of(stores_ ? mine : other, one.source.begin, element_bytes_)),
           flags_.index_of(owners_.rank_of(owner))});
    }
    if (copies.empty()) return;
    std::vector<BoxCopy*> boxes;
    for (DirectCopy& one : copies) boxes.push_back(&one.copy);
    bound.words = detail::widen(boxes, static_cast<std::size_t>(element_bytes_));
    bound.copies = Buffer<DirectCopy>(copies.size(), Place::device);
    bound.copies.upload(copies, Stream(Place::device));
  }

  const Communicator& ranks_;
  bool stores_;
  const Processors &movers_, &owners_;
  std::int64_t element_bytes_;
  std::vector<Transfer> transfers_;
  DirectFlags flags_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Bound> bound_;
  Bound* now_ = nullptr;
  Turns turns_;
};

}  // namespace

void detail::close_maps_of_gone() {
  for (DirectPath* const one : DirectPath::living()) one->forget_gone();
}

std::unique_ptr<DevicePath> detail::make_loading_path(const ArrayBase& from, const ArrayBase& to,
                                                      const std::vector<Transfer>& transfers,
                                                      const PathSettings& settings) {
  return std::make_unique<DirectPath>(from, to, transfers, settings.patience_s, false);
}
std::unique_ptr<DevicePath> detail::make_storing_path(const ArrayBase& from, const ArrayBase& to,
                                                      const std::vector<Transfer>& transfers,
                                                      const PathSettings& settings) {
  return std::make_unique<DirectPath>(from, to, transfers, settings.patience_s, true);
}

}  // namespace portcost::distributed
