// SPDX-License-Identifier: Apache-2.0
// Limits of the host, and the choice by name.
#include "src/machine/limits.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/memory/cache_flush.hpp"
#include "src/support/clock.hpp"
#include "src/support/golden_step.hpp"

namespace portcost {

namespace {

using detail::each_anew, detail::LimitMeasure, detail::repeated;

constexpr int repeats = 3;
// Sanitizers make arithmetic tens of times as slow, and no measurement of it.
#ifdef PORTCOST_SANITIZED
constexpr int shorter = 64;
#else
constexpr int shorter = 1;
#endif

// The widest registers there are, spelled as vectors: compilers differ in what they make of a
// loop.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class F>
double shortest_s(const F& run) {
  double best = 0;
  for (int i = 0; i <= repeats; ++i) {
    const Clock clock;
    run();
    const double elapsed = clock.seconds();
    if (i == 1 || (i > 1 && elapsed < best)) best = elapsed;  // the first touches the pages
  }
  return best;
}

std::ptrdiff_t array_length() {
  const std::size_t wanted =
      std::max<std::size_t>(4 * last_cache_bytes(Place::host), std::size_t{64} << 20);
  return static_cast<std::ptrdiff_t>(wanted / sizeof(double));
}

// Pages take far longer to get than to copy, so the units of one limit share them.
struct Arrays {
  std::ptrdiff_t count = array_length();
  Buffer<double> a{static_cast<std::size_t>(count), Place::host};
  Buffer<double> b{static_cast<std::size_t>(count), Place::host};
  Buffer<double> c{static_cast<std::size_t>(count), Place::host};

  Arrays() {
    double *const x = a.data(), *const y = b.data(), *const z = c.data();
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) x[i] = y[i] = z[i] = 1.0;
  }
};

// memcpy of large parts: the C library writes past the cache, so nothing is read to be
// overwritten.
double copy_rate(const Arrays& arrays) {
  const double elapsed = shortest_s([&] {
#pragma omp parallel
    {
      const std::ptrdiff_t threads = omp_get_num_threads(), id = omp_get_thread_num();
      const std::ptrdiff_t begin = arrays.count * id / threads,
                           end = arrays.count * (id + 1) / threads;
      std::memcpy(arrays.a.data() + begin, arrays.b.data() + begin,
                  static_cast<std::size_t>(end - begin) * sizeof(double));
    }
  });
  return 2.0 * static_cast<double>(arrays.a.bytes()) / elapsed;
}

// The same in bytes moved from one array to the other.
double transfer_rate(const Arrays& arrays) { return copy_rate(arrays) / 2; }

// A function of its own, and not inlined: where the sum is captured by a lambda, g++ leaves the
// loop scalar and the limit three times too low.
[[gnu::noinline]] double sum_of(const double* x, std::ptrdiff_t count) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < count; ++i) sum += x[i];
  return sum;
}

// The same, 512 bytes each of two positions in turns: faster where a core waits for its lines.
[[gnu::noinline]] double sum_in_turns(const double* x, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t width = 64;
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t part = 0; part < omp_get_max_threads(); ++part) {
    const double* const end = x + count * (part + 1) / omp_get_max_threads();
    const double* from = x + count * part / omp_get_max_threads();
    double sums[width] = {};
    for (; end - from >= 2 * width; from += 2 * width) {
#pragma omp simd
      for (std::ptrdiff_t j = 0; j < width; ++j) sums[j] += from[j] + from[j + width];
    }
    for (; from < end; ++from) sums[0] += *from;
    for (const double one : sums) sum += one;
  }
  return sum;
}

double read_rate(const Arrays& arrays) {
  const double* const x = arrays.a.data();
  const auto all = static_cast<double>(arrays.count);
  double elapsed = std::numeric_limits<double>::infinity(), sum = 0;
  for (double (*const add)(const double*, std::ptrdiff_t) : {sum_of, sum_in_turns}) {
    elapsed = std::min(elapsed, shortest_s([&] { sum = add(x, arrays.count); }));
    require(sum == all, "the host read limit read other numbers than were written");
  }
  return static_cast<double>(arrays.a.bytes()) / elapsed;
}

// a = b + s c, counted as three arrays (McCalpin's STREAM).
double triad_rate(const Arrays& arrays) {
  double* const x = arrays.a.data();
  const double *const y = arrays.b.data(), *const z = arrays.c.data();
  const std::ptrdiff_t count = arrays.count;
  const double elapsed = shortest_s([&] {
#pragma omp parallel for simd schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) x[i] = y[i] + 3.0 * z[i];
  });
  return 3.0 * static_cast<double>(arrays.a.bytes()) / elapsed;
}

template <double (*rate)(const Arrays&)>
std::vector<double> on_shared_arrays(const Stream&, int units) {
  const Arrays arrays;
  return repeated(units, [&] { return rate(arrays); });
}

// A line of the cache of a pointer chase, whose loads each need the one before.
struct alignas(64) Link {
  std::uint32_t next;
};

class Chase {
 public:
  Chase() {
    const std::vector<std::uint32_t> next =
        detail::chain(static_cast<std::uint32_t>(links_.size()));
    for (std::size_t i = 0; i < next.size(); ++i) links_.data()[i].next = next[i];
  }
  // Seconds a load. It goes on where the last one ended: what was loaded before is far behind.
  double latency_s() {
    constexpr int loads = 1 << 16;
    const double elapsed = shortest_s([&] {
      std::uint32_t at = at_;
      for (int i = 0; i < loads; ++i) at = links_.data()[at].next;
      at_ = at;
    });
    // Asked, so that no compiler leaves the loads out.
    require(at_ < links_.size(), "the host latency limit left its array");
    return elapsed / loads;
  }

