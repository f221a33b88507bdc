// SPDX-License-Identifier: Apache-2.0
// Holds what a record says against its samples, so that a record that was changed is noticed.
#pragma once

#include "perf/command/derive.hpp"

namespace portcost {

/// Throws UsageError, in one line that names the row, where a row says another thing than
/// `derived`, which was derived from the record, or where rows contradict each other.
void check_said(const RecordFacts& record, const Derived& derived);

}  // namespace portcost
