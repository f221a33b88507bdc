// SPDX-License-Identifier: Apache-2.0
// What the sources that Kokkos's compiler or nvcc builds offer to the other tests.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/algorithm.hpp"
#include "src/memory/stream.hpp"
#include "variants/transfer_bandwidth/problem.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::test {

/// The first rank whose row or column differs from what division gives; -1 when none was found
/// among the first ranks, random rows and the last rows.
std::int64_t first_misplaced_tile(int columns, int rows);

/// Whether streams that are used in turns keep an execution space each.
bool streams_keep_their_spaces();

/// On which multiprocessors a GPU puts the blocks of a launch.
struct Spread {
  std::vector<int> multiprocessors;  // of each block
  bool together = false;             // all blocks were there at the same time
};
/// Of blocks with in_flight's threads and launch bounds, which stay until all are there, or 20 ms.
Spread spread_of(int blocks, const Stream& stream);

/// A round of message_passing on a device with warps that are late (late_words.hpp), for kernels
/// that are built under another name.
struct LateRound {
  std::uint32_t *messages, *arrived, *sums;
  std::uint32_t groups, members, words, seed, round;
};
void late_cuda_ticket(const LateRound& round, const Stream& stream);
void late_kokkos_ticket(const LateRound& round, const Stream& stream);

/// The team kernels of transfer_bandwidth and transfer_batching on a host, where no variant runs
/// them: what they leave out or write beyond the end shows without a GPU. This one copies all
/// packs.
void copy_packs_by_teams(Way way, const transfer_bandwidth::KernelEnds& ends, const Stream& host);
/// Moves all rows of `moved`, which is Rows, or Arrays that lie anywhere (transfer_batching).
template <class Moved>
void move_rows_by_teams(Way way, const Moved& moved, const Stream& host);

}  // namespace portcost::test
