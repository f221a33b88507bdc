// SPDX-License-Identifier: Apache-2.0
// Environment variables that OpenMP and Kokkos read by themselves, looked at before they do.
#pragma once

#include <functional>

namespace portcost {

/// Throws UsageError, naming the variable, its value and the remedy, where OpenMP or Kokkos would
/// crash or pass over it: for what is no number or no known word, for more threads than Kokkos can
/// hold, and for stacks that no thread starts with. `value_of` returns a variable's text, or null;
/// `threads` is how many OpenMP would start.
void check_environment(const std::function<const char*(const char*)>& value_of, int threads);
/// The same for this process.
void check_environment();

}  // namespace portcost
