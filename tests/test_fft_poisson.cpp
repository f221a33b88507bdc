// SPDX-License-Identifier: Apache-2.0
// fft_poisson: the rule, waves through every variant, both operators, refused sizes, wrong answers.
#include <catch2/catch_approx.hpp>

#include "tests/matrix_checks.hpp"
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::test::test_fft_poisson {

using namespace fft_poisson;
using Catch::Approx;

const Algorithm& row() { return algorithm_called("fft_poisson"); }

Problem problem_of(Numbers n, const std::string& laplace, ElementType type) {
  return test::problem_of(row(), fmt::format("nx={},ny={},nz={}", n[0], n[1], n[2]),
                          "operator=" + laplace, type);
}

TEST_CASE("fft_poisson rule: eigenvalues of both operators, and the mean", "[fft_poisson]") {
  const double turn = 2 * std::numbers::pi;
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
      const double value = element<double>(5, i, count);
      sum += value;
      most = std::max(most, std::abs(value));
    }
    CHECK(std::abs(sum) < 1e-12);
    CHECK(most > 0);
  }
}

// u is a wave of (a, -b, c) and one of (1, 0, 0); f follows for either operator.
template <class T>
void check_waves(Numbers n, Operator laplace) {
  Stream& stream = shared_stream(Place::host);
  const fft::Shape shape{n[0], n[1], n[2]};
  const fft::Plan<T> plan(shape, stream);
  const double turn = 2 * std::numbers::pi;
  const std::int64_t a = n[0] / 2 - 1, b = n[1] / 3, c = n[2] / 4;
  // The eigenvalues by what the operators do to a wave.
  const auto of = [&](std::int64_t k, std::int64_t size) {
    const double wave = turn * static_cast<double>(k), h = 1 / static_cast<double>(size);
    return laplace == Operator::spectral ? wave * wave : (2 - 2 * std::cos(wave * h)) / (h * h);
  };
  const double first = of(a, n[0]) + of(b, n[1]) + of(c, n[2]), second = of(1, n[0]);
  const auto waves = [&](std::uint64_t at, double one, double other) {
    const auto i = static_cast<std::int64_t>(at), x = i % n[0], y = i / n[0] % n[1];
    const std::int64_t z = i / n[0] / n[1];
    const auto part = [](std::int64_t k, std::int64_t of_n) {
      return static_cast<double>(k % of_n) / static_cast<double>(of_n);
    };
    return one * std::cos(turn * (part(a * x, n[0]) - part(b * y, n[1]) + part(c * z, n[2])) + 1) +
           other * std::sin(turn * part(x, n[0]));
  };
  const auto f = filled(static_cast<std::size_t>(shape.numbers()), stream,
                        [&](std::uint64_t i) { return static_cast<T>(waves(i, 1, 1)); });
  std::vector<T> eigenvalues;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t size = n[static_cast<std::size_t>(axis)];
    for (std::int64_t j = 0; j < (axis == 0 ? size / 2 + 1 : size); ++j) {
      eigenvalues.push_back(static_cast<T>(of(2 * j <= size ? j : size - j, size)));
    }
  }
  Buffer<T> out(f.size(), Place::host);
  Buffer<fft::Complex<T>> spectrum(static_cast<std::size_t>(shape.spectrum()), Place::host);
  const double allowed = 8 * std::numeric_limits<T>::epsilon() *
                         (1 + std::log2(static_cast<double>(shape.numbers()))) / second;
  const Grid<T> grid{f.data(),
                     out.data(),
                     spectrum.data(),
                     &plan,
                     eigenvalues.data(),
                     static_cast<int>(n[0]),
                     static_cast<int>(n[1]),
                     static_cast<int>(n[2]),
                     laplace};
  for (const Variant& variant : row().variants) {
    const auto launch = launch_of<Grid<T>>(variant);
    if (variant.place != Place::host || !launch || !row().shares_answer(variant.step)) continue;
    CAPTURE(variant_name(row(), variant), n);
    out.poison(stream);
    launch(grid, stream);
    double worst = 0;
    for (std::uint64_t i = 0; i < f.size(); ++i) {
      const double error =
          std::abs(static_cast<double>(out.span()[i]) - waves(i, 1 / first, 1 / second));
      if (!(error <= worst)) worst = error;
    }
    CHECK(worst <= allowed);
  }
}

TEST_CASE("fft_poisson: waves with a known answer, by both operators", "[fft_poisson][kokkos]") {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
  for (const Numbers& n : {Numbers{32, 30, 1}, {15, 14, 12}, {36, 21, 9}}) {
    for (const Operator laplace : {Operator::spectral, Operator::stencil}) {
      check_waves<float>(n, laplace);
      check_waves<double>(n, laplace);
    }
  }
}

TEST_CASE("fft_poisson: differences of second order agree, too", "[fft_poisson][kokkos]") {
  for (const ElementType type : real_types) {
    for (const Numbers& n : {Numbers{33, 20, 7}, {2, 2, 1}, {3, 2, 2}, {40, 35, 1}}) {
      agree(row(), Place::host, problem_of(n, "stencil", type));
      if (device_present()) agree(row(), Place::device, problem_of(n, "stencil", type));
    }
  }
}

TEST_CASE("fft_poisson: sizes that are refused, cost and memory", "[fft_poisson]") {
  CHECK(mentions(refusal(row(), "nx=1"), "1"));
  CHECK(mentions(refusal(row(), "nz=0"), "0"));
  CHECK(mentions(refusal(row(), "nx=2^17,ny=2^17,nz=2"), "are the most"));
  CHECK(mentions(refusal(row(), "nx=2,ny=2^17,nz=2^14"), "are the most"));
  CHECK(mentions(message_of<UsageError>([] {
                   problem_of({2, 2, 1}, "x", ElementType::f32);
                 }),
                 "spectral"));
  const auto cost = [](Numbers n) {
    return row().cost(problem_of(n, "spectral", ElementType::f64)).at(0).amount;
  };
  CHECK((cost({10, 20, 30}) == 12 * 6000 * 8 && cost({10, 20, 1}) == 8 * 200 * 8));
  CHECK(row().footprint(problem_of({10, 20, 30}, "spectral", ElementType::f32)) > 6 * 6000 * 4);
}

TEST_CASE("fft_poisson truth: wrong nodes, a wrong mean and the other operator are found",
          "[fft_poisson]") {
  for (const char* laplace : {"spectral", "stencil"}) {
    for (const Numbers& n : {Numbers{8, 9, 6}, {9, 8, 1}}) {
      const Problem p = problem_of(n, laplace, ElementType::f64);
      const Reference reference(row(), p);
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
      const Reference other(row(),
                            problem_of(n, laplace[1] == 'p' ? "stencil" : "spectral", p.type));
      CHECK(mentions(reference.fault(other.answer()), "-laplace u"));
      const Reference transforms(row(), p, "transform");
      CHECK(transforms.fault(transforms.answer()) == "");
      CHECK(mentions(transforms.fault(reference.answer()), "where"));
    }
  }
}

}  // namespace portcost::test::test_fft_poisson
