// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "src/distributed/path.hpp"
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::fft_poisson {

namespace {

constexpr std::array size_keys{
    SizeKey{"nx", 512, 2, 1 << 17, "nodes along x, which are neighbours in memory"},
    SizeKey{"ny", 512, 2, 1 << 17, "nodes along y"},
    SizeKey{"nz", 512, 1, 1 << 17, "nodes along z; 1: a plane"}};
constexpr std::array parameter_keys{
    ParameterKey::choice("operator", operator_names, "which eigenvalues the modes are divided by"),
    ParameterKey::choice("path", distributed::path_names,
                         "over processes: how modes go from GPU to GPU")};

double bytes_of(const Problem& p) {
  return static_cast<double>(shape_of(p).numbers()) * bytes(p.type);
}

// The fraction of the grid on the process with most, and the bytes of modes that a process sends to
// others in both directions.
double share_of(const Problem& p) {
  const char* const slowest = p.size.at("nz") > 1 ? "nz" : "ny";
  return largest_share(p, slowest) / real(p, slowest);
}
double sent(const Problem& p) {
  const double others = 1 - 1.0 / std::max(1, p.ranks);
  const auto modes = static_cast<double>(shape_of(p).spectrum());
  return 2 * share_of(p) * others * modes * 2 * bytes(p.type);
}

template <class T>
struct Data final : DataOf<Grid<T>> {
  using DataOf<Grid<T>>::DataOf;
  Grid<T> work(int) const override {
    return {f.data(),         out.data(),       spectrum.data(),  &plan,  eigenvalues.data(),
            this->size("nx"), this->size("ny"), this->size("nz"), laplace};
  }

  fft::Shape shape = shape_of(this->problem());
  Operator laplace = operator_of(this->problem());
  Buffer<T> f = this->input(shape.numbers(), [this](std::uint64_t at) {
    return element<T>(this->seed(), at, static_cast<std::uint64_t>(shape.numbers()));
  });
  Buffer<T> eigenvalues = this->input(shape.modes() + shape.y + shape.z, [this](std::uint64_t at) {
    auto j = static_cast<std::int64_t>(at);
    if (j < shape.modes()) return static_cast<T>(eigenvalue(laplace, j, shape.x));
    j -= shape.modes();
    return static_cast<T>(j < shape.y ? eigenvalue(laplace, j, shape.y)
                                      : eigenvalue(laplace, j - shape.y, shape.z));
  });
  Output<T> out{*this, "u", {this->extent("nz"), this->extent("ny"), this->extent("nx")}};
  Workspace<fft::Complex<T>> spectrum{*this, static_cast<std::size_t>(shape.spectrum())};
  fft::Plan<T> plan = fft::plan_if_present<T>(shape, this->stream());
};

}  // namespace

Algorithm algorithm() {
  const Draw extent{2, 40, {2, 3, 5, 7, 8, 9, 31, 32, 33}};
  return {
      .name = "fft_poisson",
      .summary = "Poisson's equation on a periodic grid by transforms, and the glue around them",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = absent_without_mpi({"slabs"}),
      .validate =
          [](const Problem& p) {
            const fft::Shape shape = shape_of(p);
            demand(shape.numbers() <= most_numbers && shape.rows() <= most_rows,
                   fmt::format("{} are {} nodes in {} rows; {} and {} are the most", p.size.text(),
                               shape.numbers(), shape.rows(), most_numbers, most_rows));
          },
      // f, answer, spectrum, cuFFT's memory of up to three spectra, two copies of the answer. Of
      // several processes a share, another spectrum with cuFFT's memory for it, and what is packed
      // to be sent and received; rank 0 has the answers.
      .footprint =
          [](const Problem& p) {
            const double shared = p.ranks > 0 ? 8.2 * share_of(p) : 6.1;
            return (shared + 2) * bytes_of(p) + 2 * sent(p) + (1 << 22);
          },
      // Two passes over memory per axis, but one, with the glue, along the slowest axis.
      .cost = [](const Problem& p) -> Cost {
        const double passes = p.size.at("nz") > 1 ? 5 : 3;
        return with_exchange(p, {{passes * 2 * share_of(p) * bytes_of(p), "copy"}}, sent(p));
      },
      .measured = {.device = "512,512,512 8192,8192,1 64,64,64",
                   .device_full = "512,512,512 8192,8192,1 64|128|256,=,= 1024|2048|4096,=,1 "
                                  "500|343,=,= 7000,=,1",
                   .host = "128,128,128 1024,1024,1 64,64,64",
                   .host_full = "128,128,128 1024,1024,1 64|256,=,= 2048|4096,=,1 125|105,=,="},
      .checked = "2|9|32,2|15|33,1|2|7|20 3,5,64 6,1024,1",
      .drawn = {extent, extent, {1, 12, {1, 2, 3, 8}}},
      .make = make_instance<Data, float, double>,
      .compare = compare,
      .agreement = "within a few roundings, as many as log2 of all nodes, of the largest element",
      .judge = judge,
      .other_answers = {"transform", "plan"},
      .in_default_campaign = false,
  };
}

}  // namespace portcost::fft_poisson
