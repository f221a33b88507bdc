// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::fft_derivative {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", 512, 2, 1 << 24, "numbers of a line"},
    SizeKey{"lines", 1 << 18, 1, 1 << 30, "lines; of a 3D field the product of its y and z"}};

double bytes_of(const Problem& p) { return real(p, "n") * real(p, "lines") * bytes(p.type); }

template <class T>
struct Data final : DataOf<Lines<T>> {
  using DataOf<Lines<T>>::DataOf;
  Lines<T> work(int) const override {
    return {f.data(), out.data(), spectrum.data(), &plan, this->size("n"), this->size("lines")};
  }

  fft::Shape shape = shape_of(this->problem());
  Buffer<T> f = this->input(shape.numbers(),
                            [this](std::uint64_t at) { return element<T>(this->seed(), at); });
  Output<T> out{*this, "out", {this->extent("lines"), this->extent("n")}};
  Workspace<fft::Complex<T>> spectrum{*this, static_cast<std::size_t>(shape.spectrum())};
  fft::Plan<T> plan = fft::plan_if_present<T>(shape, this->stream());
};

}  // namespace

Algorithm algorithm() {
  return {
      .name = "fft_derivative",
      .summary = "d/dx of periodic lines by transforms, and the glue around them",
      .size_keys = size_keys,
      .validate =
          [](const Problem& p) {
            demand(shape_of(p).numbers() <= most_numbers,
                   fmt::format("{} are {} numbers; {} are the most", p.size.text(),
                               shape_of(p).numbers(), most_numbers));
          },
      // Numbers, answer, spectrum, cuFFT's memory of up to two spectra, two copies of the answer.
      .footprint = [](const Problem& p) { return 7.1 * bytes_of(p) + 65536; },
      .cost = [](const Problem& p) -> Cost {
        return {{2 * bytes_of(p), "copy"}};
      },
      .measured = {.device = "512,2^18 64,4096",
                   .device_full = "512,2^18 64,2^12|2^21 4096,2^15 2^20,128 500|343|509,2^18",
                   .host = "512,2^15 64,4096",
                   .host_full = "512,2^15 64,2^12|2^18 4096,2^12 2^20,16 500|343|509,2^15"},
      .checked = "2|3|64|105|128|243|256|500|509|1024,1|33|38 2048,1|2|5",
      .drawn = {{2, 300, {2, 3, 4, 5, 7, 31, 32, 62, 63, 64, 65, 125, 210, 256}},
                {1, 70, {1, 7, 8, 9, 31, 32, 33, 65}}},
      .make = make_instance<Data, float, double>,
      .compare = compare,
      .agreement = "within a few roundings, as many as log2 n, of the largest element",
      .judge = judge,
      .other_answers = {"transform", "plan"},
      .in_default_campaign = false,
  };
}

}  // namespace portcost::fft_derivative
