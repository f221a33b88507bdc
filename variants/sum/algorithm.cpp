// SPDX-License-Identifier: Apache-2.0
// sum's row: names, sizes, variants. What agrees is in reference.cpp.
#include <omp.h>

#include <array>
#include <random>

#include "src/memory/buffer.hpp"
#include "variants/kokkos_runtime.hpp"
#include "variants/launcher.hpp"
#include "variants/sum/known_defects.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "numbers to add"},
};
constexpr std::array parameter_keys{
    ParameterKey{"data", static_cast<double>(Data::uniform),
                 "the numbers: 0 ones, 1 small integers, 2 uniform random, 3 ill-conditioned"},
};
constexpr std::array types{ElementType::i32, ElementType::f32, ElementType::f64};
constexpr std::array<std::string_view, 9> steps{"serial",      "stretches",  "interleaved",
                                                "strided",     "sequential", "first_add",
                                                "warp_finish", "wide_loads", "single_pass"};

Size size_of(std::int64_t n) { return Size({{"n", n}}); }

int processors(Place place) {
#if PORTCOST_HAS_CUDA
  return place == Place::device ? cuda::processors() : omp_get_max_threads();
#else
  static_cast<void>(place);
  return omp_get_max_threads();
#endif
}

// The numbers, which no run writes to; the answer; and what teams and launches leave each other.
template <class T>
class Series final : public Instance {
 public:
  Series(const Problem& problem, Stream& stream)
      : Instance(stream),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(1, stream.place()),
        partials_{Buffer<T>(partials_of(in_.size()), stream.place()),
                  Buffer<T>(partials_of(partials_of(in_.size())), stream.place())},
        arrived_(1, stream.place()),
        none_arrived_(1, stream.place()),
        processors_(sum::processors(stream.place())) {
    constexpr unsigned zero = 0;
    none_arrived_.upload({&zero, 1}, stream);
    const Data data = data_of(problem);
    if (stream.place() == Place::host) {
      fill(in_.span(), data, problem.seed, 0);
    } else {
      upload(data, problem.seed);
    }
  }

  // Restores no input, because none is written to.
  void reset() override {
    out_.poison(stream());
    for (const Buffer<T>& partials : partials_)
      poison_bytes(partials.data(), partials.bytes(), stream());
    arrived_.copy_from(none_arrived_, stream());
  }

  Answer answer() override {
    Answer result{element_type_of<T>, 1, 0, Buffer<std::byte>(sizeof(T), stream().place())};
    copy_bytes(result.bytes.data(), stream().place(), out_.data(), stream().place(), sizeof(T),
               stream());
    stream().synchronize();
    return result;
  }

  bool repeatable() const override { return true; }

  Numbers<T> numbers() const {
    return {in_.data(),      in_.size(), out_.data(), {partials_[0].data(), partials_[1].data()},
            arrived_.data(), processors_};
  }

 private:
  // Numbers first, first + 1, ... of all.
  void fill(std::span<T> part, Data data, std::uint64_t seed, std::uint64_t first) const {
    const auto count = static_cast<std::int64_t>(part.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      part[static_cast<std::size_t>(i)] =
          number<T>(data, seed, first + static_cast<std::uint64_t>(i), in_.size());
    }
  }

  // By pieces, so that the host need not hold what the device holds.
  void upload(Data data, std::uint64_t seed) {
    const std::size_t piece = std::min<std::size_t>(in_.size(), std::size_t{1} << 26);
    Buffer<T> host(piece, Place::host);
    for (std::size_t first = 0; first < in_.size(); first += piece) {
      const std::size_t count = std::min(piece, in_.size() - first);
      fill(host.span().first(count), data, seed, first);
      copy_bytes(in_.data() + first, in_.place(), host.data(), Place::host, count * sizeof(T),
                 stream());
    }
  }

  Buffer<T> in_, out_;
  std::array<Buffer<T>, 2> partials_;
  Buffer<unsigned> arrived_, none_arrived_;
  int processors_;
};

template <class T>
Numbers<T> numbers_of(Instance& instance) {
  return dynamic_cast<Series<T>&>(instance).numbers();
}

