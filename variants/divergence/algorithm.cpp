// SPDX-License-Identifier: Apache-2.0
// divergence's row: names, sizes, inputs, variants.
#include <array>
#include <random>

#include "src/memory/buffer.hpp"
#include "variants/divergence/problem.hpp"
#include "variants/kokkos_runtime.hpp"
#include "variants/launcher.hpp"

namespace portcost::divergence {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", 1 << 24, 1, most_numbers, "numbers"},
    SizeKey{"diverging", lanes / 2, 0, lanes, "lanes of 32 that take the other branch", false},
    SizeKey{"trip", 4, 0, 1 << 20, "stretches of 16 multiply-adds in a trip; a branch has 8 trips",
            false},
};
constexpr std::array types{ElementType::f32};
constexpr std::array<std::string_view, 4> steps{"uniform", "if_else", "loop_678", "loop_uniform"};

Size size_of(std::int64_t n, std::int64_t diverging, std::int64_t trip) {
  return Size({{"n", n}, {"diverging", diverging}, {"trip", trip}});
}

// The numbers, which no run writes to, and what they become.
class Numbers final : public Instance {
 public:
  Numbers(const Problem& problem, Stream& stream)
      : Instance(stream),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(in_.size(), stream.place()),
        diverging_(static_cast<unsigned>(problem.size.at("diverging"))),
        trip_(static_cast<unsigned>(problem.size.at("trip"))) {
    if (stream.place() == Place::host) {
      fill(in_.span(), problem.seed);
    } else {
      Buffer<float> host(in_.size(), Place::host);
      fill(host.span(), problem.seed);
      in_.upload(host.span(), stream);
    }
  }

  void reset() override { out_.poison(stream()); }

  Answer answer() override {
    Answer result{ElementType::f32, out_.size(), 0,
                  Buffer<std::byte>(out_.bytes(), stream().place())};
    copy_bytes(result.bytes.data(), out_.place(), out_.data(), out_.place(), out_.bytes(),
               stream());
    stream().synchronize();
    return result;
  }

  bool repeatable() const override { return true; }

  Work work() const { return {in_.data(), out_.data(), in_.size(), diverging_, trip_}; }

 private:
  static void fill(std::span<float> numbers, std::uint64_t seed) {
    const auto count = static_cast<std::int64_t>(numbers.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      numbers[static_cast<std::size_t>(i)] = number(seed, static_cast<std::uint64_t>(i));
    }
  }

  Buffer<float> in_, out_;
  unsigned diverging_, trip_;
};

template <Launch launch>
std::unique_ptr<Execution> make_execution(const Problem&, Instance& instance) {
  return make_launcher(dynamic_cast<Numbers&>(instance).work(), instance.stream(), launch);
}

constexpr Place kokkos_runs = kokkos_place();
constexpr std::array variants {
  Variant{"uniform", Model::reference, Place::host, make_execution<reference::branches>},
      Variant{"if_else", Model::reference, Place::host, make_execution<reference::branches>},
      Variant{"loop_678", Model::reference, Place::host, make_execution<reference::loops>},
      Variant{"loop_uniform", Model::reference, Place::host, make_execution<reference::loops>},
      Variant{"uniform", Model::openmp, Place::host, make_execution<openmp::uniform>},
      Variant{"if_else", Model::openmp, Place::host, make_execution<openmp::if_else>},
      Variant{"loop_678", Model::openmp, Place::host, make_execution<openmp::loop_678>},
      Variant{"loop_uniform", Model::openmp, Place::host, make_execution<openmp::loop_uniform>},
#if PORTCOST_HAS_CUDA
      Variant{"uniform", Model::cuda, Place::device, make_execution<cuda::uniform>},
      Variant{"if_else", Model::cuda, Place::device, make_execution<cuda::if_else>},
      Variant{"loop_678", Model::cuda, Place::device, make_execution<cuda::loop_678>},
      Variant{"loop_uniform", Model::cuda, Place::device, make_execution<cuda::loop_uniform>},
#endif
      Variant{"uniform", Model::kokkos, kokkos_runs, make_execution<kokkos::uniform>},
      Variant{"if_else", Model::kokkos, kokkos_runs, make_execution<kokkos::if_else>},
      Variant{"loop_678", Model::kokkos, kokkos_runs, make_execution<kokkos::loop_678>},
      Variant{"loop_uniform", Model::kokkos, kokkos_runs, make_execution<kokkos::loop_uniform>},
};

void validate(const Problem&) {}

// Numbers, results, and two answers to compare.
double footprint(const Problem& problem) {
  return 4.0 * sizeof(float) * static_cast<double>(problem.size.at("n"));
}

// What a warp with all lanes on one path, or making 8 trips, has to do.
Cost cost(const Problem& problem, Place place) {
  const auto n = static_cast<double>(problem.size.at("n"));
  const double length = static_cast<double>(most_trips * stretch_length) *
                        static_cast<double>(problem.size.at("trip"));
  return {2 * n * sizeof(float), 2 * n * length,
          place == Place::device ? "fma f32" : "host fma f32"};
}

// From none to all lanes on the other branch; the main size has half of them there.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const std::int64_t n = place == Place::device ? 1 << 24 : 1 << 20;
  std::vector<Size> result{size_of(n, lanes / 2, 4)};
  const auto sweep = campaign == Campaign::full
                         ? std::vector<std::int64_t>{0, 1, 2, 4, 8, 24, 28, 30, 31, 32}
                         : std::vector<std::int64_t>{0, 1, 32};
  for (const std::int64_t diverging : sweep) result.push_back(size_of(n, diverging, 4));
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(1, 16, 1),   size_of(31, 7, 1),    size_of(1024, 0, 2),    size_of(1024, 32, 2),
          size_of(1025, 1, 3), size_of(4099, 31, 1), size_of(100'003, 16, 4)};
}

Size random_size(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr std::array<std::int64_t, 8> corners{1, 31, 32, 33, 1023, 1024, 1025, 4099};
  const std::uint64_t r = random();
  const std::int64_t n = (r & 1) != 0 ? corners[(r >> 1) % corners.size()]
                                      : 1 + static_cast<std::int64_t>((r >> 1) % 6000);
  return size_of(n, static_cast<std::int64_t>(random() % (lanes + 1)),
                 static_cast<std::int64_t>(random() % 4));
}

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  return std::make_unique<Numbers>(problem, stream);
}

}  // namespace

// splitmix64 (Steele and others 2014).
float number(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + i * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-23f - 1;
}

const Algorithm algorithm{
    .name = "divergence",
    .summary = "branches and loops that the lanes of a warp take differently",
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
    .agreement = "bit for bit",
    .judge = judge,
    .one_answer = false,
    .in_default_campaign = false,
};

}  // namespace portcost::divergence
