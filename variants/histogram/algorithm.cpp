// SPDX-License-Identifier: Apache-2.0
// histogram's row: names, sizes, inputs, agreement, variants.
#include <fmt/format.h>
#include <omp.h>

#include <array>
#include <bit>
#include <random>

#include "src/support/error.hpp"
#include "variants/histogram/problem.hpp"
#include "variants/kokkos_runtime.hpp"
#include "variants/launcher.hpp"

namespace portcost::histogram {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "keys, fewer than 2^31"},
    SizeKey{"bins", some_bins, 1, std::int64_t{1} << 31, "bins: 64, 256 or 4096", false},
};
constexpr std::array parameter_keys{
    ParameterKey{"skew", 0, "0: uniform keys; 1: nine of ten in bin 0, the rest Zipf-like"},
};
constexpr std::array types{ElementType::i32};
constexpr std::array<std::string_view, 7> steps{"global_atomics", "scratch_atomics", "wide_loads",
                                                "warp_private",   "lane_striped",    "lane_private",
                                                "warp_aggregated"};

Size size_of(std::int64_t n, std::int64_t bins) { return Size({{"n", n}, {"bins", bins}}); }

unsigned processors_of(Place place) {
#if PORTCOST_HAS_CUDA
  if (place == Place::device) return cuda::processors();
#endif
  static_cast<void>(place);
  return static_cast<unsigned>(omp_get_max_threads());
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t i) {  // splitmix64, Steele and others 2014
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + i * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The keys, which no run writes to, and the counts.
class Counting final : public Instance {
 public:
  Counting(const Problem& problem, Stream& stream)
      : Instance(stream),
        bins_(static_cast<unsigned>(problem.size.at("bins"))),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(bins_, stream.place()),
        processors_(processors_of(stream.place())) {
    const Skew skew = skew_of(problem);
    if (stream.place() == Place::host) {
      fill(in_.span(), skew, problem.seed);
    } else {
      Buffer<unsigned> host(in_.size(), Place::host);
      fill(host.span(), skew, problem.seed);
      in_.upload(host.span(), stream);
    }
  }

  void reset() override { out_.poison(stream()); }

  Answer answer() override {
    Answer result{ElementType::i32, bins_, 0,
                  Buffer<std::byte>(bins_ * sizeof(unsigned), stream().place())};
    copy_bytes(result.bytes.data(), stream().place(), out_.data(), stream().place(), out_.bytes(),
               stream());
    stream().synchronize();
    return result;
  }

  bool repeatable() const override { return true; }  // a run begins with zeroing the counts

  Keys keys() const {
    return {in_.data(), static_cast<unsigned>(in_.size()), out_.data(), bins_, processors_};
  }

 private:
  void fill(std::span<unsigned> keys, Skew skew, std::uint64_t seed) const {
    const auto count = static_cast<std::int64_t>(keys.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      keys[static_cast<std::size_t>(i)] = key_of(skew, seed, static_cast<std::uint64_t>(i), bins_);
    }
  }

  unsigned bins_;
  Buffer<unsigned> in_, out_;
  unsigned processors_;
};

Keys keys_of(Instance& instance) { return dynamic_cast<Counting&>(instance).keys(); }

template <Launch launch>
std::unique_ptr<Execution> make_execution(const Problem&, Instance& instance) {
  return make_launcher(keys_of(instance), instance.stream(), launch);
}
template <std::unique_ptr<Execution> (*make_peer)(const Keys&, const Stream&)>
std::unique_ptr<Execution> make_library(const Problem&, Instance& instance) {
  return make_peer(keys_of(instance), instance.stream());
}

constexpr Place kokkos_runs = kokkos_place();
constexpr std::array variants {
  Variant{"global_atomics", Model::reference, Place::host,
          make_execution<reference::global_atomics>},
      Variant{"global_atomics", Model::openmp, Place::host, make_execution<openmp::global_atomics>},
      Variant{"scratch_atomics", Model::openmp, Place::host,
              make_execution<openmp::scratch_atomics>},
      Variant{"wide_loads", Model::openmp, Place::host, make_execution<openmp::wide_loads>},
      Variant{"warp_private", Model::openmp, Place::host, make_execution<openmp::warp_private>},
      Variant{"lane_striped", Model::openmp, Place::host, make_execution<openmp::lane_striped>},
#if PORTCOST_HAS_CUDA
      Variant{"global_atomics", Model::cuda, Place::device, make_execution<cuda::global_atomics>},
      Variant{"scratch_atomics", Model::cuda, Place::device, make_execution<cuda::scratch_atomics>},
      Variant{"wide_loads", Model::cuda, Place::device, make_execution<cuda::wide_loads>},
      Variant{"warp_private", Model::cuda, Place::device, make_execution<cuda::warp_private>},
      Variant{"lane_striped", Model::cuda, Place::device, make_execution<cuda::lane_striped>},
      Variant{"lane_private", Model::cuda, Place::device, make_execution<cuda::lane_private>},
      Variant{"warp_aggregated", Model::cuda, Place::device, make_execution<cuda::warp_aggregated>},
      Variant{"cub", Model::library, Place::device, make_library<library::make_cub>},
#endif
      Variant{"global_atomics", Model::kokkos, kokkos_runs, make_execution<kokkos::global_atomics>},
      Variant{"scratch_atomics", Model::kokkos, kokkos_runs,
              make_execution<kokkos::scratch_atomics>},
      Variant{"wide_loads", Model::kokkos, kokkos_runs, make_execution<kokkos::wide_loads>},
      Variant{"warp_private", Model::kokkos, kokkos_runs, make_execution<kokkos::warp_private>},
      Variant{"lane_striped", Model::kokkos, kokkos_runs, make_execution<kokkos::lane_striped>},
      Variant{"lane_private", Model::kokkos, kokkos_runs, make_execution<kokkos::lane_private>},
      Variant{"scatter_view", Model::library, kokkos_runs,
              make_library<library::make_scatter_view>},
};

#if PORTCOST_HAS_CUDA
constexpr std::array<Absence, 0> absent{};
#else
constexpr std::array absent{
    Absence{"cub", Model::library, "CUB needs CUDA, and this build is for the host"},
};
#endif

void validate(const Problem& problem) {
  const std::int64_t n = problem.size.at("n"), bins = problem.size.at("bins");
  if (bins != few_bins && bins != some_bins && bins != many_bins) {
    throw UsageError(
        fmt::format("bins={}: bins must be {}, {} or {}", bins, few_bins, some_bins, many_bins));
  }
  if (n > most_keys) {
    throw UsageError(fmt::format(
        "n={}: counts are 32-bit numbers with a sign, so n must be at most {}", n, most_keys));
  }
  skew_of(problem);
}

// The keys, the counts, two answers, and what is too small to count.
double footprint(const Problem& problem) {
  return 4.0 * static_cast<double>(problem.size.at("n")) +
         16.0 * static_cast<double>(problem.size.at("bins")) + 4096;
}

// Every key is read once, every count written; an addition a key.
Cost cost(const Problem& problem, Place place) {
  const auto n = static_cast<double>(problem.size.at("n"));
  return {4 * (n + static_cast<double>(problem.size.at("bins"))), n,
          place == Place::device ? "device read" : "host read"};
}

// From bound by the launch to bound by memory; 256 bins, and the others at the main count.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const std::int64_t main = std::int64_t{1} << (place == Place::device ? 28 : 24);
  std::vector<Size> result{size_of(main, some_bins)};
  if (campaign == Campaign::full) {
    result.push_back(size_of(main, few_bins));
    result.push_back(size_of(main, many_bins));
  }
  const int step = campaign == Campaign::full ? 2 : 4;
  for (int power = 12; std::int64_t{1} << power < main; power += step) {
    result.push_back(size_of(std::int64_t{1} << power, some_bins));
  }
  return result;
}

