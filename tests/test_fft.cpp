// SPDX-License-Identifier: Apache-2.0
// fft_derivative, fft_convolution and fft_poisson: rules by hand, costs; plans of transforms.
#include <omp.h>

#include "tests/matrix_checks.hpp"
#include "variants/fft_convolution/problem.hpp"
#include "variants/fft_derivative/problem.hpp"
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::test::test_fft {

constexpr double turn = 2 * std::numbers::pi;

TEST_CASE("fft plans: names of shapes, elements of a spectrum", "[fft_derivative]") {
  CHECK(fft::Shape{12}.text() == "12");
  CHECK(fft::Shape{12, 1, 1, 3}.text() == "3 times 12");
  CHECK(fft::Shape{12, 1, 5}.text() == "12 x 1 x 5");
  CHECK((fft::Shape{7, 3, 2}.spectrum() == 24 && fft::Shape{8, 3, 2, 2}.spectrum() == 60));
  CHECK((fft::Shape{8, 3, 2, 2}.factor() == 48 && fft::Shape{8, 3, 2, 2}.numbers() == 96));
}

TEST_CASE("fft plans: the input stays for any share of lines a thread", "[fft_derivative]") {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
  const auto given = [](std::uint64_t i) { return std::sin(static_cast<double>(i)); };
  const fft::Shape shape{256, 1, 1, 9};  // of four threads, one has none
  Stream& stream = shared_stream(Place::host);
  const int before = omp_get_max_threads();
  omp_set_num_threads(4);
  const fft::Plan<double> plan(shape, stream);
  omp_set_num_threads(before);
  const auto in = filled(static_cast<std::size_t>(shape.numbers()), stream, given);
  const Buffer<fft::Complex<double>> modes(static_cast<std::size_t>(shape.spectrum()), Place::host);
  plan.forward(in.data(), modes.data());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < in.size(); ++i) changed += in.data()[i] != given(i);
  CHECK(changed == 0);
}

TEST_CASE("fft_derivative rule: wave numbers, the middle mode, a turn by i", "[fft_derivative]") {
  using namespace fft_derivative;
  CHECK((fft::wave_number(3, 8) == 3 && fft::wave_number(4, 8) == 4));
  CHECK((fft::wave_number(5, 8) == -3 && fft::wave_number(7, 8) == -1));
  CHECK((fft::wave_number(3, 7) == 3 && fft::wave_number(4, 7) == -3));
  CHECK((slope(0, 8) == 0 && slope(3, 8) == 3 && slope(4, 8) == 0));
  CHECK((slope(3, 7) == 3 && slope(1, 2) == 0 && slope(1, 3) == 1));
  const fft::Complex<double> z = derived(fft::Complex<double>{2, 3}, 5.0);
  CHECK((z.re == -15 && z.im == 10));
}

TEST_CASE("fft_convolution rule: a product of modes", "[fft_convolution]") {
  const auto z = fft_convolution::product(fft::Complex<double>{2, 3}, fft::Complex<double>{5, -7});
  CHECK((z.re == 31 && z.im == 1));
}

TEST_CASE("fft_poisson rule: eigenvalues of both operators, and the mean", "[fft_poisson]") {
  using namespace fft_poisson;
  CHECK(eigenvalue(Operator::spectral, 3, 8) == Approx(9 * turn * turn));
  CHECK(eigenvalue(Operator::spectral, 7, 8) == Approx(turn * turn));
  CHECK(eigenvalue(Operator::spectral, 4, 8) == Approx(16 * turn * turn));
  // 2 - 2 cos(2 pi k / n) over h^2.
  CHECK(eigenvalue(Operator::stencil, 2, 8) == Approx(2 * 64));
  CHECK(eigenvalue(Operator::stencil, 6, 8) == Approx(2 * 64));
  CHECK(eigenvalue(Operator::stencil, 4, 8) == Approx(4 * 64));
  CHECK(eigenvalue(Operator::stencil, 0, 1) == 0);
  const fft::Complex<double> z = solved(fft::Complex<double>{2, -3}, 4.0, 0.5);
  CHECK((z.re == 0.25 && z.im == -0.375));
  const fft::Complex<double> mean = solved(fft::Complex<double>{2, 3}, 0.0, 1.0);
  CHECK((mean.re == 0 && mean.im == 0));
}

