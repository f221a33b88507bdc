// SPDX-License-Identifier: Apache-2.0
// What ran where: the processor and the build, for the header of a record; and which processors
// this process may use, and how many threads it puts on them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <vector>

#include "src/memory/place.hpp"

namespace portcost {

/// This computer's name; empty if the system does not tell it.
std::string host_name();
/// The processor of a place: "NVIDIA H200", "AMD EPYC 9655 96-Core Processor".
std::string processor_name(Place place);

/// {"processor", "kind", "host_processor", "cores" (real ones this process may use), "usable_cpus"
/// (hardware threads of them, within a control group's quota), "affinity", "threads" and "binding"
/// (OpenMP's), "memory_bytes", "last_cache_bytes"} and, on the device,
/// {"driver", "multiprocessors", "clock_max_mhz"}.
nlohmann::json describe_machine(Place place);

/// What kernels are tuned to: {"compute_capability", "shared_bytes", "registers", "threads" (all
/// three per multiprocessor), "l2_bytes", "copy_engines", "ecc", "memory_clock_mhz",
/// "memory_bus_bits", "memory_rate" (bytes/s from clock and bus)}. On a machine without a GPU: {}.
nlohmann::json describe_device();

/// Compilers, flags, CUDA and Kokkos versions, build type.
nlohmann::json describe_build();
/// What in this build makes every time worthless, such as Kokkos's checks of bounds; empty:
/// nothing.
std::string falsifying();

/// The commit built, "-dirty" when tracked files differed, "unknown" outside a checkout.
std::string commit();
std::string version();

struct Cpus {
  std::vector<int> allowed;  // numbers of the logical processors, as affinity has them
  double quota = 0;          // processors' worth of time that a control group grants; 0: no limit
  int cores = 0;             // cores behind the allowed processors: hardware threads count once
  int threads = 1;           // OpenMP threads of a parallel region
  std::string binding;       // how OpenMP binds them: "false", "close", "spread", ...

  /// How many threads can run at a time, at least 1.
  int usable() const;
};

Cpus find_cpus();

/// "0-3,8" for 0, 1, 2, 3, 8.
std::string ranges_text(const std::vector<int>& numbers);
std::vector<int> numbers_of(const std::string& ranges);

/// One line when there are more threads than processors for them, else empty.
std::string oversubscription(const Cpus& cpus);

}  // namespace portcost
