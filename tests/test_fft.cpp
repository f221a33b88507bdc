// SPDX-License-Identifier: Apache-2.0
// fft_derivative, fft_convolution and fft_poisson: rules by hand, waves and shifts with a known
// answer through every variant, costs; plans of transforms.
#include <omp.h>

#include "tests/matrix_checks.hpp"
#include "variants/fft_convolution/problem.hpp"
#include "variants/fft_derivative/problem.hpp"
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::test::test_fft {

constexpr double turn = 2 * std::numbers::pi;

void need_transforms() {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
}

// The input of transforms of a shape, which is f(i), their plan, and room for modes and answer.
template <class T>
struct Transforms {
  template <class F>
  Transforms(const fft::Shape& of, const F& f)
      : shape(of),
        plan(of, stream),
        in(filled(numbers(), stream, [&](std::uint64_t i) { return static_cast<T>(f(i)); })) {}
  std::size_t numbers() const { return static_cast<std::size_t>(shape.numbers()); }

  // Every variant of a host leaves right(i) in `out`, up to 8 u (1 + log2 `length`) `most`.
  template <class Work, class Right>
  void check(std::string_view algorithm, const Work& work, double length, double most,
             const Right& right) {
    const double allowed = 8 * std::numeric_limits<T>::epsilon() * (1 + std::log2(length)) * most;
    const Algorithm& row = algorithm_called(algorithm);
    for (const Variant& variant : row.variants) {
      const auto launch = launch_of<Work>(variant);
      if (variant.place != Place::host || !launch || !row.shares_answer(variant.step)) continue;
      CAPTURE(variant_name(row, variant), shape.text());
      out.poison(stream);
      launch(work, stream);
      double worst = 0;
      for (std::uint64_t i = 0; i < numbers(); ++i) {
        const double error = std::abs(static_cast<double>(out.span()[i]) - right(i));
        if (!(error <= worst)) worst = error;
      }
      CHECK(worst <= allowed);
    }
  }

  Stream& stream = shared_stream(Place::host);
  fft::Shape shape;
  fft::Plan<T> plan;
  Buffer<T> in, out{numbers(), Place::host};
  Buffer<fft::Complex<T>> modes{static_cast<std::size_t>(shape.spectrum()), Place::host};
};

TEST_CASE("fft plans: names of shapes, elements of a spectrum", "[fft_derivative]") {
  CHECK(fft::Shape{12}.text() == "12");
  CHECK(fft::Shape{12, 1, 1, 3}.text() == "3 times 12");
  CHECK(fft::Shape{12, 1, 5}.text() == "12 x 1 x 5");
  CHECK((fft::Shape{7, 3, 2}.spectrum() == 24 && fft::Shape{8, 3, 2, 2}.spectrum() == 60));
  CHECK((fft::Shape{8, 3, 2, 2}.factor() == 48 && fft::Shape{8, 3, 2, 2}.numbers() == 96));
}

TEST_CASE("fft plans: the input stays for any share of lines a thread", "[fft_derivative]") {
  need_transforms();
  const auto given = [](std::uint64_t i) { return std::sin(static_cast<double>(i)); };
  const int before = omp_get_max_threads();
  omp_set_num_threads(4);
  Transforms<double> of(fft::Shape{256, 1, 1, 9}, given);  // of four threads, one has none
  omp_set_num_threads(before);
  of.plan.forward(of.in.data(), of.modes.data());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < of.in.size(); ++i) changed += of.in.data()[i] != given(i);
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

// Line y has waves of y % 5 + 1 and of the greatest wave number below n / 2; their derivative is
// known, and transforms are exact to rounding, which grows like log n and the greatest derivative.
template <class T>
void check_derivative(int n) {
  constexpr int lines = 11;
  const auto at = [&](std::uint64_t i, bool derivative) {
    const int most = (n - 1) / 2, low = std::min(most, static_cast<int>(i) / n % 5 + 1);
    double sum = 0;
    for (const int k : {low, most}) {
      const double angle = turn * (static_cast<int>(i) % n * k % n) / n + 1;
      sum += derivative ? turn * k * std::cos(angle) : std::sin(angle);
    }
    return sum;
  };
  Transforms<T> of(fft::Shape{n, 1, 1, lines}, [&](std::uint64_t i) { return at(i, false); });
  const fft_derivative::Lines<T> work{of.in.data(), of.out.data(), of.modes.data(), &of.plan, n,
                                      lines};
  of.check("fft_derivative", work, n, turn * n, [&](std::uint64_t i) { return at(i, true); });
}

TEST_CASE("fft_derivative: waves below the middle mode, to rounding", "[fft_derivative][kokkos]") {
  need_transforms();
  const int n = GENERATE(3, 16, 35, 64, 105, 243, 509, 1024, 1331);
  check_derivative<float>(n);
  check_derivative<double>(n);
}

// A kernel with 2 in (0, 0) and -1 in (dx, dy) gives twice the image less the image moved there.
template <class T>
void check_shift(int nx, int ny, int dx, int dy) {
  const auto width = static_cast<std::uint64_t>(nx), height = static_cast<std::uint64_t>(ny);
  const auto moved_to = static_cast<std::uint64_t>(dy * nx + dx);
  Transforms<T> of(fft::Shape{nx, ny},
                   [](std::uint64_t i) { return fft_convolution::image_element<T>(3, i); });
  const auto kernel = filled(of.numbers(), of.stream, [&](std::uint64_t i) {
    return T(i == 0 ? 2 : i == moved_to ? -1 : 0);
  });
  Buffer<fft::Complex<T>> of_kernel(of.modes.size(), Place::host);
  of.plan.forward(kernel.data(), of_kernel.data());
  const fft_convolution::Image<T> work{of.in.data(),
                                       of.out.data(),
                                       of.modes.data(),
                                       &of.plan,
                                       kernel.data(),
                                       of_kernel.data(),
                                       nx,
                                       ny};
  of.check("fft_convolution", work, static_cast<double>(of.numbers()), 1, [&](std::uint64_t i) {
    const std::uint64_t x = (i % width + width - static_cast<std::uint64_t>(dx)) % width;
    const std::uint64_t y = (i / width + height - static_cast<std::uint64_t>(dy)) % height;
    return 2.0 * of.in.span()[i] - of.in.span()[y * width + x];
  });
}

TEST_CASE("fft_convolution: a kernel of two points moves the image", "[fft_convolution][kokkos]") {
  need_transforms();
  const auto z = fft::product(fft::Complex<double>{2, 3}, fft::Complex<double>{5, -7});
  CHECK((z.re == 31 && z.im == 1));
  for (const auto& [nx, ny] : {std::pair(64, 32), {35, 27}, {50, 21}, {31, 128}}) {
    check_shift<float>(nx, ny, 3, ny - 5);
    check_shift<double>(nx, ny, nx - 2, 1);
  }
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

// u is a wave of (a, -b, c) and one of (1, 0, 0); f follows for either operator.
template <class T>
void check_waves(Numbers n, fft_poisson::Operator laplace) {
  const std::int64_t a = n[0] / 2 - 1, b = n[1] / 3, c = n[2] / 4;
  // The eigenvalues by what the operators do to a wave.
  const auto of = [&](std::int64_t k, std::int64_t size) {
    const double wave = turn * static_cast<double>(k), h = 1 / static_cast<double>(size);
    return laplace == fft_poisson::Operator::spectral ? wave * wave
                                                      : (2 - 2 * std::cos(wave * h)) / (h * h);
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
  Transforms<T> of_shape(fft::Shape{n[0], n[1], n[2]},
                         [&](std::uint64_t i) { return waves(i, 1, 1); });
  std::vector<T> eigenvalues;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t size = n[static_cast<std::size_t>(axis)];
    for (std::int64_t j = 0; j < (axis == 0 ? size / 2 + 1 : size); ++j) {
      eigenvalues.push_back(static_cast<T>(of(2 * j <= size ? j : size - j, size)));
    }
  }
  const fft_poisson::Grid<T> work{
      of_shape.in.data(),     of_shape.out.data(),    of_shape.modes.data(),
      &of_shape.plan,         eigenvalues.data(),     static_cast<int>(n[0]),
      static_cast<int>(n[1]), static_cast<int>(n[2]), laplace};
  of_shape.check("fft_poisson", work, static_cast<double>(of_shape.numbers()), 1 / second,
                 [&](std::uint64_t i) { return waves(i, 1 / first, 1 / second); });
}

TEST_CASE("fft_poisson: waves with a known answer, by both operators", "[fft_poisson][kokkos]") {
  need_transforms();
  using fft_poisson::Operator;
  const Numbers n = GENERATE(Numbers{32, 30, 1}, Numbers{15, 14, 12}, Numbers{36, 21, 9});
  const Operator laplace = GENERATE(Operator::spectral, Operator::stencil);
  check_waves<float>(n, laplace);
  check_waves<double>(n, laplace);
}

TEST_CASE("fft_poisson truth: wrong nodes, a wrong mean and the other operator are found",
          "[fft_poisson]") {
  const Algorithm& row = algorithm_called("fft_poisson");
  const std::string laplace = GENERATE("spectral", "stencil");
  const std::string size = GENERATE("nx=8,ny=9,nz=6", "nx=9,ny=8,nz=1");
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
       {Costs{"fft_derivative", "n=100,lines=30", 3000, 2, 6},
        {"fft_convolution", "nx=10,ny=20", 200, 7, 8},
        {"fft_poisson", "nx=10,ny=20,nz=30", 6000, 10, 6},
        {"fft_poisson", "nx=10,ny=20,nz=1", 200, 6, 6}}) {
    const Algorithm& row = algorithm_called(algorithm);
    CAPTURE(algorithm, size);
    CHECK(row.cost(problem_of(row, size, "", ElementType::f64)).at(0).amount ==
          moved * numbers * 8);
    CHECK(row.footprint(problem_of(row, size, "", ElementType::f32)) > held * numbers * 4);
  }
}

}  // namespace portcost::test::test_fft