std::vector<Size> check_sizes() {
  std::vector<Size> result;
  for (const std::int64_t bins : {few_bins, some_bins, many_bins}) {
    for (const std::int64_t n : {0, 1, 3, 8191, 8193, 99991, 2'000'003}) {
      result.push_back(size_of(n, bins));
    }
  }
  return result;
}

Size random_size(std::uint64_t seed) {
  // Around what a pack, a warp, a team and a tile take; primes; anything.
  constexpr std::array<std::int64_t, 24> corners{
      0,    1,    2,    3,    4,    5,    7,    31,   33,   127,   255,   257,
      1023, 1025, 2047, 2049, 4095, 4097, 8191, 8192, 8193, 16385, 65537, 270337};
  constexpr std::array<std::int64_t, 3> all_bins{few_bins, some_bins, many_bins};
  std::mt19937_64 random(seed);
  const std::uint64_t r = random();
  const std::int64_t n = (r & 1) != 0 ? corners[(r >> 1) % corners.size()]
                                      : static_cast<std::int64_t>((r >> 1) % 300'000);
  return size_of(n, all_bins[random() % all_bins.size()]);
}

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  return std::make_unique<Counting>(problem, stream);
}

}  // namespace

Skew skew_of(const Problem& problem) {
  const double skew = problem.parameters.at("skew");
  if (skew == 0) return Skew::uniform;
  if (skew == 1) return Skew::heavy;
  throw UsageError(fmt::format("skew={}: skew must be 0 (uniform) or 1 (heavily skewed)", skew));
}

unsigned key_of(Skew skew, std::uint64_t seed, std::uint64_t i, unsigned bins) {
  const std::uint64_t r = mixed(seed, i);
  const auto low = static_cast<unsigned>(r >> 40);  // 24 random bits
  if (skew == Skew::uniform) return low % bins;
  if (static_cast<unsigned>(r) % 10 != 0) return 0;
  // Zipf-like: each octave [2^k, 2^(k+1)) of bins as likely as another, so that a bin's share falls
  // as one over its number.
  const auto octaves = static_cast<unsigned>(std::bit_width(bins)) - 1;
  const unsigned first = 1u << (static_cast<unsigned>(r) / 10 % octaves);
  return first + low % first;
}

const Algorithm algorithm{
    .name = "histogram",
    .summary = "counts of n keys in 64, 256 or 4096 bins",
    .size_keys = size_keys,
    .parameter_keys = parameter_keys,
    .types = types,
    .steps = steps,
    .variants = variants,
    .absent = absent,
    .validate = validate,
    .footprint = footprint,
    .cost = cost,
    .sizes = sizes,
    .check_sizes = check_sizes,
    .random_size = random_size,
    .make = make,
    .compare = compare_bit_for_bit,
    .agreement = "equal",
    .judge = judge,
    .in_default_campaign = false,
};

}  // namespace portcost::histogram
