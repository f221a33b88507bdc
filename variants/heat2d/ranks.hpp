// SPDX-License-Identifier: Apache-2.0
// heat2d over processes (ranks): each has a block of rows and its neighbours' next rows around it.
// Needs MPI; does not include it.
#pragma once

#include "src/distributed/exchange.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::heat2d {

template <class T>
class RanksData;

inline constexpr RanksWorks<RanksData> ranks_works;

/// A rank's share of a problem: two grids that take turns, in blocks of rows.
template <class T>
class RanksData final : public InstanceOf<RanksTask<RanksData<T>>> {
 public:
  RanksData(const Problem& problem, Stream& stream);

  void reset() override;
  Answer answer() override;
  bool repeatable() const override { return true; }
  RanksTask<RanksData<T>> work(int) const override { return {const_cast<RanksData*>(this)}; }
  int phases() const override { return steps_; }
  bool queued_ahead() const override { return false; }

  /// A time step of this rank's rows. The rows beside them count as fixed edges and are copied.
  Step<T> step() const;
  /// The grids swap, and the neighbours' rows arrive. Collective.
  void exchange();

 private:
  Coefficients<T> c_;
  int steps_;
  distributed::Processors processors_;
  distributed::Array<T> first_, front_, back_;
  distributed::Array<T>*now_ = &front_, *next_ = &back_;
  distributed::HaloExchange halos_;
};

/// `distributed`: a time step by the function of a step of one process, then the exchange; of a
/// model that runs in `place`.
Rung distributed_rung(const Rungs& model, std::string_view step, Place place, Way way = Way::tuned);

}  // namespace portcost::heat2d
