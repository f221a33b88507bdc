// SPDX-License-Identifier: Apache-2.0
#include "src/machine/machine.hpp"

#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "build_info.hpp"
#include "portcost_commit.hpp"
#include "src/machine/clock_probe.hpp"
#include "src/machine/cpus.hpp"
#include "src/memory/cache_flush.hpp"
#if PORTCOST_HAS_CUDA
#include "src/memory/cuda_check.hpp"
#endif

namespace portcost {

namespace {

using nlohmann::json;

std::string host_processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const auto colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

#if PORTCOST_HAS_CUDA
cudaDeviceProp properties() {
  int device = 0;
  cudaDeviceProp result;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaGetDeviceProperties(&result, device));
  return result;
}
#endif

}  // namespace

std::string processor_name(Place place) {
#if PORTCOST_HAS_CUDA
  if (place == Place::device) return properties().name;
#endif
  static_cast<void>(place);
  return host_processor();
}

json describe_machine(Place place) {
  const Cpus cpus = find_cpus();
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  json result{{"processor", processor_name(place)},
              {"kind", place == Place::device ? "gpu" : "cpu"},
              {"host_processor", host_processor()},
              {"cores", cpus.cores},
              {"usable_cpus", cpus.usable()},
              {"affinity", ranges_text(cpus.allowed)},
              {"threads", cpus.threads},
              {"binding", cpus.binding},
              {"memory_bytes", memory},
              {"last_cache_bytes", last_cache_bytes(place)}};
#if PORTCOST_HAS_CUDA
  if (place == Place::device) {
    result["memory_bytes"] = properties().totalGlobalMem;
    result["driver"] = driver_version();
    result["multiprocessors"] = processors(place);
    result["clock_max_mhz"] = device_attribute(cudaDevAttrClockRate) / 1000;
  }
#endif
  return result;
}

std::string falsifying() {
  const std::string kokkos = PORTCOST_KOKKOS_FALSIFYING;
  if (!kokkos.empty()) return "Kokkos was built " + kokkos;
#ifndef __OPTIMIZE__
  return "this was compiled without optimisation";
#else
  return {};
#endif
}

json describe_build() {
  return {{"compiler", PORTCOST_COMPILER},
          {"flags", PORTCOST_FLAGS},
          {"cuda_compiler", PORTCOST_CUDA_COMPILER},
          {"cuda_flags", PORTCOST_CUDA_FLAGS},
          {"cuda", PORTCOST_CUDA_VERSION},
          {"kokkos", PORTCOST_KOKKOS_VERSION},
          {"kokkos_origin", PORTCOST_KOKKOS_ORIGIN},
          {"kokkos_kernels", PORTCOST_KOKKOS_KERNELS_VERSION},
          {"kokkos_backend", PORTCOST_KOKKOS_BACKEND},
          {"falsifying", falsifying()},
          {"type", PORTCOST_BUILD_TYPE}};
}

std::string commit() { return PORTCOST_COMMIT; }
std::string version() { return PORTCOST_VERSION; }

}  // namespace portcost
