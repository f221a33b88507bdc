// SPDX-License-Identifier: Apache-2.0
// What a build without CUDA says where a device is requested.
#pragma once

#include "src/support/error.hpp"

namespace portcost {

[[noreturn]] inline void no_device() { throw Failure("this build has no CUDA"); }

}  // namespace portcost
