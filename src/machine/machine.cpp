// SPDX-License-Identifier: Apache-2.0
#include "src/machine/machine.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "build_info.hpp"
#include "portcost_commit.hpp"
#include "src/machine/clock_probe.hpp"
#include "src/memory/cache_flush.hpp"
#include "src/memory/cuda_check.hpp"

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

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Where OpenMP binds threads the first one may run on its own place only, so the places are asked
// before the mask of this thread.
std::vector<int> allowed_cpus() {
  std::set<int> found;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> members(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, members.data());
    found.insert(members.begin(), members.end());
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (found.empty() && sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) found.insert(cpu);
    }
  }
  return {found.begin(), found.end()};
}

// "max 100000" or "150000 100000": microseconds granted, and the period.
double group_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double granted = 0, period = 0;
  if (file >> granted >> period && granted > 0 && period > 0) return granted / period;
  std::ifstream old_granted("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream old_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (old_granted >> granted && old_period >> period && granted > 0 && period > 0)
    return granted / period;
  return 0;
}

int real_cores(const std::vector<int>& cpus) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    const std::string siblings =
        first_line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    cores.insert(siblings.empty() ? std::to_string(cpu) : siblings);
  }
  return static_cast<int>(cores.size());
}

// By the numbers that OpenMP gives them (omp_proc_bind_t).
constexpr std::array binding_names{"false", "true", "primary", "close", "spread"};

}  // namespace

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string processor_name([[maybe_unused]] Place place) {
#if PORTCOST_HAS_CUDA
  if (place == Place::device) return properties().name;
#endif
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

json describe_device() {
  json result = json::object();
#if PORTCOST_HAS_CUDA
  if (!device_present()) return result;
  const cudaDeviceProp p = properties();
  const int memory_khz = device_attribute(cudaDevAttrMemoryClockRate);
  result = {{"compute_capability", fmt::format("{}.{}", p.major, p.minor)},
            {"shared_bytes", p.sharedMemPerMultiprocessor},
            {"registers", p.regsPerMultiprocessor},
            {"threads", p.maxThreadsPerMultiProcessor},
            {"l2_bytes", p.l2CacheSize},
            {"copy_engines", p.asyncEngineCount},
            {"ecc", p.ECCEnabled != 0},
            {"memory_clock_mhz", memory_khz / 1000},
            {"memory_bus_bits", p.memoryBusWidth},
            {"memory_rate", 2e3 * memory_khz * p.memoryBusWidth / 8}};  // both edges of the clock
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

int Cpus::usable() const {
  const auto count = static_cast<double>(allowed.size());
  return std::max(1, static_cast<int>(std::floor(quota > 0 ? std::min(quota, count) : count)));
}

Cpus find_cpus() {
  Cpus result;
  result.allowed = allowed_cpus();
  result.quota = group_quota();
  result.cores = real_cores(result.allowed);
  result.threads = omp_get_max_threads();
  result.binding = binding_names.at(omp_get_proc_bind());
  return result;
}

std::string ranges_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[i]);
    if (end - i > 1) text += '-' + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::vector<int> numbers_of(const std::string& ranges) {
  std::vector<int> result;
  std::istringstream text(ranges);
  for (std::string range; std::getline(text, range, ',');) {
    const std::size_t dash = range.find('-');
    const int first = std::stoi(range);
    const int last = dash == std::string::npos ? first : std::stoi(range.substr(dash + 1));
    for (int number = first; number <= last; ++number) result.push_back(number);
  }
  return result;
}

std::string oversubscription(const Cpus& cpus) {
  if (cpus.threads <= cpus.usable()) return {};
  return fmt::format(
      "{} OpenMP threads on {} processors that may be used: times say little; set "
      "OMP_NUM_THREADS={}",
      cpus.threads, cpus.usable(), cpus.usable());
}

}  // namespace portcost
