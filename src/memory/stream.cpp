// SPDX-License-Identifier: Apache-2.0
#include "src/memory/stream.hpp"

#include <omp.h>

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>

#include "src/memory/cuda_check.hpp"
#include "src/support/clock.hpp"

namespace portcost {

namespace {

std::atomic<int> device_waits{0};

#if PORTCOST_HAS_CUDA
struct WaitsForDevice {
  WaitsForDevice() { ++device_waits; }
  ~WaitsForDevice() { --device_waits; }
};
#endif

using Checks = std::vector<std::weak_ptr<Check>>;

struct Watches {
  std::mutex mutex;
  std::map<const Stream*, Checks> of_streams;
};

Watches& watches() {
  static Watches* const result = new Watches;  // streams may end after static objects
  return *result;
}

void check_watched(const Stream& stream) {
  Checks checks;
  {
    const std::lock_guard lock(watches().mutex);
    const auto found = watches().of_streams.find(&stream);
    if (found == watches().of_streams.end()) return;
    checks = found->second;
  }
  for (const auto& one : checks) {
    if (const auto check = one.lock()) (*check)();
  }
}

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

std::shared_ptr<Check> watch(const Stream& stream, Check check) {
  auto result = std::make_shared<Check>(std::move(check));
  const std::lock_guard lock(watches().mutex);
  Checks& checks = watches().of_streams[&stream];
  std::erase_if(checks, [](const auto& one) { return one.expired(); });
  checks.push_back(result);
  return result;
}

bool waits_for_device() { return device_waits > 0; }

double Ranks::sum(double value) const {
  double result = 0;
  for (const double one : gathered(value)) result += one;
  return result;
}

const Ranks& alone() {
  static const Ranks ranks;
  return ranks;
}

Stream::Stream(Place place, const Ranks& ranks, [[maybe_unused]] Priority priority)
    : place_(place), ranks_(ranks) {
  if (place == Place::host) return;
#if PORTCOST_HAS_CUDA
  int least = 0, greatest = 0;  // which is the smaller number
  cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cuda_check(cudaStreamCreateWithPriority(&native_, cudaStreamNonBlocking,
                                          priority == Priority::high ? greatest : least));
#else
  no_device();
#endif
}

Priority Stream::priority() const {
#if PORTCOST_HAS_CUDA
  if (place_ == Place::device) {
    int mine = 0, least = 0;
    cuda_check(cudaStreamGetPriority(native_, &mine));
    cuda_check(cudaDeviceGetStreamPriorityRange(&least, nullptr));
    return mine < least ? Priority::high : Priority::normal;
  }
#endif
  return Priority::normal;
}

Stream::~Stream() {
  for (const auto& f : at_end_) f();
  {
    const std::lock_guard lock(watches().mutex);
    watches().of_streams.erase(this);
  }
#if PORTCOST_HAS_CUDA
  if (native_ != nullptr) cudaStreamDestroy(native_);
#endif
}

void Stream::synchronize() const {
#if PORTCOST_HAS_CUDA
  if (place_ == Place::device) {
    const WaitsForDevice now;
    cuda_check(cudaStreamSynchronize(native_));
    cuda_check(cudaGetLastError());
  }
#endif
  check_watched(*this);
}

#if PORTCOST_HAS_CUDA

Event::Event(Place place, bool timed) {
  if (place == Place::host) return;
  const unsigned flags = timed ? cudaEventDefault : cudaEventDisableTiming;
  cuda_check(cudaEventCreateWithFlags(&native_, flags));
}

Event::~Event() {
  if (native_ != nullptr) cudaEventDestroy(native_);
}

void Event::record(CUstream_st* queue) {
  if (native_ != nullptr) {
    cuda_check(cudaEventRecord(native_, queue));
  } else {
    recorded_s_ = steady_now();
  }
}

void Event::enqueue_wait(CUstream_st* queue) const {
  if (native_ != nullptr) cuda_check(cudaStreamWaitEvent(queue, native_, 0));
}

double Event::seconds_since(const Event& start) const {
  if (native_ == nullptr) return recorded_s_ - start.recorded_s_;
  const WaitsForDevice now;
  cuda_check(cudaEventSynchronize(start.native_));
  cuda_check(cudaEventSynchronize(native_));
  float milliseconds = 0;
  cuda_check(cudaEventElapsedTime(&milliseconds, start.native_, native_));
  return milliseconds * 1e-3;
}

void Event::finish() const noexcept {
  if (native_ != nullptr) cudaEventSynchronize(native_);
}

#else

Event::Event(Place place, bool) {
  if (place == Place::device) no_device();
}
Event::~Event() = default;
void Event::record(CUstream_st*) { recorded_s_ = steady_now(); }
void Event::enqueue_wait(CUstream_st*) const {}
double Event::seconds_since(const Event& start) const { return recorded_s_ - start.recorded_s_; }
void Event::finish() const noexcept {}

#endif

// A further queue and the event by which queues wait for each other.
struct Queues::Other {
  Other(Place place, Priority priority) : stream(place, alone(), priority), reached(place) {}
  // `behind` goes on when `ahead` has done what is on it now.
  void order(const Stream& ahead, const Stream& behind) {
    reached.record(ahead.native());
    reached.enqueue_wait(behind.native());
  }
  Stream stream;
  Event reached;
};

Queues::Queues(const Stream& main, int count, Priority others) : main_(main) {
  require(count >= 1, "there is at least one queue");
  for (int i = 1; i < count; ++i) others_.push_back(std::make_unique<Other>(main.place(), others));
}

Queues::~Queues() = default;

const Stream& Queues::operator[](int queue) const {
  require(queue >= 0 && queue < size(), "there is no such queue");
  return queue == 0 ? main_ : others_[queue - 1]->stream;
}

void Queues::fork() const {
  for (const auto& other : others_) other->order(main_, other->stream);
}

void Queues::join() const {
  for (const auto& other : others_) other->order(other->stream, main_);
}

}  // namespace portcost
