// SPDX-License-Identifier: Apache-2.0
// What an exchange with the neighbours can reach, by each path that there is: measured, not quoted.
#pragma once

#include "src/distributed/communicator.hpp"
#include "src/machine/limits.hpp"

namespace portcost::distributed {

/// Of a place, for two ranks or more. Every rank sends to the next one and receives from the one
/// before at the same time, the last and the first being neighbours:
///   "host exchange latency"       seconds for 8 bytes
///   "host exchange 64 KiB", ...   bytes a second that a rank sends in messages of this length
///   "host exchange"               the same of the longest
/// On a device "device exchange staged" (copied to pinned host memory, sent from there, copied to
/// the device) and, where they can be (Path), "device exchange pointers", "device exchange nccl",
/// "device exchange peer copies", "device exchange direct loads" and "device exchange direct
/// stores", each with latency and lengths.
/// "device exchange mapped copies" is no path: the same points copied by a copy engine out of the
/// sender's array, without packing, as far as the link goes. "device exchange" is the fastest of
/// all. Of one that fails at a first exchange a line says why, and it is left out. Collective.
std::vector<std::string> exchange_limit_names(Place place, const Ranks& ranks);

bool is_exchange_limit(std::string_view name);

/// Whether `f`, which uses a path, ends. What all ranks throw together (SharedUsageError,
/// SharedFailure) is one line of the first, and false: they are together still, and other paths can
/// be measured. Whatever else is thrown goes on.
bool can_be_measured(const Ranks& ranks, std::string_view path, const std::function<void()>& f);

/// Measures one among the ranks of the stream; the slowest rank counts. Collective. Throws Failure
/// for an unknown name.
Limit measure_exchange(std::string_view name, const Stream& stream);

}  // namespace portcost::distributed
