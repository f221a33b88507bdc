// SPDX-License-Identifier: Apache-2.0
// A kernel of the receiver reads the points in the sender's array; flags in device memory say when
// it may and when it has.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "src/distributed/device_path.hpp"
#include "src/distributed/direct_loads.hpp"
#include "src/memory/no_device.hpp"
#include "src/memory/shared_device.hpp"
#include "src/memory/watches.hpp"
#include "src/support/error.hpp"

namespace portcost::distributed {

namespace {

constexpr std::size_t most_kept = 16;

// What this rank and a neighbour have to do with each other. A rank may be its own neighbour.
struct Neighbour {
  int rank;
  bool reads = false, is_read = false;
};
// The two flags that a neighbour writes here.
struct FlagPair {
  Flag ready, read;
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
std::vector<T> values_in(std::string_view text) {
  std::vector<T> result(text.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), text.data(), result.size() * sizeof(T));
  return result;
}

// A part of the sender's array, as the sender offers it.
struct OfferedPart {
  int number;
  SharedHandle memory;
};

class DirectPath final : public DevicePath {
 public:
  DirectPath(const ArrayBase& from, const ArrayBase& to, const std::vector<Transfer>& transfers,
             double patience_s)
      : ranks_(from.processors().ranks()),
        senders_(from.processors()),
        receivers_(to.processors()),
        element_bytes_(static_cast<std::int64_t>(from.element_bytes())),
        transfers_(transfers),
        patience_s_(patience_s) {
    find_neighbours();
    if (neighbours_.empty()) return;
    const Stream& stream = stream_of(from, to);
    flags_ = zeroed<FlagPair>(neighbours_.size(), stream);
    state_ = zeroed<DirectState>(1, stream);
    failure_ = HostMemory(sizeof(int), HostKind::mapped);
    std::memset(failure_.data(), 0, sizeof(int));
    failed_neighbour_ = reinterpret_cast<int*>(failure_.on_device());
    watched_ = watch(stream, [this] { check(); });
  }
  // Its last launch ends when nobody reads from here any more, or waits for a flag.
  ~DirectPath() override {
    turns_.finish();
    std::erase(living(), this);
  }
  DirectPath(const DirectPath&) = delete;
  DirectPath& operator=(const DirectPath&) = delete;

  // Collective.
  void meet() {
    living().push_back(this);
    std::string mine;
    ranks_.together([&] {
      if (neighbours_.empty()) return;
      const SharedHandle handle = share_memory(flags_.data());
      mine.assign(reinterpret_cast<const char*>(handle.data()), handle.size());
      for (const Neighbour& one : neighbours_) {
        mine.append(reinterpret_cast<const char*>(&one.rank), sizeof one.rank);
      }
    });
    const std::vector<std::string> all = ranks_.gathered(mine);
    ranks_.together([&] { open_flags(all); });
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
    now_ = &bound_[arrays];
    now_->from = from.life();
    now_->to = to.life();
    std::string mine;
    ranks_.together([&] { mine = bytes_of(offered(from)); });
    const std::vector<std::string> all = ranks_.gathered(mine);
    ranks_.together([&] { bind(from, to, all, *now_); });
  }

