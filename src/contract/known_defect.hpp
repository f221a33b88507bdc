// SPDX-License-Identifier: Apache-2.0
// Which of the defects that an algorithm lists concern a variant, in this build.
#pragma once

#include <string>
#include <string_view>

#include "src/contract/algorithm.hpp"

namespace portcost {

/// True when `version` is a version ("4.6.1", or "4.6.01" for the same) from `first` to `last`.
bool version_within(std::string_view version, std::string_view first, std::string_view last);

/// The first defect listed for `variant` at `problem` whose library has a listed version in this
/// build; null when there is none.
const KnownDefect* known_defect(const Algorithm& algorithm, const Variant& variant,
                                const Problem& problem);

/// What a record says of a defect.
struct DefectText {
  std::string what, reason, reproducer;
};
DefectText texts_of(const KnownDefect& defect);
/// What is wrong, why, and where the reproducer is, in one line.
std::string text_of(const DefectText& defect);
/// What is said where a listed defect does not show.
std::string not_seen(const DefectText& defect);

}  // namespace portcost
