// SPDX-License-Identifier: Apache-2.0
// The work of a step over processes (ranks), for all algorithms.
#pragma once

#include "src/contract/rung.hpp"

namespace portcost {

/// A rank's share of a problem: arrays with ghost points, and their exchanges.
template <class Data>
struct RanksTask {
  Data* data;
};
template <template <class> class Data>
using RanksWorks = Works<RanksTask<Data<float>>, RanksTask<Data<double>>>;

}  // namespace portcost
