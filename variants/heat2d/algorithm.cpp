// SPDX-License-Identifier: Apache-2.0
// heat2d's row: names, sizes, agreement, variants.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "src/support/error.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/kokkos_runtime.hpp"
#include "variants/launcher.hpp"

namespace portcost::heat2d {

namespace {

constexpr std::int64_t longest = std::int64_t{1}
                                 << 30;  // indices, and their strides, stay below 2^31

constexpr std::array size_keys{
    SizeKey{"nx", 14400, 1, longest, "nodes along a row"},
    SizeKey{"ny", 14400, 1, longest, "rows"},
    SizeKey{"steps", 1, 1, 1'000'000, "time steps, each a launch"},
};
constexpr std::array parameter_keys{
    ParameterKey{"alpha", Physics{}.alpha, "diffusivity"},
    ParameterKey{"dt", Physics{}.dt, "time step"},
    ParameterKey{"dx", Physics{}.dx, "distance of nodes along a row"},
    ParameterKey{"dy", Physics{}.dy, "distance of rows"},
};
constexpr std::array types{ElementType::f32, ElementType::f64};
constexpr std::array<std::string_view, 6> steps{"naive",      "blocked",       "full_halo",
                                                "inner_halo", "sliding_strip", "register_march"};

Size size_of(std::int64_t nx, std::int64_t ny, std::int64_t count) {
  return Size({{"nx", nx}, {"ny", ny}, {"steps", count}});
}

Physics physics_of(const Problem& problem) {
  const Parameters& p = problem.parameters;
  return {p.at("alpha"), p.at("dt"), p.at("dx"), p.at("dy")};
}

// Two grids that swap at each step, and the initial one to restore them from.
template <class T>
class Grids final : public Instance {
 public:
  Grids(const Problem& problem, Stream& stream)
      : Instance(stream),
        nx_(problem.size.at("nx")),
        ny_(problem.size.at("ny")),
        initial_(static_cast<std::size_t>(pitch() * ny_), stream.place()),
        front_(initial_.size(), stream.place()),
        back_(initial_.size(), stream.place()) {
    const Coefficients<double> c = coefficients(physics_of(problem));
    c_ = {static_cast<T>(c.x), static_cast<T>(c.y)};
    if (stream.place() == Place::host) {
      fill(initial_.span(), problem.seed);
    } else {
      Buffer<T> host(initial_.size(), Place::host);
      fill(host.span(), problem.seed);
      initial_.upload(host.span(), stream);
    }
  }

  void reset() override {
    front_.copy_from(initial_, stream());
    back_.poison(stream());
  }

  Answer answer() override {
    const std::size_t row = static_cast<std::size_t>(nx_) * sizeof(T),
                      rows = static_cast<std::size_t>(ny_);
    Answer result{element_type_of<T>, rows * static_cast<std::size_t>(nx_),
                  static_cast<std::size_t>(nx_), Buffer<std::byte>(rows * row, stream().place())};
    copy_rows(result.bytes.data(), row, front_.data(),
              static_cast<std::size_t>(pitch()) * sizeof(T), row, rows, stream());
    stream().synchronize();
    return result;
  }

  bool repeatable() const override { return true; }  // a further step costs what the first did

  Step<T> step() const {
    return {front_.data(),
            back_.data(),
            static_cast<int>(nx_),
            static_cast<int>(ny_),
            static_cast<std::uint32_t>(pitch()),
            c_};
  }
  void swap() { front_.swap(back_); }

 private:
  std::int64_t pitch() const { return pitch_of<T>(nx_); }

  void fill(std::span<T> grid, std::uint64_t seed) const {
    const std::int64_t stride = pitch();
#pragma omp parallel for schedule(static)
    for (std::int64_t y = 0; y < ny_; ++y) {
      for (std::int64_t x = 0; x < stride; ++x) {
        const auto node = static_cast<std::uint64_t>(y * nx_ + x);
        grid[static_cast<std::size_t>(y * stride + x)] =
            x < nx_ ? static_cast<T>(temperature(seed, node)) : T(0);
      }
    }
  }

