// SPDX-License-Identifier: Apache-2.0
// The team kernels of transfer_bandwidth and transfer_batching on a host, where no variant runs
// them: what they leave out or write beyond the end shows without a GPU.
#pragma once

#include "src/contract/algorithm.hpp"
#include "src/memory/stream.hpp"
#include "variants/transfer_bandwidth/problem.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::test {

/// Copies all packs, in the way `way`: tuned or by the book.
void copy_packs_by_teams(Way way, const transfer_bandwidth::KernelEnds& ends, const Stream& host);

/// Moves all rows of `moved`, which is Rows, or Arrays that lie anywhere (transfer_batching).
template <class Moved>
void move_rows_by_teams(Way way, const Moved& moved, const Stream& host);

}  // namespace portcost::test