 private:
  Buffer<Link> links_{static_cast<std::size_t>(array_length()) * sizeof(double) / sizeof(Link),
                      Place::host};
  std::uint32_t at_ = 0;
};

std::vector<double> latency(const Stream&, int units) {
  Chase chase;
  return repeated(units, [&] { return chase.latency_s(); });
}

// Little's law: what must be on its way at a time to reach the read rate.
std::vector<double> bytes_in_flight(const Stream&, int units) {
  const Arrays arrays;
  Chase chase;
  return repeated(units, [&] { return read_rate(arrays) * chase.latency_s(); });
}

// Steps a second in enough independent chains of them to cover the latency of two units: x becomes
// step(x), for vectors of T. Throws Failure with `fault` when what comes out is not `plausible`.
template <class T, int chains, int trips, template <class> class Step>
double in_chains(bool (*plausible)(T), const char* fault) {
  using Vector = typename Step<T>::Vector;
  constexpr int lanes = vector_bytes / sizeof(T);
  T kept = 0;
  const double elapsed = shortest_s([&] {
    T total = 0;
#pragma omp parallel reduction(+ : total)
    {
      const Step<T> step;
      Vector x[chains];
      for (int i = 0; i < chains; ++i) x[i] = Vector{} + T(i);
      for (int trip = 0; trip < trips; ++trip) {
#pragma GCC unroll 16
        for (int i = 0; i < chains; ++i) x[i] = step(x[i]);
      }
      for (int i = 0; i < chains; ++i) total += x[i][0];
    }
    kept += total;
  });
  require(plausible(kept), fault);
  return double{lanes} * chains * trips * omp_get_max_threads() / elapsed;
}

// x a + b is contracted to one instruction where there is one, and counted as two operations.
template <class T>
struct Fma {
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  Vector operator()(Vector x) const { return x * T(0.999) + T(1e-3); }
};
template <class T>
double host_fma(const Stream&) {
  return 2 * in_chains<T, 10, 2'000'000 / shorter, Fma>([](T kept) { return std::isfinite(kept); },
                                                        "the host fma limit overflowed");
}

// An addition and a minimum, the vectors' own, counted as one.
template <class T>
struct AddMin {
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  Vector least = Vector{} + T(omp_get_num_threads());  // unknown to the compiler
  Vector operator()(Vector x) const {
    const Vector sum = x + T(1);
    return sum < least ? sum : least;
  }
};
template <class T>
double host_add_min(const Stream&) {
  return in_chains<T, 12, 4'000'000 / shorter, AddMin>(
      [](T kept) { return kept > 0; },
      "the host add-min limit came to other numbers than it should");
}

constexpr std::array host_table{
    LimitMeasure{"host copy", "B/s", on_shared_arrays<copy_rate>},
    LimitMeasure{"host read", "B/s", on_shared_arrays<read_rate>},
    LimitMeasure{"host transfer", "B/s", on_shared_arrays<transfer_rate>},
    LimitMeasure{"host triad", "B/s", on_shared_arrays<triad_rate>},
    LimitMeasure{"host latency", "s", latency},
    LimitMeasure{"host in flight", "B", bytes_in_flight},
    LimitMeasure{"host fma f32", "FLOP/s", each_anew<host_fma<float>>},
    LimitMeasure{"host fma f64", "FLOP/s", each_anew<host_fma<double>>},
    LimitMeasure{"host add-min f32", "op/s", each_anew<host_add_min<float>>},
    LimitMeasure{"host add-min i32", "op/s", each_anew<host_add_min<int>>},
};

std::span<const LimitMeasure> table(Place place) {
  return place == Place::host ? detail::host_limits() : detail::device_limits();
}

}  // namespace

std::vector<std::uint32_t> detail::chain(std::uint32_t count) {
  const auto apart = static_cast<std::uint64_t>(golden_step(count));
  std::vector<std::uint32_t> next(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    next[i] = static_cast<std::uint32_t>((i + apart) % count);
  }
  return next;
}

std::span<const detail::LimitMeasure> detail::host_limits() { return host_table; }

#if !PORTCOST_HAS_CUDA
std::span<const detail::LimitMeasure> detail::device_limits() { return {}; }
#endif

std::vector<std::string_view> limit_names(Place place) {
  std::vector<std::string_view> names;
  for (const auto& entry : table(place)) names.push_back(entry.name);
  return names;
}

std::string limit_name(std::string_view what, Place place) {
  const std::string of_place = std::string(name(place)) + " " + std::string(what);
  for (const auto& entry : table(place)) {
    if (entry.name == what || entry.name == of_place) return std::string(entry.name);
  }
  if (what == "exchange") return of_place;  // of several processes, measured by these
  throw Failure("no limit of the " + std::string(name(place)) + " is called '" + std::string(what) +
                "'");
}

Limit measure_limit(std::string_view name, const Stream& stream) {
  for (const auto& entry : table(stream.place())) {
    if (entry.name != name) continue;
    const Ranks& ranks = stream.ranks();
    ranks.barrier();
    std::vector<double> logs = entry.measure(stream, fewest_units);
    for (double& value : logs) {
      value = std::log(entry.unit == "s" ? ranks.slowest(value) : ranks.least(value));
    }
    const Estimate rate = estimate(std::vector<std::vector<double>>{logs});
    return {std::string(name), rate.value, std::string(entry.unit), rate.interval};
  }
  throw Failure("no limit is called '" + std::string(name) + "'");
}

}  // namespace portcost
