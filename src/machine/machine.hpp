// SPDX-License-Identifier: Apache-2.0
// What ran where: the processor and the build, for the header of a record.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "src/memory/place.hpp"

namespace portcost {

/// The processor of a place: "NVIDIA H200", "AMD EPYC 9655 96-Core Processor".
std::string processor_name(Place place);

/// {"processor", "kind", "host_processor", "cores" (real ones this process may use), "usable_cpus"
/// (hardware threads of them, within a control group's quota), "affinity", "threads" and "binding"
/// (OpenMP's), "memory_bytes", "last_cache_bytes"} and, on the device,
/// {"driver", "multiprocessors", "clock_max_mhz"}.
nlohmann::json describe_machine(Place place);

/// Compilers, flags, CUDA and Kokkos versions, build type.
nlohmann::json describe_build();
/// What in this build makes every time worthless, such as Kokkos's checks of bounds; empty:
/// nothing.
std::string falsifying();

/// The commit built, "-dirty" when tracked files differed, "unknown" outside a checkout.
std::string commit();
std::string version();

}  // namespace portcost
