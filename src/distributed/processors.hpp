// SPDX-License-Identifier: Apache-2.0
// Who computes: processors of unequal speed, one or more of each rank.
#pragma once

#include <span>
#include <vector>

#include "src/distributed/communicator.hpp"
#include "src/memory/place.hpp"

namespace portcost::distributed {

/// Something that computes on memory of its own: a rank's GPU, or its cores.
struct Processor {
  Place place = Place::host;
  double weight = 1;  // its speed, in any unit: it gets a share in proportion
};

/// The processors of all ranks, numbered: those of rank 0 first, in the order in which it names
/// them. All who make distributed arrays over the same processors share one of these, which must
/// outlive the arrays.
class Processors {
 public:
  /// Of this rank, at least one. Collective; throws SharedUsageError where a rank names none.
  Processors(const Communicator& ranks, std::span<const Processor> mine);
  /// One a rank.
  Processors(const Communicator& ranks, Processor mine)
      : Processors(ranks, std::span<const Processor>(&mine, 1)) {}

  const Communicator& ranks() const { return ranks_; }
  int count() const { return static_cast<int>(weights_.size()); }
  const std::vector<double>& weights() const { return weights_; }
  int rank_of(int processor) const { return rank_of_[static_cast<std::size_t>(processor)]; }
  Place place_of(int processor) const { return places_[static_cast<std::size_t>(processor)]; }
  /// This rank's, numbered first_mine() and on.
  std::span<const Processor> mine() const { return mine_; }
  int first_mine() const { return first_mine_; }
  bool is_mine(int processor) const { return rank_of(processor) == ranks_.rank(); }

 private:
  const Communicator& ranks_;
  std::vector<Processor> mine_;
  int first_mine_ = 0;
  std::vector<double> weights_;
  std::vector<int> rank_of_;
  std::vector<Place> places_;
};

}  // namespace portcost::distributed
