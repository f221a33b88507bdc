// SPDX-License-Identifier: Apache-2.0
// Matching what users type: globs over names, and the known name nearest to an unknown one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portcost {

/// True when all of `text` matches `pattern`, in which `*` stands for any characters ('/' too), `?`
/// for one and `[abc]` for one of these (fnmatch).
bool glob_match(std::string_view pattern, std::string_view text);

/// Fewest single-character edits (insert, delete, replace) that turn `a` into `b` (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The entry of `known` with the smallest edit distance to `text`; empty when `known` is.
std::string nearest_name(std::string_view text, const std::vector<std::string>& known);

}  // namespace portcost
