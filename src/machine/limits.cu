// SPDX-License-Identifier: Apache-2.0
// Limits of the device.
#include <algorithm>
#include <cstring>

#include "src/machine/limits.hpp"
#include "src/memory/cache_flush.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/memory/host_memory.hpp"

namespace portcost {

namespace {

using detail::each_anew, detail::LimitMeasure;

constexpr std::size_t link_bytes = std::size_t{256} << 20;  // of a transfer with the host

constexpr int repeats = 20;  // fewer end before the clocks have risen
// Two, and the better rate counts: starting and ending a launch costs the shorter one percents, and
// the longer one spreads over more pages.
constexpr std::array<std::size_t, 2> array_bytes{std::size_t{1} << 30, std::size_t{1} << 32};
constexpr unsigned threads = 256;
constexpr int most_loads = 8;
constexpr std::size_t row_bytes =
    16 * threads * most_loads;  // what a block reads at most at a time

// The shortest of repeated runs, by events.
template <class F>
double shortest_s(const Stream& stream, const F& run) {
  Event start(Place::device, true), stop(Place::device, true);
  double best = 0;
  for (int i = 0; i <= repeats; ++i) {
    start.record(stream.native());
    run();
    stop.record(stream.native());
    stream.synchronize();
    const double elapsed = stop.seconds_since(start);
    if (i == 1 || (i > 1 && elapsed < best)) best = elapsed;
  }
  return best;
}

// What `rate(bytes)` gives for arrays of each length, the best of it; of a quarter of the free
// memory at most, so that small devices can be measured too.
template <class F>
double best_rate(const F& rate) {
  const auto most = static_cast<std::size_t>(available_bytes(Place::device) / 4);
  double best = 0;
  for (const std::size_t bytes : array_bytes) {
    best = std::max(best, rate(std::min(bytes, most) / row_bytes * row_bytes));
    if (bytes >= most) break;
  }
  return best;
}

unsigned multiprocessors() { return static_cast<unsigned>(processors(Place::device)); }

// Each thread moves `Loads` times 16 bytes, all loaded before the first is stored.
template <int Loads>
__global__ void copy_kernel(const uint4* __restrict__ source, uint4* __restrict__ target) {
  const std::size_t base = std::size_t{blockIdx.x} * threads * Loads + threadIdx.x;
  uint4 v[Loads];
#pragma unroll
  for (int i = 0; i < Loads; ++i) v[i] = source[base + i * threads];
#pragma unroll
  for (int i = 0; i < Loads; ++i) target[base + i * threads] = v[i];
}

constexpr unsigned char byte = 1;                              // what arrays are filled with
constexpr unsigned word = 0x01010101u * byte, impossible = 1;  // a sum of four words is even

// Adds what it reads to `total` where it is `counted`, else where the sum is one that cannot be: it
// reads in any case.
template <int Loads>
__global__ void read_kernel(const uint4* __restrict__ source, bool counted, unsigned* total) {
  const std::size_t base = std::size_t{blockIdx.x} * threads * Loads + threadIdx.x;
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < Loads; ++i) {
    const uint4 v = source[base + i * threads];
    sum += v.x + v.y + v.z + v.w;
  }
  if (counted || sum == impossible) atomicAdd(total, sum);
}

// The same by as many blocks as the device holds at a time, each with many turns, so that no wave
// of blocks waits for the one before.
template <int Loads>
__global__ void resident_read_kernel(const uint4* __restrict__ source, unsigned turns, bool counted,
                                     unsigned* total) {
  unsigned sum = 0;
  for (unsigned turn = blockIdx.x; turn < turns; turn += gridDim.x) {
    const std::size_t base = std::size_t{turn} * threads * Loads + threadIdx.x;
#pragma unroll
    for (int i = 0; i < Loads; ++i) {
      const uint4 v = source[base + i * threads];
      sum += v.x + v.y + v.z + v.w;
    }
  }
  if (counted || sum == impossible) atomicAdd(total, sum);
}

struct Arrays {
  Arrays(std::size_t length, const Stream& stream) : bytes(length) {
    cuda_check(cudaMemsetAsync(from.data(), byte, bytes, stream.native()));
  }
  std::size_t bytes;
  Buffer<std::byte> from{bytes, Place::device};
  Buffer<std::byte> to{bytes, Place::device};
  const uint4* source() const { return reinterpret_cast<const uint4*>(from.data()); }
  uint4* target() const { return reinterpret_cast<uint4*>(to.data()); }
  template <int Loads>
  unsigned blocks() const {
    return static_cast<unsigned>(bytes / (16 * threads * Loads));
  }
};

template <int Loads>
double copy_kernel_s(const Arrays& arrays, const Stream& stream) {
  return shortest_s(stream, [&] {
    copy_kernel<Loads>
        <<<arrays.blocks<Loads>(), threads, 0, stream.native()>>>(arrays.source(), arrays.target());
    cuda_check(cudaGetLastError());
  });
}

// The best of what anyone would call a copy: the runtime's own, and kernels with 1 and 4 loads in
// flight a thread.
double device_copy(const Stream& stream) {
  return best_rate([&](std::size_t bytes) {
    Arrays arrays(bytes, stream);
    const double runtime = shortest_s(stream, [&] {
      copy_bytes(arrays.to.data(), Place::device, arrays.from.data(), Place::device, bytes, stream);
    });
    const double best =
        std::min({runtime, copy_kernel_s<1>(arrays, stream), copy_kernel_s<4>(arrays, stream)});
    return 2.0 * static_cast<double>(bytes) / best;
  });
}

// The shortest of repeated runs of launch(counted, total), and once, not timed, whether it reads
// all.
template <class F>
double reading_s(const Arrays& arrays, const Stream& stream, const F& launch) {
  Buffer<unsigned> total(1, Place::device);
  cuda_check(cudaMemsetAsync(total.data(), 0, sizeof(unsigned), stream.native()));
  launch(true, total.data());
  cuda_check(cudaGetLastError());
  unsigned found = 0;
  copy_bytes(&found, Place::host, total.data(), Place::device, sizeof found, stream);
  stream.synchronize();
  require(found == static_cast<unsigned>(arrays.bytes / sizeof word) * word,
          "a kernel of the device-read limit did not read its array once");
  return shortest_s(stream, [&] {
    launch(false, total.data());
    cuda_check(cudaGetLastError());
  });
}

template <int Loads>
double read_kernel_s(const Arrays& arrays, const Stream& stream) {
  return reading_s(arrays, stream, [&](bool counted, unsigned* total) {
    read_kernel<Loads>
        <<<arrays.blocks<Loads>(), threads, 0, stream.native()>>>(arrays.source(), counted, total);
  });
}

template <int Loads>
double resident_read_kernel_s(const Arrays& arrays, const Stream& stream) {
  int resident = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, resident_read_kernel<Loads>,
                                                           threads, 0));
  const unsigned blocks = static_cast<unsigned>(resident) * multiprocessors();
  return reading_s(arrays, stream, [&](bool counted, unsigned* total) {
    resident_read_kernel<Loads><<<blocks, threads, 0, stream.native()>>>(
        arrays.source(), arrays.blocks<Loads>(), counted, total);
  });
}