template <Launch<Word> i32, Launch<float> f32, Launch<double> f64>
std::unique_ptr<Execution> make_execution(const Problem& problem, Instance& instance) {
  const Stream& stream = instance.stream();
  if (problem.type == ElementType::i32)
    return make_launcher(numbers_of<Word>(instance), stream, i32);
  if (problem.type == ElementType::f32)
    return make_launcher(numbers_of<float>(instance), stream, f32);
  return make_launcher(numbers_of<double>(instance), stream, f64);
}

#if PORTCOST_HAS_CUDA
std::unique_ptr<Execution> make_cub(const Problem& problem, Instance& instance) {
  const Stream& stream = instance.stream();
  if (problem.type == ElementType::i32)
    return library::make_cub(numbers_of<Word>(instance), stream);
  if (problem.type == ElementType::f32)
    return library::make_cub(numbers_of<float>(instance), stream);
  return library::make_cub(numbers_of<double>(instance), stream);
}
#endif

constexpr Place kokkos_runs = kokkos_place();
constexpr std::array variants {
  Variant{
      "serial", Model::reference, Place::host,
      make_execution<reference::serial<Word>, reference::serial<float>, reference::serial<double>>},
      Variant{"stretches", Model::openmp, Place::host,
              make_execution<openmp::stretches<Word>, openmp::stretches<float>,
                             openmp::stretches<double>>},
      Variant{"wide_loads", Model::openmp, Place::host,
              make_execution<openmp::wide_loads<Word>, openmp::wide_loads<float>,
                             openmp::wide_loads<double>>},
      Variant{"single_pass", Model::openmp, Place::host,
              make_execution<openmp::single_pass<Word>, openmp::single_pass<float>,
                             openmp::single_pass<double>>},
#if PORTCOST_HAS_CUDA
      Variant{"interleaved", Model::cuda, Place::device,
              make_execution<cuda::interleaved<Word>, cuda::interleaved<float>,
                             cuda::interleaved<double>>},
      Variant{"strided", Model::cuda, Place::device,
              make_execution<cuda::strided<Word>, cuda::strided<float>, cuda::strided<double>>},
      Variant{"sequential", Model::cuda, Place::device,
              make_execution<cuda::sequential<Word>, cuda::sequential<float>,
                             cuda::sequential<double>>},
      Variant{
          "first_add", Model::cuda, Place::device,
          make_execution<cuda::first_add<Word>, cuda::first_add<float>, cuda::first_add<double>>},
      Variant{"warp_finish", Model::cuda, Place::device,
              make_execution<cuda::warp_finish<Word>, cuda::warp_finish<float>,
                             cuda::warp_finish<double>>},
      Variant{"wide_loads", Model::cuda, Place::device,
              make_execution<cuda::wide_loads<Word>, cuda::wide_loads<float>,
                             cuda::wide_loads<double>>},
      Variant{"single_pass", Model::cuda, Place::device,
              make_execution<cuda::single_pass<Word>, cuda::single_pass<float>,
                             cuda::single_pass<double>>},
      Variant{"cub", Model::library, Place::device, make_cub},
#else
      Variant{"stretches", Model::kokkos, kokkos_runs,
              make_execution<kokkos::stretches<Word>, kokkos::stretches<float>,
                             kokkos::stretches<double>>},
#endif
      Variant{"interleaved", Model::kokkos, kokkos_runs,
              make_execution<kokkos::interleaved<Word>, kokkos::interleaved<float>,
                             kokkos::interleaved<double>>},
      Variant{
          "strided", Model::kokkos, kokkos_runs,
          make_execution<kokkos::strided<Word>, kokkos::strided<float>, kokkos::strided<double>>},
      Variant{"sequential", Model::kokkos, kokkos_runs,
              make_execution<kokkos::sequential<Word>, kokkos::sequential<float>,
                             kokkos::sequential<double>>},
      Variant{"first_add", Model::kokkos, kokkos_runs,
              make_execution<kokkos::first_add<Word>, kokkos::first_add<float>,
                             kokkos::first_add<double>>},
      Variant{"warp_finish", Model::kokkos, kokkos_runs,
              make_execution<kokkos::warp_finish<Word>, kokkos::warp_finish<float>,
                             kokkos::warp_finish<double>>},
      Variant{"wide_loads", Model::kokkos, kokkos_runs,
              make_execution<kokkos::wide_loads<Word>, kokkos::wide_loads<float>,
                             kokkos::wide_loads<double>>},
      Variant{"single_pass", Model::kokkos, kokkos_runs,
              make_execution<kokkos::single_pass<Word>, kokkos::single_pass<float>,
                             kokkos::single_pass<double>>},
      Variant{"kokkos_range", Model::library, kokkos_runs,
              make_execution<library::kokkos_range<Word>, library::kokkos_range<float>,
                             library::kokkos_range<double>>},
#if PORTCOST_HAS_KOKKOS_KERNELS
      Variant{"kokkos_blas", Model::library, kokkos_runs,
              make_execution<library::kokkos_blas<Word>, library::kokkos_blas<float>,
                             library::kokkos_blas<double>>},
#endif
      Variant{"openmp_reduction", Model::library, Place::host,
              make_execution<library::openmp_reduction<Word>, library::openmp_reduction<float>,
                             library::openmp_reduction<double>>},
};
constexpr std::array absent {
#if PORTCOST_HAS_CUDA
  Absence{"stretches", Model::kokkos, "a step for hosts, and Kokkos runs on the GPU here"},
#else
  Absence{"cub", Model::library, "CUB needs CUDA, and this build is for the host"},
#endif
#if !PORTCOST_HAS_KOKKOS_KERNELS
      Absence{"kokkos_blas", Model::library, "Kokkos Kernels was not found when this was built"},
#endif
};

