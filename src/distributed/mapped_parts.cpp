// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/mapped_parts.hpp"

#include "src/distributed/device_path.hpp"
#include "src/distributed/direct_flags.hpp"
#include "src/support/reject.hpp"

namespace portcost::distributed {

namespace {

// All other ranks reach this one's memory, and it reaches theirs.
std::vector<DirectNeighbour> all_others(const Communicator& ranks) {
  std::vector<DirectNeighbour> result;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank != ranks.rank()) result.push_back({rank, true, true});
  }
  return result;
}

void require_reach(const ArrayBase& array) {
  const Communicator& ranks = array.processors().ranks();
  const std::vector<int> nodes = ranks.nodes();
  ranks.together([&] {
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      if (nodes[rank] == nodes[ranks.rank()]) continue;
      reject("rank {} is on another computer, where a GPU's loads and stores do not reach", rank);
    }
    for (const Part& part : array.parts()) {
      if (part.place == Place::device) continue;
      throw UsageError(std::string(hosts_refuse));
    }
  });
}

}  // namespace

struct MappedParts::Impl {
  Impl(const ArrayBase& array, double patience_s)
      : flags(array.processors().ranks(), all_others(array.processors().ranks()), patience_s,
              &array.stream(array.parts()[0])) {}

  void open(const ArrayBase& array, const std::vector<std::vector<SharedHandle>>& offered) {
    const Processors& processors = array.processors();
    std::size_t next = 0;  // of this rank
    std::vector<std::size_t> read(offered.size());
    for (int number = 0; number < processors.count(); ++number) {
      Part part{number, array.shape().layout(number), Place::device, nullptr};
      if (processors.is_mine(number)) {
        part.data = array.parts()[next++].data;
      } else {
        const auto rank = static_cast<std::size_t>(processors.rank_of(number));
        require(read[rank] < offered[rank].size(), "a part that is not offered");
        mapped.emplace_back(offered[rank][read[rank]++]);
        part.data = mapped.back().data();
      }
      parts.push_back(part);
    }
  }

  DirectFlags flags;
  std::vector<MappedMemory> mapped;
  std::vector<Part> parts;
  Turns turns;
};

MappedParts::MappedParts(const ArrayBase& array, double patience_s) {
  const Communicator& ranks = array.processors().ranks();
  require_reach(array);
  detail::close_maps_of_gone();
  ranks.barrier();  // all have closed theirs
  std::vector<SharedHandle> mine;
  ranks.together([&] {
    impl_ = std::make_unique<Impl>(array, patience_s);
    if (ranks.size() == 1) return;
    for (const Part& part : array.parts()) mine.push_back(share_memory(part.data));
  });
  impl_->flags.meet();
  const std::vector<std::vector<SharedHandle>> offered = gathered_values(ranks, mine);
  ranks.together([&] { impl_->open(array, offered); });
}

// Its last launch ends when nobody waits for it.
MappedParts::~MappedParts() {
  if (!impl_) return;
  impl_->turns.finish();
  impl_->mapped.clear();
  impl_->flags.part();
}
MappedParts::MappedParts(MappedParts&&) noexcept = default;

const Part& MappedParts::part(int number) const { return impl_->parts[number]; }

void MappedParts::meet(const Stream& stream) {
  if (impl_->flags.empty()) return;
  const DirectMoves nothing = impl_->flags.next({});
  impl_->turns.begin(stream);
  if constexpr (PORTCOST_HAS_CUDA) enqueue_direct_moves(nothing, {}, stream);
  impl_->turns.end(stream);
}

}  // namespace portcost::distributed
