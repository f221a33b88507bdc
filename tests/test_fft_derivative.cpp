// SPDX-License-Identifier: Apache-2.0
// fft_derivative: the rule, waves through every variant, sizes that are refused, wrong answers.
#include <omp.h>

#include "tests/matrix_checks.hpp"
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::test::test_fft_derivative {

using namespace fft_derivative;

const Algorithm& row() { return algorithm_called("fft_derivative"); }

Problem problem_of(std::int64_t n, std::int64_t lines, ElementType type) {
  return test::problem_of(row(), fmt::format("n={},lines={}", n, lines), "", type);
}

TEST_CASE("fft_derivative rule: wave numbers, the middle mode, a turn by i", "[fft_derivative]") {
  CHECK((fft::wave_number(3, 8) == 3 && fft::wave_number(4, 8) == 4));
  CHECK((fft::wave_number(5, 8) == -3 && fft::wave_number(7, 8) == -1));
  CHECK((fft::wave_number(3, 7) == 3 && fft::wave_number(4, 7) == -3));
  CHECK((slope(0, 8) == 0 && slope(3, 8) == 3 && slope(4, 8) == 0));
  CHECK((slope(3, 7) == 3 && slope(1, 2) == 0 && slope(1, 3) == 1));
  const fft::Complex<double> z = derived(fft::Complex<double>{2, 3}, 5.0);
  CHECK((z.re == -15 && z.im == 10));
}

TEST_CASE("fft plans: names of shapes, elements of a spectrum", "[fft_derivative]") {
  CHECK(fft::Shape{12}.text() == "12");
  CHECK(fft::Shape{12, 1, 1, 3}.text() == "3 times 12");
  CHECK(fft::Shape{12, 1, 5}.text() == "12 x 1 x 5");
  CHECK((fft::Shape{7, 3, 2}.spectrum() == 24 && fft::Shape{8, 3, 2, 2}.spectrum() == 60));
  CHECK((fft::Shape{8, 3, 2, 2}.factor() == 48 && fft::Shape{8, 3, 2, 2}.numbers() == 96));
}

// Line y has waves of y % 5 + 1 and of the greatest wave number below n / 2; their derivative is
// known, and transforms are exact to rounding.
template <class T>
void check_waves(int n, int lines) {
  Stream& stream = shared_stream(Place::host);
  const fft::Shape shape{n, 1, 1, lines};
  const fft::Plan<T> plan(shape, stream);
  const double turn = 2 * std::numbers::pi;
  const auto at = [&](std::uint64_t i, bool derivative) {
    const int most = (n - 1) / 2, low = std::min(most, static_cast<int>(i) / n % 5 + 1);
    double sum = 0;
    for (const int k : {low, most}) {
      const double angle = turn * (static_cast<int>(i) % n * k % n) / n + 1;
      sum += derivative ? turn * k * std::cos(angle) : std::sin(angle);
    }
    return sum;
  };
  const auto f = filled(static_cast<std::size_t>(shape.numbers()), stream,
                        [&](std::uint64_t i) { return static_cast<T>(at(i, false)); });
  Buffer<T> out(f.size(), Place::host);
  Buffer<fft::Complex<T>> spectrum(static_cast<std::size_t>(shape.spectrum()), Place::host);
  // The bound of rounding: it grows like log n and like the greatest derivative.
  const double allowed = 8 * std::numeric_limits<T>::epsilon() * (1 + std::log2(n)) * turn * n;
  for (const Variant& variant : row().variants) {
    const auto launch = launch_of<Lines<T>>(variant);
    if (variant.place != Place::host || !launch || variant.model == Model::reference ||
        !row().shares_answer(variant.step)) {
      continue;
    }
    CAPTURE(variant_name(row(), variant), n, lines);
    out.poison(stream);
    launch({f.data(), out.data(), spectrum.data(), &plan, n, lines}, stream);
    double worst = 0;
    for (std::uint64_t i = 0; i < f.size(); ++i) {
      const double error = std::abs(static_cast<double>(out.span()[i]) - at(i, true));
      if (!(error <= worst)) worst = error;
    }
    CHECK(worst <= allowed);
  }
}

TEST_CASE("fft plans: the input stays for any share of lines a thread", "[fft_derivative]") {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
  constexpr fft::Shape shape{256, 1, 1, 9};  // of four threads, one has none
  const int before = omp_get_max_threads();
  omp_set_num_threads(4);
  const fft::Plan<double> plan(shape, shared_stream(Place::host));
  omp_set_num_threads(before);
  Buffer<double> in(static_cast<std::size_t>(shape.numbers()), Place::host);
  Buffer<fft::Complex<double>> modes(static_cast<std::size_t>(shape.spectrum()), Place::host);
  for (std::size_t i = 0; i < in.size(); ++i) in.data()[i] = std::sin(static_cast<double>(i));
  plan.forward(in.data(), modes.data());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    changed += in.data()[i] != std::sin(static_cast<double>(i));
  }
  CHECK(changed == 0);
}

TEST_CASE("fft_derivative: waves below the middle mode, to rounding", "[fft_derivative][kokkos]") {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
  for (const int n : {3, 16, 35, 64, 105, 243, 509, 1024, 1331}) {
    check_waves<float>(n, 11);
    check_waves<double>(n, 11);
  }
}

TEST_CASE("fft_derivative: sizes that are refused, cost and memory", "[fft_derivative]") {
  CHECK(mentions(refusal(row(), "n=1"), "1"));
  CHECK(mentions(refusal(row(), "n=0"), "0"));
  CHECK(mentions(refusal(row(), "lines=0"), "0"));
  CHECK(mentions(refusal(row(), "n=2^24,lines=2^11"), "the most"));
  CHECK(refusal(row(), "n=2^24,lines=2^10") == "(nothing thrown)");
  CHECK(row().cost(problem_of(100, 30, ElementType::f64)).at(0).amount == 4 * 3000 * 8);
  CHECK(row().footprint(problem_of(100, 30, ElementType::f32)) > 6 * 3000 * 4);
}

TEST_CASE("fft_derivative truth: a wrong element is found, of the transforms, too",
          "[fft_derivative]") {
  for (const int n : {8, 9}) {
    for (const char* step : {"", "transform"}) {
      const Reference reference(row(), problem_of(n, 5, ElementType::f64), step);
      CHECK(reference.fault(reference.answer()) == "");
      const Answer wrong = reference.answer_with<double>("out", 17, 40.0);
      CHECK(mentions(reference.fault(wrong), "] is 40, where"));
      CHECK(mentions(reference.compared(wrong, reference.answer()), "1 of"));
      const Answer unknown = reference.answer_with<double>("out", 17, std::nan(""));
      CHECK(mentions(reference.compared(unknown, reference.answer()), "nan"));
    }
  }
}

}  // namespace portcost::test::test_fft_derivative
