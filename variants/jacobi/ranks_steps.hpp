// SPDX-License-Identifier: Apache-2.0
// The steps over processes: which boxes are swept and when halos travel. They are written once for
// all models, as MPI's calls are the same in all; a model provides only the sweeps.
#pragma once

#include "src/contract/rung.hpp"
#include "src/distributed/distribution.hpp"
#include "variants/jacobi/ranks_launches.hpp"

namespace portcost::jacobi {

/// A part's nodes that a neighbour waits for, and the others. Edges that are rows are one node
/// high; edges that are columns are as wide as a line of 128 bytes or a little wider, so that the
/// inside begins and ends with whole lines.
struct Split {
  std::vector<distributed::Box> edges;
  distributed::Box inside;  // maybe empty
};
Split split_of(const distributed::Box& part, const distributed::Box& domain, std::int64_t line);

/// rows, overlap, tiles_2d, deep_halos, for a model that runs in `place`.
Rungs rungs_over_ranks(const ModelLaunches& model, Place place);
/// hybrid: a rank's GPU and its cores share its rows.
Rung hybrid_rung(const ModelLaunches& device, const ModelLaunches& host);
/// hybrid with cores alone: ranks share the rows by their measured speed.
Rung hybrid_rung(const ModelLaunches& host);

}  // namespace portcost::jacobi
