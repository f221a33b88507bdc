// SPDX-License-Identifier: Apache-2.0
#include "src/memory/place.hpp"

#include <omp.h>

#include <fstream>

#include "src/memory/cuda_check.hpp"

namespace portcost {

namespace {

double host_available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  double kib = 0;
  while (meminfo >> key >> kib >> unit) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return 0;
}

}  // namespace

bool device_present() {
#if PORTCOST_HAS_CUDA
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return count > 0;
#else
  return false;
#endif
}

int processors([[maybe_unused]] Place place) {
#if PORTCOST_HAS_CUDA
  if (place == Place::device) return device_attribute(cudaDevAttrMultiProcessorCount);
#endif
  return omp_get_max_threads();
}

double available_bytes(Place place) {
  if (place == Place::host) return host_available_bytes();
#if PORTCOST_HAS_CUDA
  std::size_t available = 0, total = 0;
  cuda_check(cudaMemGetInfo(&available, &total));
  return static_cast<double>(available);
#else
  return 0;
#endif
}

}  // namespace portcost
