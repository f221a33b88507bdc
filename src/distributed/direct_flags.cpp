// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/direct_flags.hpp"

#include <fmt/format.h>

namespace portcost::distributed {

namespace {

template <class T>
Buffer<T> zeroed(std::size_t count, const Stream& stream) {
  Buffer<T> result(count, Place::device);
  result.upload(std::vector<T>(count), stream);
  return result;
}

}  // namespace

DirectFlags::DirectFlags(const Communicator& ranks, std::vector<DirectNeighbour> neighbours,
                         double patience_s, const Stream* stream)
    : ranks_(ranks), neighbours_(std::move(neighbours)), patience_s_(patience_s) {
  if (neighbours_.empty()) return;
  require(stream != nullptr, "a rank without a device part has a transfer between devices");
  flags_ = zeroed<FlagPair>(neighbours_.size(), *stream);
  state_ = zeroed<DirectState>(1, *stream);
  failure_ = HostMemory(sizeof(int), HostKind::mapped);
  std::memset(failure_.data(), 0, sizeof(int));
  failed_neighbour_ = reinterpret_cast<int*>(failure_.on_device());
  watched_ = watch(*stream, [this] { check(); });
}

int DirectFlags::index_of(int rank) const {
  const auto at = std::ranges::lower_bound(neighbours_, rank, {}, &DirectNeighbour::rank);
  return static_cast<int>(at - neighbours_.begin());
}

void DirectFlags::meet() {
  std::vector<Offered> mine;
  ranks_.together([&] {
    for (const DirectNeighbour& one : neighbours_) {
      mine.push_back({one.rank, share_memory(flags_.data())});
    }
  });
  const std::vector<std::vector<Offered>> all = gathered_values(ranks_, mine);
  std::vector<int> others;
  for (const DirectNeighbour& one : neighbours_) {
    if (one.rank != ranks_.rank()) others.push_back(one.rank);
  }
  farewell_.meet(ranks_, std::move(others));
  ranks_.together([&] { open(all); });
  std::string gpu;
  ranks_.together(
      [&] { gpu = neighbours_.empty() ? std::to_string(ranks_.rank()) : device_address(); });
  const std::vector<std::string> gpus = ranks_.of_this_node().gathered(gpu);
  sharing_ = static_cast<int>(std::ranges::count(gpus, gpu));
}

// The flags that this rank writes lie with its neighbours, in the order of theirs.
void DirectFlags::open(const std::vector<std::vector<Offered>>& all) {
  std::vector<NeighbourFlags> table;
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const DirectNeighbour& one = neighbours_[i];
    FlagPair* const here = flags_.data() + i;
    FlagPair* there = here;
    if (one.rank != ranks_.rank()) {
      const std::vector<Offered>& its = all[one.rank];
      require(!its.empty(), "a neighbour that has no flags");
      const auto slot = std::ranges::find(its, ranks_.rank(), &Offered::writer);
      require(slot != its.end(), "a neighbour that does not know of this rank");
      mapped_.emplace_back(slot->flags);
      there = reinterpret_cast<FlagPair*>(mapped_.back().data()) + (slot - its.begin());
    }
    table.push_back({one.moves ? &there->ready : nullptr, one.moves ? &here->moved : nullptr,
                     one.is_moved ? &there->moved : nullptr,
                     one.is_moved ? &here->ready : nullptr});
  }
  if (table.empty()) return;
  table_ = Buffer<NeighbourFlags>(table.size(), Place::device);
  table_.upload(table, Stream(Place::device));
}

void DirectFlags::part() noexcept {
  mapped_.clear();
  farewell_.part();
}

DirectMoves DirectFlags::next(std::span<const DirectCopy> copies) {
  check();
  return {copies.data(), static_cast<int>(copies.size()),
          table_.data(), static_cast<int>(neighbours_.size()),
          state_.data(), failed_neighbour_,
          ++number_,     static_cast<std::int64_t>(patience_s_ * 1e9),
          sharing_};
}

void DirectFlags::check() const {
  if (neighbours_.empty()) return;
  const int failed = *reinterpret_cast<const volatile int*>(failure_.data());
  if (failed == 0) return;
  throw Failure(
      fmt::format("rank {} did not take part in an exchange within {} s, a GPU's patience: it has "
                  "died, or makes other calls than this rank",
                  neighbours_[failed - 1].rank, patience_s_));
}

}  // namespace portcost::distributed
