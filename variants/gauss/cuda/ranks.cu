// SPDX-License-Identifier: Apache-2.0
// Native GPU step over processes: a GPU a process.
#include "variants/gauss/ranks.hpp"

namespace portcost::gauss {

Rungs cuda_rungs();

Rungs cuda_ranks_rungs() {
  return {distributed_rung(cuda_rungs(), step_over_ranks(Place::device),
                           unfit_tile_rows(Place::device))};
}

}  // namespace portcost::gauss
