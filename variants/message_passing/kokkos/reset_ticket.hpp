// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "variants/shared/kokkos_space.hpp"

namespace portcost::message_passing {

/// The counter is as it was before the first ticket. No other team can still take one, so a plain
/// store does, as in CUDA. By the rules of C++ it races with their atomic additions, which nothing
/// but the counter's own order puts before it (tests/tsan.supp).
KOKKOS_INLINE_FUNCTION void reset_ticket(unsigned* arrived) { *arrived = 0; }

}  // namespace portcost::message_passing