  void enqueue(const ArrayBase&, const ArrayBase&, const Stream& stream) override {
    if (neighbours_.empty()) return;
    check();
    turns_.begin(stream);
#if PORTCOST_HAS_CUDA
    const DirectLoads loads{now_->copies.data(), static_cast<int>(now_->copies.size()),
                            table_.data(),       static_cast<int>(neighbours_.size()),
                            state_.data(),       failed_neighbour_,
                            ++number_,           static_cast<std::int64_t>(patience_s_ * 1e9)};
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

  template <class T>
  static Buffer<T> zeroed(std::size_t count, const Stream& stream) {
    Buffer<T> result(count, Place::device);
    result.upload(std::vector<T>(count), stream);
    return result;
  }

  static const Stream& stream_of(const ArrayBase& from, const ArrayBase& to) {
    for (const ArrayBase* array : {&from, &to}) {
      for (const Part& part : array->parts()) {
        if (part.place == Place::device) return array->stream(part);
      }
    }
    throw Failure("a rank without a device part has a transfer between devices");
  }

  Neighbour& neighbour(int rank) {
    const auto at = std::ranges::lower_bound(neighbours_, rank, {}, &Neighbour::rank);
    if (at != neighbours_.end() && at->rank == rank) return *at;
    return *neighbours_.insert(at, Neighbour{rank});
  }
  int index_of(int rank) const {
    const auto at = std::ranges::lower_bound(neighbours_, rank, {}, &Neighbour::rank);
    return static_cast<int>(at - neighbours_.begin());
  }

  void find_neighbours() {
    for (const Transfer& one : transfers_) {
      if (senders_.is_mine(one.from)) neighbour(receivers_.rank_of(one.to)).reads = true;
      if (receivers_.is_mine(one.to)) neighbour(senders_.rank_of(one.from)).is_read = true;
    }
  }

  // The flags that this rank writes lie with its neighbours, in the order of theirs.
  void open_flags(const std::vector<std::string>& all) {
    std::vector<NeighbourFlags> table;
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      const Neighbour& one = neighbours_[i];
      FlagPair* const here = flags_.data() + i;
      FlagPair* there = here;
      if (one.rank != ranks_.rank()) {
        const std::string_view text = all[static_cast<std::size_t>(one.rank)];
        require(text.size() > sizeof(SharedHandle), "a neighbour that has no flags");
        SharedHandle handle;
        std::memcpy(handle.data(), text.data(), handle.size());
        const auto its = values_in<int>(text.substr(sizeof handle));
        const auto slot = std::ranges::find(its, ranks_.rank());
        require(slot != its.end(), "a neighbour that does not know of this rank");
        mapped_.emplace_back(handle);
        there = reinterpret_cast<FlagPair*>(mapped_.back().data()) + (slot - its.begin());
      }
      table.push_back({one.reads ? &there->ready : nullptr, one.reads ? &here->read : nullptr,
                       one.is_read ? &there->read : nullptr, one.is_read ? &here->ready : nullptr});
    }
    if (table.empty()) return;
    table_ = Buffer<NeighbourFlags>(table.size(), Place::device);
    table_.upload(table, Stream(Place::device));
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
  Part source_part(const ArrayBase& from, int number, const std::vector<std::string>& all,
                   std::map<int, std::byte*>& opened, Bound& bound) const {
    const Shape& shape = from.shape();
    Part result{number,
                Layout(shape.distribution.corners(number), shape.stencil.width, shape.align),
                Place::device, nullptr};
    if (senders_.is_mine(number)) {
      result.data = from.parts()[static_cast<std::size_t>(number - senders_.first_mine())].data;
      return result;
    }
    std::byte*& data = opened[number];
    if (data == nullptr) {
      const auto offers =
          values_in<OfferedPart>(all[static_cast<std::size_t>(senders_.rank_of(number))]);
      const auto its = std::ranges::find(offers, number, &OfferedPart::number);
      require(its != offers.end(), "a part that its owner does not offer");
      bound.mapped.emplace_back(its->memory);
      data = bound.mapped.back().data();
    }
    result.data = data;
    return result;
  }

  void bind(const ArrayBase& from, const ArrayBase& to, const std::vector<std::string>& all,
            Bound& bound) const {
    std::vector<DirectCopy> copies;
    std::map<int, std::byte*> opened;
    for (const Transfer& one : transfers_) {
      if (!receivers_.is_mine(one.to)) continue;
      const Part source = source_part(from, one.from, all, opened, bound);
      const Part& target = to.parts()[static_cast<std::size_t>(one.to - receivers_.first_mine())];
      const Box& box = one.source;
      copies.push_back({{box.extent(0), box.extent(1), box.extent(2),
                         rows_of(target, one.target.begin, element_bytes_),
                         rows_of(source, box.begin, element_bytes_)},
                        index_of(senders_.rank_of(one.from))});
    }
    if (copies.empty()) return;
    std::vector<BoxCopy*> boxes;
    for (DirectCopy& one : copies) boxes.push_back(&one.copy);
    bound.words = detail::widen(boxes, static_cast<std::size_t>(element_bytes_));
    bound.copies = Buffer<DirectCopy>(copies.size(), Place::device);
    bound.copies.upload(copies, Stream(Place::device));
  }

  void check() const {
    const int failed = *reinterpret_cast<const volatile int*>(failure_.data());
    if (failed == 0) return;
    throw Failure(fmt::format(
        "rank {} did not take part in an exchange within {} s, as long as the path direct_loads "
        "waits: it has died, or makes other calls than this rank",
        neighbours_[static_cast<std::size_t>(failed - 1)].rank, patience_s_));
  }

  const Communicator& ranks_;
  const Processors &senders_, &receivers_;
  std::int64_t element_bytes_;
  std::vector<Transfer> transfers_;
  double patience_s_;
  std::vector<Neighbour> neighbours_;  // by rank
  Buffer<FlagPair> flags_;
  Buffer<DirectState> state_;
  HostMemory failure_;
  int* failed_neighbour_ = nullptr;  // the same, as the device reaches it
  std::vector<MappedMemory> mapped_;
  Buffer<NeighbourFlags> table_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Bound> bound_;
  Bound* now_ = nullptr;
  unsigned long long number_ = 0;
  Turns turns_;
  std::shared_ptr<Check> watched_;
};

}  // namespace

void detail::close_maps_of_gone() { DirectPath::close_maps_of_gone(); }

std::unique_ptr<DevicePath> detail::make_direct_path(const ArrayBase& from, const ArrayBase& to,
                                                     const std::vector<Transfer>& transfers,
                                                     double patience_s) {
  std::unique_ptr<DirectPath> result;
  from.processors().ranks().together(
      [&] { result = std::make_unique<DirectPath>(from, to, transfers, patience_s); });
  result->meet();
  return result;
}

}  // namespace portcost::distributed
