// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::fft_convolution {

namespace {

constexpr std::array size_keys{
    SizeKey{"nx", 8192, 2, 1 << 16, "columns, which are neighbours in memory"},
    SizeKey{"ny", 8192, 2, 1 << 16, "rows"}};

double bytes_of(const Problem& p) {
  return static_cast<double>(shape_of(p).numbers()) * bytes(p.type);
}

template <class T>
struct Data final : DataOf<Image<T>> {
  Data(const Problem& p, Stream& on) : DataOf<Image<T>>(p, on) {
    if (fft::absent(on.place()).empty()) plan.forward(kernel.data(), kernel_spectrum.data());
  }
  Image<T> work(int) const override {
    return {image.data(),           out.data(),       spectrum.data(), &plan, kernel.data(),
            kernel_spectrum.data(), this->size("nx"), this->size("ny")};
  }

  fft::Shape shape = shape_of(this->problem());
  Buffer<T> image = this->input(
      shape.numbers(), [this](std::uint64_t at) { return image_element<T>(this->seed(), at); });
  Buffer<T> kernel = this->input(
      shape.numbers(), [this](std::uint64_t at) { return kernel_element<T>(this->seed(), at); });
  Output<T> out{*this, "out", {this->extent("ny"), this->extent("nx")}};
  Workspace<fft::Complex<T>> spectrum{*this, static_cast<std::size_t>(shape.spectrum())};
  Buffer<fft::Complex<T>> kernel_spectrum{spectrum.size(), this->stream().place()};
  fft::Plan<T> plan = fft::plan_if_present<T>(shape, this->stream());
};

}  // namespace

Algorithm algorithm() {
  const Draw extent{2, 70, {2, 3, 5, 7, 8, 9, 31, 32, 33, 62, 64}};
  return {
      .name = "fft_convolution",
      .summary = "a periodic convolution in 2D by transforms, and the glue around them",
      .size_keys = size_keys,
      // Image, kernel, answer, two spectra, cuFFT's memory of up to three spectra, two copies of
      // the answer.
      .footprint = [](const Problem& p) { return 10.1 * bytes_of(p) + (1 << 20); },
      // Two passes over memory along x, and one along y, which also reads the kernel's transform.
      .cost = [](const Problem& p) -> Cost {
        return {{(3 * 2 + 1) * bytes_of(p), "copy"}};
      },
      .measured = {.device = "8192,8192 512,512",
                   .device_full = "8192,8192 512|1024|2048|4096|16384,= 5000|6561|7919,=",
                   .host = "2048,2048 512,512",
                   .host_full = "2048,2048 512|1024|4096,= 2000|2187|1999,="},
      .checked = "2|3|35|64,2|9|32|49 5,64|1024",
      .drawn = {extent, extent},
      .make = make_instance<Data, float, double>,
      .compare = compare,
      .agreement = "within a few roundings, as many as log2 of all points, of the largest element",
      .judge = judge,
      .other_answers = {"transform", "plan"},
      .in_default_campaign = false,
  };
}

}  // namespace portcost::fft_convolution
