// SPDX-License-Identifier: Apache-2.0
// What a thread that looks at another one wants to know of it.
#pragma once

namespace portcost {

/// Whether this process is in a call of Stream or Event that waits for its GPU. Of any thread.
bool waits_for_device();

}  // namespace portcost
