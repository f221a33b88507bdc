// SPDX-License-Identifier: Apache-2.0
// The command as one of several processes that a launcher has started together.
#pragma once

#include <exception>

#include "src/machine/limits.hpp"
#include "src/record/record.hpp"

namespace portcost {

/// Whether these words, or the environment, say that a launcher started this process to work with
/// others: `--ranks N`, mpirun's variables, or those of another launcher of more than one.
bool is_over_ranks(int argc, char** argv);

/// Runs `f` on all of them, by run_ranks(): one message and one status. Throws UsageError where
/// this build has no MPI. Ranks other than 0 write nothing to the standard output.
int do_over_ranks(int argc, char** argv, const std::function<int(const Ranks&)>& f);

/// Throws `error` again with more words: one that all ranks have thrown together stays such a one.
[[noreturn]] void throw_with(const std::exception& error, const std::string& more);

/// Refuses (on all ranks) other numbers of ranks than were `wanted` (0: any), builds, words and
/// variables that OpenMP reads. Collective.
void check_ranks(const Ranks& ranks, int wanted, const std::string& words);

/// Gives each rank a GPU, where this build measures GPUs, and returns its number. Throws UsageError
/// with the numbers where there are fewer, unless they may be `shared`. Collective.
std::optional<int> device_of(const Ranks& ranks, bool shared);

/// One line where the ranks of this computer have more threads than processors, or more than one of
/// them on a GPU; else empty. Collective.
std::string crowding(Place place, const Ranks& ranks, bool share_gpus);

/// What a record's header says of the ranks: how many, MPI, and of each its computer, processors,
/// threads and GPU; with GPUs also what halos=automatic is among them. Collective.
Json describe_ranks(const Ranks& ranks, std::optional<int> device);

/// The limits of a place by their names, and those of an exchange where there are several ranks.
std::vector<std::string> limit_names(Place place, const Ranks& ranks);
/// Measures one of them; of several ranks by all at the same time, of which the slowest counts.
/// Collective.
Limit limit_of(std::string_view name, const Stream& stream);

/// What rank 0's `record` (null: none is written) held when it was opened, on all. Collective.
RecordPart held_by_first(const Ranks& ranks, const RecordWriter* record);

}  // namespace portcost
