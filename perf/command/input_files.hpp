// SPDX-License-Identifier: Apache-2.0
// The files that parameters name: what a record says of them, so that its readers know the inputs.
#pragma once

#include <string>
#include <vector>

#include "perf/command/campaign.hpp"

namespace portcost {

/// One object a file that a parameter of the groups names: path (as given), bytes, sha256 (null
/// where it is not known, with the reason as sha256_missing). Null where there is no such file.
Json files_of(const std::vector<Group>& groups);

/// How the files of one header are others than those of another, in a few words; empty: they are
/// the same.
std::string other_files(const Json& header, const Json& other);

}  // namespace portcost
