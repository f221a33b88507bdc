// SPDX-License-Identifier: Apache-2.0
// A small problem over processes, for tests of what surrounds such work.
#pragma once

#include "src/contract/algorithm.hpp"

namespace portcost::test {

/// `rings`: every number becomes the sum of its two neighbours on a ring; the step `exchange` over
/// any number of processes, in both models, and `alone` by one. Assembled.
///
/// The variable RINGS_FAULT has a rank fail in a run: "dies:1", "throws:2", "leaves:1", "hangs:1",
/// "hangs_in_answer:1", "stops:1" (a signal), "breaks:1" (with n=5001, and all know), "wrong:1",
/// "sleeps:1" (0.2 s).
Algorithm rings();

}  // namespace portcost::test