  std::int64_t nx_, ny_;
  Coefficients<T> c_;
  Buffer<T> initial_, front_, back_;
};

// Global synchronisation by the host: each step is a launch of its own, then the grids swap.
template <class T>
class Relaunch final : public Execution {
 public:
  Relaunch(Grids<T>& grids, Launch<T> launch, int count)
      : grids_(grids), launch_(launch), count_(count) {}
  int phases() const override { return count_; }
  void run(int) override {
    launch_(grids_.step(), grids_.stream());
    grids_.swap();
  }

 private:
  Grids<T>& grids_;
  Launch<T> launch_;
  int count_;
};

template <Launch<float> f32, Launch<double> f64>
std::unique_ptr<Execution> make_execution(const Problem& problem, Instance& instance) {
  const auto count = static_cast<int>(problem.size.at("steps"));
  if (problem.type == ElementType::f64) {
    return std::make_unique<Relaunch<double>>(dynamic_cast<Grids<double>&>(instance), f64, count);
  }
  return std::make_unique<Relaunch<float>>(dynamic_cast<Grids<float>&>(instance), f32, count);
}

constexpr Place kokkos_runs = kokkos_place();
constexpr std::array variants {
  Variant{"naive", Model::reference, Place::host,
          make_execution<reference::naive<float>, reference::naive<double>>},
      Variant{"naive", Model::openmp, Place::host,
              make_execution<openmp::naive<float>, openmp::naive<double>>},
      Variant{"blocked", Model::openmp, Place::host,
              make_execution<openmp::blocked<float>, openmp::blocked<double>>},
#if PORTCOST_HAS_CUDA
      Variant{"naive", Model::cuda, Place::device,
              make_execution<cuda::naive<float>, cuda::naive<double>>},
      Variant{"full_halo", Model::cuda, Place::device,
              make_execution<cuda::full_halo<float>, cuda::full_halo<double>>},
      Variant{"inner_halo", Model::cuda, Place::device,
              make_execution<cuda::inner_halo<float>, cuda::inner_halo<double>>},
      Variant{"sliding_strip", Model::cuda, Place::device,
              make_execution<cuda::sliding_strip<float>, cuda::sliding_strip<double>>},
      Variant{"register_march", Model::cuda, Place::device,
              make_execution<cuda::register_march<float>, cuda::register_march<double>>},
#endif
      Variant{"naive", Model::kokkos, kokkos_runs,
              make_execution<kokkos::naive<float>, kokkos::naive<double>>},
#if !PORTCOST_HAS_CUDA
      Variant{"blocked", Model::kokkos, kokkos_runs,
              make_execution<kokkos::blocked<float>, kokkos::blocked<double>>},
#endif
      Variant{"full_halo", Model::kokkos, kokkos_runs,
              make_execution<kokkos::full_halo<float>, kokkos::full_halo<double>>},
      Variant{"inner_halo", Model::kokkos, kokkos_runs,
              make_execution<kokkos::inner_halo<float>, kokkos::inner_halo<double>>},
      Variant{"sliding_strip", Model::kokkos, kokkos_runs,
              make_execution<kokkos::sliding_strip<float>, kokkos::sliding_strip<double>>},
      Variant{"register_march", Model::kokkos, kokkos_runs,
              make_execution<kokkos::register_march<float>, kokkos::register_march<double>>},
};

#if PORTCOST_HAS_CUDA
constexpr std::array absent{
    Absence{"blocked", Model::kokkos, "a step for hosts, and Kokkos runs on the GPU here"},
};
#else
constexpr std::array<Absence, 0> absent{};
#endif

void validate(const Problem& problem) { coefficients(physics_of(problem)); }

// Initial, front and back grids, and a dense copy of the answer that another is compared with, and
// that other.
double footprint(const Problem& problem) {
  const std::int64_t nx = problem.size.at("nx");
  const std::int64_t pitch =
      problem.type == ElementType::f64 ? pitch_of<double>(nx) : pitch_of<float>(nx);
  return static_cast<double>(problem.size.at("ny")) * static_cast<double>(bytes(problem.type)) *
         (3.0 * static_cast<double>(pitch) + 2.0 * static_cast<double>(nx));
}

// Each step reads every node once and writes it once; ten operations a node (four fused
// multiply-adds, two additions).
Cost cost(const Problem& problem, Place place) {
  const double nodes = static_cast<double>(problem.size.at("nx")) *
                       static_cast<double>(problem.size.at("ny")) *
                       static_cast<double>(problem.size.at("steps"));
  return {2 * nodes * static_cast<double>(bytes(problem.type)), 10 * nodes,
          place == Place::device ? "device copy" : "host copy"};
}

// From bound by the launch to bound by memory. The main size is the lecture's.
std::vector<Size> sizes(Campaign campaign, Place place) {
  std::vector<Size> result{size_of(14400, 14400, 1)};
  const auto sweep =
      campaign == Campaign::full
          ? std::vector<std::int64_t>{64, 128, 256, 512, 1024, 2048, 4096, 8192, 10007}
          : std::vector<std::int64_t>{64, 256, 1024, 4096};
  for (const std::int64_t n : sweep) {
    // A host takes seconds for what a GPU does in one: fewer sizes keep the default in two minutes.
    if (place == Place::host && campaign == Campaign::standard && (n == 64 || n == 1024)) continue;
    result.push_back(size_of(n, n, 1));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(1, 1, 3),   size_of(1, 257, 2),  size_of(263, 1, 2),     size_of(33, 17, 5),
          size_of(64, 64, 4), size_of(127, 93, 3), size_of(1031, 517, 10), size_of(4099, 2053, 2)};
}

Size random_size(std::uint64_t seed) {
  // One, around a tile and around what a thread or a team takes, primes, and anything.
  constexpr std::array<std::int64_t, 14> corners{1,  2,  3,  15, 16,  17,  31,
                                                 32, 33, 65, 97, 127, 129, 257};
  std::mt19937_64 random(seed);
  const auto extent = [&]() -> std::int64_t {
    const std::uint64_t r = random();
    return (r & 3) != 0 ? corners[(r >> 2) % corners.size()]
                        : 1 + static_cast<std::int64_t>((r >> 2) % 300);
  };
  const std::int64_t nx = extent(), ny = extent();
  return size_of(nx, ny, 1 + static_cast<std::int64_t>(random() % 4));
}

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  if (problem.type == ElementType::f64) return std::make_unique<Grids<double>>(problem, stream);
  return std::make_unique<Grids<float>>(problem, stream);
}

}  // namespace

