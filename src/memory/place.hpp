// SPDX-License-Identifier: Apache-2.0
// Where memory lies and work runs.
#pragma once

#include <string_view>
#include <type_traits>

#include "src/support/error.hpp"
#include "src/support/uncopied.hpp"

namespace portcost {

enum class Place { host, device };

constexpr std::string_view name(Place place) { return place == Place::host ? "host" : "device"; }

/// The shape of work in `place`, where the two places have different ones.
template <Place place, class OfDevice, class OfHost>
using ShapeIn = std::conditional_t<place == Place::host, OfHost, OfDevice>;

/// What a build without CUDA says where a device is requested.
[[noreturn]] inline void no_device() { throw Failure("this build has no CUDA"); }

/// True when this build has CUDA and a device answers.
bool device_present();

/// Multiprocessors of the device in use, or threads that OpenMP starts on the host.
int processors(Place place);

/// Bytes that can be allocated in `place` now (on the host, what the kernel calls available).
double available_bytes(Place place);

}  // namespace portcost