double device_read(const Stream& stream) {
  return best_rate([&](std::size_t bytes) {
    const Arrays arrays(bytes, stream);
    const double best =
        std::min({read_kernel_s<4>(arrays, stream), read_kernel_s<most_loads>(arrays, stream),
                  resident_read_kernel_s<4>(arrays, stream),
                  resident_read_kernel_s<most_loads>(arrays, stream)});
    return static_cast<double>(bytes) / best;
  });
}

// A line of the cache of a pointer chase by one thread, whose loads each need the one before.
struct alignas(128) Link {
  std::uint32_t next;
};
__global__ void fill_kernel(Link* links, const std::uint32_t* next, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count) links[i].next = next[i];
}
__global__ void chase_kernel(const Link* __restrict__ links, std::uint32_t* where, int loads) {
  std::uint32_t at = *where;
#pragma unroll 1
  for (int i = 0; i < loads; ++i) at = links[at].next;
  *where = at;
}

// Seconds a load, in an array four times the last cache. Each run goes on where the one before
// ended: all together load less than the array, so that nothing is found in the cache.
double device_latency(const Stream& stream) {
  constexpr int loads = 1 << 13;
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(
      4 * last_cache_bytes(Place::device) / sizeof(Link), 2 * std::size_t{repeats + 1} * loads));
  Buffer<Link> links(count, Place::device);
  Buffer<std::uint32_t> next(count, Place::device), where(1, Place::device);
  next.upload(detail::chain(count), stream);
  where.upload(std::vector<std::uint32_t>{0}, stream);
  fill_kernel<<<(count + threads - 1) / threads, threads, 0, stream.native()>>>(links.data(),
                                                                                next.data(), count);
  cuda_check(cudaGetLastError());
  CacheFlush(Place::device).enqueue(stream);
  stream.synchronize();
  return shortest_s(stream,
                    [&] {
                      chase_kernel<<<1, 1, 0, stream.native()>>>(links.data(), where.data(), loads);
                      cuda_check(cudaGetLastError());
                    }) /
         loads;
}

