// SPDX-License-Identifier: Apache-2.0
// Systems of equations on the host, on values worked out by hand.
#include "src/matrices/equations.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

namespace portcost::test::test_equations {

namespace {

using Rows = std::vector<double>;

template <class T>
std::vector<double> solved(const std::vector<T>& lu, std::int64_t n) {
  return back_substituted<T>(lu, n);
}

}  // namespace

TEST_CASE("equations: right sides that make all unknowns 1", "[equations]") {
  Rows rows{1, 2, 9, -4, 0.5, 9};
  add_up_right_sides(rows, 2);
  CHECK(rows == Rows{1, 2, 3, -4, 0.5, -3.5});
}

TEST_CASE("equations: the greatest element, of the coefficients alone", "[equations]") {
  CHECK(greatest_coefficient(Rows{1, -7, 9, 4, 5, 90}, 2) == 7);
  CHECK(greatest_left<double>(Rows{1, -7, 9, 80, 5, 90}, 2) == 7);
  CHECK(greatest_left<float>(std::vector<float>{-8, 7, 9, 80, 5, 90}, 2) == 8);
  const double nan = std::nan("");
  CHECK(std::isnan(greatest_left<double>(Rows{nan, 7, 0, 0, 5, 0}, 2)));
  CHECK(std::isnan(greatest_left<double>(Rows{7, nan, 0, 0, 5, 0}, 2)));
  CHECK(greatest_left<double>(Rows{7, 1, nan, nan, 5, nan}, 2) == 7);
}

TEST_CASE("equations: back substitution", "[equations]") {
  // 2 x + y - z = 1, -y + 4 z = 10, 9 z = 27; what is below the diagonal means nothing.
  const double nan = std::nan("");
  CHECK(solved<double>({2, 1, -1, 1, nan, -1, 4, 10, nan, nan, 9, 27}, 3) == Rows{1, 2, 3});
  CHECK(solved<float>({2, 1, -1, 1, 0, -1, 4, 10, 0, 0, 9, 27}, 3) == Rows{1, 2, 3});
  CHECK(solved<double>({4, 2}, 1) == Rows{0.5});
}

TEST_CASE("equations: back substitution of f32 is in f64", "[equations]") {
  CHECK(solved<float>({3, 1}, 1) == Rows{1.0 / 3});
  // 1/3 is no f32, and neither is 1 - 1/3, the first unknown where the second is 1/3.
  CHECK(solved<float>({1, 1, 1, 0, 1, 1}, 2) == Rows{0, 1});
  CHECK(solved<float>({1, 1, 1, 0, 3, 1}, 2) == Rows{1 - 1.0 / 3, 1.0 / 3});
}

TEST_CASE("equations: the backward error", "[equations]") {
  // A x = (3, -1) for x = (1, 1), and b = (4, -1): off by 1; ||A|| = 4, ||x|| = 1, ||b|| = 4.
  const Rows rows{1, 2, 4, -2.5, 1.5, -1};
  CHECK(backward_error<double>(rows, 2, Rows{1, 1}) == 1.0 / 8);
  CHECK(backward_error<long double>(rows, 2, Rows{1, 1}) == 1.0 / 8);
  CHECK(backward_error<double>(rows, 2, Rows{0, 0}) == 1);
  CHECK(backward_error<double>(Rows{3, 0}, 1, Rows{0}) == 0);
}

TEST_CASE("equations: the backward error of f64 is added up in more digits", "[equations]") {
  if (std::numeric_limits<long double>::digits <= 53) SKIP("long double is f64 here");
  // -1 - 2^-60 + 1, which f64 makes 0.
  const Rows rows{1, 0x1p-60, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK(backward_error<double>(rows, 3, Rows{1, 1, 1}) == 0);
  CHECK(backward_error<long double>(rows, 3, Rows{1, 1, 1}) == 0x1p-61);
}

}  // namespace portcost::test::test_equations
