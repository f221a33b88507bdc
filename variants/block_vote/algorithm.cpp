// SPDX-License-Identifier: Apache-2.0
// block_vote's row: names, sizes, inputs, agreement, variants.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <random>
#include <span>

#include "src/memory/buffer.hpp"
#include "src/support/error.hpp"
#include "variants/block_vote/problem.hpp"
#include "variants/kokkos_runtime.hpp"
#include "variants/launcher.hpp"

namespace portcost::block_vote {

namespace {

constexpr std::array size_keys{
    // Fewer than 2^31 tiles.
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "elements, in tiles of 1024"},
};
constexpr std::array types{ElementType::f32, ElementType::f64};
constexpr std::array<std::string_view, 4> steps{"barrier_vote", "warp_vote", "packed_vote",
                                                "warp_tile"};

Size size_of(std::int64_t n) { return Size({{"n", n}}); }

std::uint64_t mixed(std::uint64_t seed, std::uint64_t i) {  // splitmix64, Steele and others 2014
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + i * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The elements, which no run writes to, and three numbers a tile.
template <class T>
class Flagging final : public Instance {
 public:
  Flagging(const Problem& problem, Stream& stream)
      : Instance(stream),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(std::size_t{field().tiles()} * numbers, stream.place()) {
    if (stream.place() == Place::host) {
      fill(in_.span(), problem.seed);
    } else {
      Buffer<T> host(in_.size(), Place::host);
      fill(host.span(), problem.seed);
      in_.upload(host.span(), stream);
    }
  }

  void reset() override { out_.poison(stream()); }

  Answer answer() override {
    Answer result{ElementType::i32, out_.size(), numbers,
                  Buffer<std::byte>(out_.bytes(), stream().place())};
    copy_bytes(result.bytes.data(), stream().place(), out_.data(), stream().place(), out_.bytes(),
               stream());
    stream().synchronize();
    return result;
  }

  bool repeatable() const override { return true; }

  Field<T> field() const { return {in_.data(), in_.size(), out_.data()}; }

 private:
  static void fill(std::span<T> elements, std::uint64_t seed) {
    const auto count = static_cast<std::int64_t>(elements.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      elements[static_cast<std::size_t>(i)] = element_of<T>(seed, static_cast<std::uint64_t>(i));
    }
  }

  Buffer<T> in_;
  Buffer<int> out_;
};

template <class T>
Field<T> field_of(Instance& instance) {
  return dynamic_cast<Flagging<T>&>(instance).field();
}

template <Launch<float> f32, Launch<double> f64>
std::unique_ptr<Execution> make_execution(const Problem& problem, Instance& instance) {
  const Stream& stream = instance.stream();
  if (problem.type == ElementType::f64)
    return make_launcher(field_of<double>(instance), stream, f64);
  return make_launcher(field_of<float>(instance), stream, f32);
}

constexpr Place kokkos_runs = kokkos_place();
constexpr std::array variants {
  Variant{"barrier_vote", Model::reference, Place::host,
          make_execution<reference::barrier_vote<float>, reference::barrier_vote<double>>},
      Variant{"barrier_vote", Model::openmp, Place::host,
              make_execution<openmp::barrier_vote<float>, openmp::barrier_vote<double>>},
      Variant{"warp_tile", Model::openmp, Place::host,
              make_execution<openmp::warp_tile<float>, openmp::warp_tile<double>>},
#if PORTCOST_HAS_CUDA
      Variant{"barrier_vote", Model::cuda, Place::device,
              make_execution<cuda::barrier_vote<float>, cuda::barrier_vote<double>>},
      Variant{"warp_vote", Model::cuda, Place::device,
              make_execution<cuda::warp_vote<float>, cuda::warp_vote<double>>},
      Variant{"packed_vote", Model::cuda, Place::device,
              make_execution<cuda::packed_vote<float>, cuda::packed_vote<double>>},
      Variant{"warp_tile", Model::cuda, Place::device,
              make_execution<cuda::warp_tile<float>, cuda::warp_tile<double>>},
#endif
      Variant{"barrier_vote", Model::kokkos, kokkos_runs,
              make_execution<kokkos::barrier_vote<float>, kokkos::barrier_vote<double>>},
      Variant{"warp_vote", Model::kokkos, kokkos_runs,
              make_execution<kokkos::warp_vote<float>, kokkos::warp_vote<double>>},
      Variant{"packed_vote", Model::kokkos, kokkos_runs,
              make_execution<kokkos::packed_vote<float>, kokkos::packed_vote<double>>},
      Variant{"warp_tile", Model::kokkos, kokkos_runs,
              make_execution<kokkos::warp_tile<float>, kokkos::warp_tile<double>>},
};

void validate(const Problem&) {}

double numbers_in(const Problem& problem) {
  return 3.0 * (static_cast<double>(problem.size.at("n")) / tile_size + 1);
}

// The elements, the numbers and two answers.
double footprint(const Problem& problem) {
  return static_cast<double>(problem.size.at("n")) * static_cast<double>(bytes(problem.type)) +
         12 * numbers_in(problem);
}

// Every element is read once, three numbers a tile are written; three questions an element.
Cost cost(const Problem& problem, Place place) {
  const auto n = static_cast<double>(problem.size.at("n"));
  return {n * static_cast<double>(bytes(problem.type)) + 4 * numbers_in(problem), 3 * n,
          place == Place::device ? "device read" : "host read"};
}

// From bound by the launch to bound by memory.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const std::int64_t main = std::int64_t{1} << (place == Place::device ? 28 : 24);
  std::vector<Size> result{size_of(main)};
  const int step = campaign == Campaign::full ? 2 : 4;
  for (int power = 12; std::int64_t{1} << power < main; power += step) {
    result.push_back(size_of(std::int64_t{1} << power));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(0),    size_of(1),    size_of(1023),   size_of(1024),
          size_of(1025), size_of(4097), size_of(99'991), size_of(4'000'037)};
}

Size random_size(std::uint64_t seed) {
  // Around what a pack, a warp, a round and a tile take; primes; anything.
  constexpr std::array<std::int64_t, 24> corners{
      0,    1,    2,    3,    4,    5,    31,   32,   33,    127,   255,   257,
      1023, 1024, 1025, 1027, 2047, 2048, 4095, 4097, 16383, 16385, 65536, 131073};
  std::mt19937_64 random(seed);
  const std::uint64_t r = random();
  return size_of((r & 1) != 0 ? corners[(r >> 1) % corners.size()]
                              : static_cast<std::int64_t>((r >> 1) % 100'000));
}

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  if (problem.type == ElementType::f64) return std::make_unique<Flagging<double>>(problem, stream);
  return std::make_unique<Flagging<float>>(problem, stream);
}

}  // namespace

template <class T>
T element_of(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t tile = mixed(~seed, i / tile_size), r = mixed(seed, i);
  if ((tile & 1) != 0) return T(0);
  const T fraction = static_cast<T>(static_cast<double>((r >> 40) + 1) * 0x1p-24);  // in (0, 1]
  const bool rare = (r & 63) == 0;
  switch (tile >> 1 & 7) {
    case 0:
      return fraction;
    case 1:
      return rare ? std::numeric_limits<T>::quiet_NaN() : T(0);
    case 2:
      return rare ? -fraction : fraction;
    case 3:
      return rare ? 1 + fraction : T(0);
    case 4:
      return rare ? std::numeric_limits<T>::quiet_NaN() : -fraction;
    default:  // sparse; zeros of both signs
      return (r & 3) == 0 ? fraction : (r & 4) == 0 ? T(0) : -T(0);
  }
}
template float element_of(std::uint64_t, std::uint64_t);
template double element_of(std::uint64_t, std::uint64_t);

const Algorithm algorithm{
    .name = "block_vote",
    .summary = "of each tile of 1024: how many are not zero, is any NaN, are all in [0, 1]",
    .size_keys = size_keys,
    .parameter_keys = {},
    .types = types,
    .steps = steps,
    .variants = variants,
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

}  // namespace portcost::block_vote