// Little's law: what each multiprocessor must have on its way at a time to reach the read rate.
double device_in_flight(const Stream& stream) {
  return device_read(stream) * device_latency(stream) / multiprocessors();
}

struct FusedMultiplyAdd {
  static constexpr double operations = 2;
  __device__ static float apply(float x, float a, float b) { return fmaf(x, a, b); }
  __device__ static double apply(double x, double a, double b) { return fma(x, a, b); }
};
// One step of a min-plus product: an addition and a minimum.
struct AddMin {
  static constexpr double operations = 1;  // updates, as in the min-plus literature
  __device__ static float apply(float x, float a, float b) { return fminf(x + a, b); }
  __device__ static int apply(int x, int a, int b) { return __viaddmin_s32(x, a, b); }
};
// A product of 32 bits by 32 to 64. The next factor depends on both halves: from a chain of lower
// halves the compiler makes products of 32 bits, which are twice as fast.
struct WideMultiply {
  static constexpr double operations = 1;
  __device__ static std::uint64_t apply(std::uint64_t x, std::uint64_t a, std::uint64_t) {
    std::uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;"
        : "=l"(product)
        : "r"(static_cast<std::uint32_t>(x ^ x >> 32)), "r"(static_cast<std::uint32_t>(a)));
    return product;
  }
};

// `chains` independent chains a thread, enough warps to fill every scheduler.
template <class Operation, class T, int chains>
__global__ void arithmetic_kernel(T a, T b, int trips, T* sink) {
  T x[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) x[i] = T(threadIdx.x + i) * a;
#pragma unroll 16  // few instructions of the loop itself
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < chains; ++i) x[i] = Operation::apply(x[i], a, b);
  }
  T sum = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) sum += x[i];
  if (sum == T(-12345)) *sink = sum;
}

template <class Operation, class T>
double arithmetic(const Stream& stream) {
  constexpr int chains = 8, trips = 4096;
  constexpr T a = sizeof(T) == 8 && T(0.5) == 0 ? T(0x9E3779B97F4A7C15) : T(1);  // fills 64 bits
  const unsigned blocks = 8 * multiprocessors();
  Buffer<T> sink(1, Place::device);
  const double elapsed = shortest_s(stream, [&] {
    arithmetic_kernel<Operation, T, chains>
        <<<blocks, threads, 0, stream.native()>>>(a, T(2), trips, sink.data());
    cuda_check(cudaGetLastError());
  });
  return Operation::operations * chains * trips * double(threads) * blocks / elapsed;
}

double link(const Stream& stream, void* host, bool to_device) {
  Buffer<std::byte> device(link_bytes, Place::device);
  std::memset(host, 1, link_bytes);
  void* const to = to_device ? device.data() : host;
  const void* const from = to_device ? host : device.data();
  const auto kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  const double elapsed = shortest_s(
      stream, [&] { cuda_check(cudaMemcpyAsync(to, from, link_bytes, kind, stream.native())); });
  return static_cast<double>(link_bytes) / elapsed;
}

template <bool to_device>
double pinned_link(const Stream& stream) {
  const HostMemory host(link_bytes, HostKind::pinned);
  require(host.kind() == HostKind::pinned, host.fallback());
  return link(stream, host.data(), to_device);
}

template <bool to_device>
double pageable_link(const Stream& stream) {
  std::vector<std::byte> host(link_bytes);
  return link(stream, host.data(), to_device);
}

