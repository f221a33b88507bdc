// SPDX-License-Identifier: Apache-2.0
// fft_convolution: the rule, shifts and waves through every variant, refused sizes, wrong answers.
#include "tests/matrix_checks.hpp"
#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::test::test_fft_convolution {

using namespace fft_convolution;

const Algorithm& row() { return algorithm_called("fft_convolution"); }

Problem problem_of(std::int64_t nx, std::int64_t ny, ElementType type) {
  return test::problem_of(row(), fmt::format("nx={},ny={}", nx, ny), "", type);
}

TEST_CASE("fft_convolution rule: a product of complex numbers", "[fft_convolution]") {
  const fft::Complex<double> z = product(fft::Complex<double>{2, 3}, fft::Complex<double>{5, -7});
  CHECK((z.re == 31 && z.im == 1));
}

// A kernel with 2 in (0, 0) and -1 in (dx, dy) gives twice the image less the image moved there.
template <class T>
void check_shift(int nx, int ny, int dx, int dy) {
  Stream& stream = shared_stream(Place::host);
  const fft::Shape shape{nx, ny};
  const fft::Plan<T> plan(shape, stream);
  const auto count = static_cast<std::size_t>(shape.numbers());
  const auto width = static_cast<std::uint64_t>(nx), height = static_cast<std::uint64_t>(ny);
  const auto image = filled(count, stream, [](std::uint64_t i) { return image_element<T>(3, i); });
  const auto moved_to = static_cast<std::uint64_t>(dy * nx + dx);
  const auto kernel = filled(count, stream, [&](std::uint64_t i) {
    return T(i == 0 ? 2 : i == moved_to ? -1 : 0);
  });
  Buffer<T> out(count, Place::host);
  Buffer<fft::Complex<T>> spectrum(static_cast<std::size_t>(shape.spectrum()), Place::host),
      of_kernel(spectrum.size(), Place::host);
  plan.forward(kernel.data(), of_kernel.data());
  const Image<T> s{
      image.data(), out.data(), spectrum.data(), &plan, kernel.data(), of_kernel.data(), nx, ny};
  const double allowed = 8 * std::numeric_limits<T>::epsilon() * (1 + std::log2(count));
  for (const Variant& variant : row().variants) {
    const auto launch = launch_of<Image<T>>(variant);
    if (variant.place != Place::host || !launch || !row().shares_answer(variant.step)) continue;
    CAPTURE(variant_name(row(), variant), nx, ny);
    out.poison(stream);
    launch(s, stream);
    double worst = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t x = (i % width + width - static_cast<std::uint64_t>(dx)) % width;
      const std::uint64_t y = (i / width + height - static_cast<std::uint64_t>(dy)) % height;
      const double right = 2.0 * image.span()[i] - image.span()[y * width + x];
      const double error = std::abs(out.span()[i] - right);
      if (!(error <= worst)) worst = error;
    }
    CHECK(worst <= allowed);
  }
}

TEST_CASE("fft_convolution: a kernel of two points moves the image", "[fft_convolution][kokkos]") {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
  for (const auto& [nx, ny] : {std::pair(64, 32), {35, 27}, {50, 21}, {31, 128}}) {
    check_shift<float>(nx, ny, 3, ny - 5);
    check_shift<double>(nx, ny, nx - 2, 1);
  }
}

TEST_CASE("fft_convolution: sizes that are refused, cost and memory", "[fft_convolution]") {
  CHECK(mentions(refusal(row(), "nx=1"), "1"));
  CHECK(mentions(refusal(row(), "ny=0"), "0"));
  CHECK(mentions(refusal(row(), "nx=65537"), "65537"));
  CHECK(row().cost(problem_of(10, 20, ElementType::f64)).at(0).amount == 9 * 200 * 8);
  CHECK(row().footprint(problem_of(10, 20, ElementType::f32)) > 8 * 200 * 4);
}

TEST_CASE("fft_convolution truth: a wrong element is found, of the transforms, too",
          "[fft_convolution]") {
  for (const char* step : {"", "transform"}) {
    const Reference reference(row(), problem_of(9, 8, ElementType::f64), step);
    CHECK(reference.fault(reference.answer()) == "");
    const Answer wrong = reference.answer_with<double>("out", 17, 90.0);
    CHECK(mentions(reference.fault(wrong), "out[1][8] is 90, where"));
    CHECK(mentions(reference.compared(wrong, reference.answer()), "1 of 72"));
  }
}

}  // namespace portcost::test::test_fft_convolution