// splitmix64 (Steele and others 2014).
double temperature(std::uint64_t seed, std::uint64_t node) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + node * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 40) * 0x1p-24;
}

Coefficients<double> coefficients(const Physics& p) {
  const std::array<std::pair<std::string_view, double>, 4> named{
      {{"alpha", p.alpha}, {"dt", p.dt}, {"dx", p.dx}, {"dy", p.dy}}};
  for (const auto& [key, value] : named) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw UsageError(fmt::format("{}={} must be positive and finite", key, value));
    }
  }
  const Coefficients<double> c{p.alpha * p.dt / (p.dx * p.dx), p.alpha * p.dt / (p.dy * p.dy)};
  if (!(c.x + c.y <= 0.5)) {
    const double most = 0.5 / (p.alpha * (1 / (p.dx * p.dx) + 1 / (p.dy * p.dy)));
    throw UsageError(
        fmt::format("dt={} is unstable with alpha={}, dx={}, dy={}: dt must be at most {:.6g}",
                    p.dt, p.alpha, p.dx, p.dy, most));
  }
  return c;
}

const Algorithm algorithm{
    .name = "heat2d",
    .summary = "explicit five-point step of the 2D heat equation, fixed edges",
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
    .agreement = "bit for bit",
    .judge = judge,
};

}  // namespace portcost::heat2d