// The faster of the two directions: no transfer one way beats it.
double transfer(const Stream& stream) {
  return std::max(pinned_link<true>(stream), pinned_link<false>(stream));
}

// One direction of a link: an array at each end, and a queue of its own.
class Direction {
 public:
  explicit Direction(bool to_device) : to_device_(to_device) {
    require(host_.kind() == HostKind::pinned, host_.fallback());
    std::memset(host_.data(), 1, host_.size());
    device_.poison(queue_);
    queue_.synchronize();
  }
  void copy() const {
    void* const to = to_device_ ? device_.data() : host_.data();
    const void* const from = to_device_ ? host_.data() : device_.data();
    const auto kind = to_device_ ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cuda_check(cudaMemcpyAsync(to, from, link_bytes, kind, queue_.native()));
  }
  const Stream& queue() const { return queue_; }

 private:
  bool to_device_;
  Stream queue_{Place::device};
  HostMemory host_{link_bytes, HostKind::pinned};
  Buffer<std::byte> device_{link_bytes, Place::device};
};

constexpr int both_ways_repeats = 8;

// Bytes a second of pinned memory to the device, or from it, while as much goes the other way.
// Of four copies the other way, the timed one begins with the second and must end before the last.
template <bool to_device>
double link_both_ways(const Stream&) {
  const Direction timed(to_device), other(!to_device);
  Event under_way(Place::device), begin(Place::device, true), end(Place::device, true),
      other_end(Place::device, true);
  double best_s = 0;
  for (int i = 0; i <= both_ways_repeats; ++i) {
    other.copy();
    under_way.record(other.queue().native());
    for (int further = 0; further < 3; ++further) other.copy();
    other_end.record(other.queue().native());
    under_way.enqueue_wait(timed.queue().native());
    begin.record(timed.queue().native());
    timed.copy();
    end.record(timed.queue().native());
    timed.queue().synchronize();
    other.queue().synchronize();
    const double seconds = end.seconds_since(begin);
    require(other_end.seconds_since(begin) >= seconds,
            "of a link both ways, one direction is more than three times as fast as the other: "
            "while both are busy it cannot be measured");
    if (i == 1 || (i > 1 && seconds < best_s)) best_s = seconds;
  }
  return static_cast<double>(link_bytes) / best_s;
}

__global__ void nothing() {}

// Between two events around one empty launch on an idle device.
double launch(const Stream& stream) {
  return shortest_s(stream, [&] {
    nothing<<<1, 1, 0, stream.native()>>>();
    cuda_check(cudaGetLastError());
  });
}

constexpr std::array device_table{
    LimitMeasure{"device copy", "B/s", each_anew<device_copy>},
    LimitMeasure{"device read", "B/s", each_anew<device_read>},
    LimitMeasure{"device latency", "s", each_anew<device_latency>},
    LimitMeasure{"device in flight", "B", each_anew<device_in_flight>},
    LimitMeasure{"fma f32", "FLOP/s", each_anew<arithmetic<FusedMultiplyAdd, float>>},
    LimitMeasure{"fma f64", "FLOP/s", each_anew<arithmetic<FusedMultiplyAdd, double>>},
    LimitMeasure{"add-min f32", "op/s", each_anew<arithmetic<AddMin, float>>},
    LimitMeasure{"add-min i32", "op/s", each_anew<arithmetic<AddMin, int>>},
    LimitMeasure{"multiply u32", "op/s", each_anew<arithmetic<WideMultiply, std::uint64_t>>},
    LimitMeasure{"link to device pinned", "B/s", each_anew<pinned_link<true>>},
    LimitMeasure{"link from device pinned", "B/s", each_anew<pinned_link<false>>},
    LimitMeasure{"link to device pageable", "B/s", each_anew<pageable_link<true>>},
    LimitMeasure{"link from device pageable", "B/s", each_anew<pageable_link<false>>},
    LimitMeasure{"link to device both ways", "B/s", each_anew<link_both_ways<true>>},
    LimitMeasure{"link from device both ways", "B/s", each_anew<link_both_ways<false>>},
    LimitMeasure{"device transfer", "B/s", each_anew<transfer>},
    LimitMeasure{"launch", "s", each_anew<launch>},
};

}  // namespace

std::span<const detail::LimitMeasure> detail::device_limits() { return device_table; }

}  // namespace portcost