void validate(const Problem& problem) { data_of(problem); }

// The numbers; partial sums, one for 256; and what is too small to count.
double footprint(const Problem& problem) {
  const auto n = static_cast<double>(problem.size.at("n"));
  return static_cast<double>(bytes(problem.type)) * n * (1 + 1.01 / (one_item * threads)) + 4096;
}

// Every number is read once, and one value written.
Cost cost(const Problem& problem, Place place) {
  const auto n = static_cast<double>(problem.size.at("n"));
  return {(n + 1) * static_cast<double>(bytes(problem.type)), n,
          place == Place::device ? "device read" : "host read"};
}

// From bound by the launch to bound by memory, through the slides' 2^16.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const int main = place == Place::device ? 28 : 26, most = place == Place::device ? 30 : 28;
  std::vector<Size> result{size_of(std::int64_t{1} << main)};
  for (int power = 10; power <= most; ++power) {
    const bool standard = power == 10 || power == 16 || power == 22;
    if (power == main || (campaign == Campaign::standard && !standard)) continue;
    result.push_back(size_of(std::int64_t{1} << power));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(0),         size_of(1),         size_of(2),        size_of(255),
          size_of(257),       size_of(65536),     size_of(65537),    size_of(99991),
          size_of(1'000'003), size_of(4'194'304), size_of(9'000'001)};
}

Size random_size(std::uint64_t seed) {
  // Around what a pack, a warp, a team and a tile take; primes; anything.
  constexpr std::array<std::int64_t, 28> corners{
      0,   1,    2,    3,    4,    5,    7,    31,   33,    127,   255,   256,   257,    511,
      513, 1023, 1024, 1025, 4095, 4097, 8191, 8193, 16384, 32769, 65536, 65537, 131071, 270337};
  std::mt19937_64 random(seed);
  const std::uint64_t r = random();
  return size_of((r & 1) != 0 ? corners[(r >> 1) % corners.size()]
                              : static_cast<std::int64_t>((r >> 1) % 300'000));
}

std::unique_ptr<Instance> make(const Problem& problem, Stream& stream) {
  if (problem.type == ElementType::i32) return std::make_unique<Series<Word>>(problem, stream);
  if (problem.type == ElementType::f32) return std::make_unique<Series<float>>(problem, stream);
  return std::make_unique<Series<double>>(problem, stream);
}

}  // namespace

const Algorithm algorithm{
    .name = "sum",
    .summary = "sum of n numbers",
    .size_keys = size_keys,
    .parameter_keys = parameter_keys,
    .types = types,
    .steps = steps,
    .variants = variants,
    .absent = absent,
    .known_defects = known_defects,
    .validate = validate,
    .footprint = footprint,
    .cost = cost,
    .sizes = sizes,
    .check_sizes = check_sizes,
    .random_size = random_size,
    .make = make,
    .compare = compare,
    .agreement =
        "i32, and sums of whole numbers while they are exact: equal; else within a derived bound",
    .judge = judge,
};

}  // namespace portcost::sum
