// SPDX-License-Identifier: Apache-2.0
#include "src/machine/clock_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#if PORTCOST_HAS_CUDA
#include <dlfcn.h>

#include "src/memory/cuda_check.hpp"
#endif

namespace portcost {

namespace {

class HostClockProbe final : public ClockProbe {
 public:
  ClockReading read() override {
    // The best of several tries: an interrupt or a neighbour makes one slow, throttling makes all
    // slow.
    double mhz = 0;
    for (int i = 0; i < 20 && (i == 0 || seen_.is_behind(mhz)); ++i) {
      mhz = std::max(mhz, additions_a_microsecond());
    }
    seen_.note(mhz);
    return {mhz, seen_.is_behind(mhz)};
  }

 private:
  // By value: through a reference a sanitizer would check every step.
  [[gnu::always_inline]] static std::uint64_t added(std::uint64_t x, std::uint64_t i) {
    x += i;
    asm volatile("" : "+r"(x));  // keeps each addition, and their order
    return x;
  }

  static double additions_a_microsecond() {
    constexpr std::uint64_t additions = 40000;
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t x = 0;
    for (std::uint64_t i = 0; i < additions; i += 8) {
      // Not a loop, whose own work would count at little optimisation.
      x = added(added(added(added(x, i), i), i), i);
      x = added(added(added(added(x, i), i), i), i);
    }
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    return static_cast<double>(additions) / elapsed.count();
  }
};

#if PORTCOST_HAS_CUDA

// The four calls of NVML that are needed, found at run time: the library comes with the driver, not
// with the toolkit, and its absence must not stop a build or a run. Signatures as in NVIDIA's
// nvml.h.
class Nvml {
 public:
  static const Nvml* get() {
    static const Nvml nvml;
    return nvml.ready_ ? &nvml : nullptr;
  }

  std::string driver() const {
    char version[96] = {};
    return driver_version_(version, sizeof version) == 0 ? version : "";
  }

  ClockReading read() const {
    ClockReading result;
    unsigned mhz = 0;
    unsigned long long reasons = 0;
    if (clock_(device_, multiprocessor_clock, &mhz) == 0) result.mhz = mhz;
    if (reasons_(device_, &reasons) == 0) result.throttled = (reasons & slowdown) != 0;
    return result;
  }

 private:
  using Device = void*;
  static constexpr unsigned multiprocessor_clock = 1;
  // Software power cap, hardware slowdown, software thermal, hardware thermal, hardware power
  // brake.
  static constexpr unsigned long long slowdown = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    int (*init)() = nullptr;
    int (*handle)(const char*, Device*) = nullptr;
    const bool found = load(library, "nvmlInit_v2", init) &&
                       load(library, "nvmlDeviceGetHandleByPciBusId_v2", handle) &&
                       load(library, "nvmlDeviceGetClockInfo", clock_) &&
                       load(library, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons_) &&
                       load(library, "nvmlSystemGetDriverVersion", driver_version_);
    int device = 0;
    char bus[32] = {};
    ready_ = found && init() == 0 && cudaGetDevice(&device) == cudaSuccess &&
             cudaDeviceGetPCIBusId(bus, sizeof bus, device) == cudaSuccess &&
             handle(bus, &device_) == 0;
  }

  template <class F>
  static bool load(void* library, const char* symbol, F& function) {
    function = reinterpret_cast<F>(dlsym(library, symbol));
    return function != nullptr;
  }

  bool ready_ = false;
  Device device_ = nullptr;
  int (*clock_)(Device, unsigned, unsigned*) = nullptr;
  int (*reasons_)(Device, unsigned long long*) = nullptr;
  int (*driver_version_)(char*, unsigned) = nullptr;
};

// The driver names a power cap as a reason even when it costs a few percent of the clock, which
// both sides of a block share; a block is invalid when the clock has truly fallen.
class DeviceClockProbe final : public ClockProbe {
 public:
  ClockReading read() override {
    if (Nvml::get() == nullptr) return {};
    ClockReading now = Nvml::get()->read();
    seen_.note(now.mhz);
    now.throttled = now.throttled && seen_.is_behind(now.mhz);
    return now;
  }
};

#endif

}  // namespace

void FastestClock::note(double mhz) {
  last_ = mhz;
  fastest_ = std::max(fastest_, mhz);
}

bool FastestClock::is_behind(double mhz) const { return mhz < 0.8 * fastest_; }

double FastestClock::accept() {
  const double fraction = fastest_ > 0 ? last_ / fastest_ : 1;
  fastest_ = last_;
  return fraction;
}

std::unique_ptr<ClockProbe> make_clock_probe([[maybe_unused]] Place place) {
#if PORTCOST_HAS_CUDA
  if (place == Place::device) return std::make_unique<DeviceClockProbe>();
#endif
  return std::make_unique<HostClockProbe>();
}

std::string driver_version() {
#if PORTCOST_HAS_CUDA
  if (Nvml::get()) return Nvml::get()->driver();
#endif
  return {};
}

}  // namespace portcost