TEST_CASE("fft_poisson input: the numbers add up to 0", "[fft_poisson]") {
  for (const std::uint64_t count : {2, 7, 12, 343}) {
    double sum = 0, most = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double value = fft_poisson::element<double>(5, i, count);
      sum += value;
      most = std::max(most, std::abs(value));
    }
    CHECK(std::abs(sum) < 1e-12);
    CHECK(most > 0);
  }
}

TEST_CASE("fft_poisson truth: wrong nodes, a wrong mean and the other operator are found",
          "[fft_poisson]") {
  const Algorithm& row = algorithm_called("fft_poisson");
  for (const std::string laplace : {"spectral", "stencil"}) {
    for (const char* size : {"nx=8,ny=9,nz=6", "nx=9,ny=8,nz=1"}) {
      const auto with = [&](const std::string& other) {
        return problem_of(row, size, "operator=" + other, ElementType::f64);
      };
      const Reference reference(row, with(laplace));
      CHECK(reference.fault(reference.answer()) == "");
      const std::vector<double> right = reference.elements_of<double>("u");
      const Answer apart =
          with_element(reference.answer_with("u", 17, right[17] + 0.5), "u", 18, right[18] - 0.5);
      CHECK(mentions(reference.fault(apart), "-laplace u"));
      Answer moved = reference.answer();
      for (std::size_t i = 0; i < right.size(); ++i) {
        moved = with_element(std::move(moved), "u", i, right[i] + 0.5);
      }
      CHECK(mentions(reference.fault(moved), "the mean of u is 0.5"));
      const Reference other(row, with(laplace == "spectral" ? "stencil" : "spectral"));
      CHECK(mentions(reference.fault(other.answer()), "-laplace u"));
      const Reference transforms(row, with(laplace), "transform");
      CHECK(transforms.fault(transforms.answer()) == "");
      CHECK(mentions(transforms.fault(reference.answer()), "where"));
    }
  }
}

TEST_CASE("fft: elements that are too far apart are counted, and the first is named",
          "[fft_derivative][fft_convolution]") {
  const Reference right(
      algorithm_called("fft_convolution"),
      problem_of(algorithm_called("fft_convolution"), "nx=9,ny=8", "", ElementType::f64));
  for (const auto& [wrong, said] : {std::pair(90.0, "first out[1][8]: 90 against"),
                                    {std::nan(""), "first out[1][8]: nan against"}}) {
    const std::string text = right.compared(right.answer_with("out", 17, wrong), right.answer());
    CHECK(text.starts_with("1 of 72 elements "));
    CHECK(mentions(text, said));
  }
}

TEST_CASE("fft cost: arrays that glue reads and writes",
          "[fft_derivative][fft_convolution][fft_poisson]") {
  struct Costs {
    const char *algorithm, *size;
    double numbers, moved, held;
  };
  for (const auto& [algorithm, size, numbers, moved, held] :
       {Costs{"fft_derivative", "n=100,lines=30", 3000, 4, 6},
        {"fft_convolution", "nx=10,ny=20", 200, 9, 8},
        {"fft_poisson", "nx=10,ny=20,nz=30", 6000, 12, 6},
        {"fft_poisson", "nx=10,ny=20,nz=1", 200, 8, 6}}) {
    const Algorithm& row = algorithm_called(algorithm);
    CAPTURE(algorithm, size);
    CHECK(row.cost(problem_of(row, size, "", ElementType::f64)).at(0).amount ==
          moved * numbers * 8);
    CHECK(row.footprint(problem_of(row, size, "", ElementType::f32)) > held * numbers * 4);
  }
}

}  // namespace portcost::test::test_fft
