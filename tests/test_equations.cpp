// SPDX-License-Identifier: Apache-2.0
// Systems of equations on the host, on values worked out by hand.
#include "src/files/equations.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_equations {

using Rows = std::vector<double>;
using Floats = std::vector<float>;

TEST_CASE("equations: right sides, the residual, and what it is a part of", "[equations]") {
  Rows given{1, 2, 9, -4, 0.5, 9};
  add_up_right_sides(given, 2);
  CHECK(given == Rows{1, 2, 3, -4, 0.5, -3.5});
  // A x = (3, -1) for x = (1, 1), and b = (4, -1); ||A|| = 4, ||x|| = 1, ||b|| = 4.
  const Rows rows{1, 2, 4, -2.5, 1.5, -1};
  CHECK(residual_of<float>(rows, 2, Rows{1, 1}) == Rows{1, 0});
  CHECK(residual_of<double>(rows, 2, Rows{1, 1}) == std::vector<long double>{1, 0});
  CHECK(backward_scale(rows, 2, Rows{1, 1}) == 8);
  CHECK(backward_scale(rows, 2, Rows{1, -2}) == 12);
  CHECK(backward_scale(rows, 2, Rows{0, 0}) == 4);
}

TEST_CASE("equations: the greatest of coefficients, and of some numbers", "[equations]") {
  CHECK(greatest_coefficient(Rows{1, -7, 9, 4, 5, 90}, 2) == 7);
  CHECK(greatest_left<double>(Rows{1, -7, 9, 80, 5, 90}, 2) == 7);
  CHECK(greatest_left<float>(Floats{-8, 7, 9, 80, 5, 90}, 2) == 8);
  const double nan = std::nan("");
  CHECK(std::isnan(greatest_left<double>(Rows{nan, 7, 0, 0, 5, 0}, 2)));
  CHECK(std::isnan(greatest_left<double>(Rows{7, nan, 0, 0, 5, 0}, 2)));
  CHECK(greatest_left<double>(Rows{7, 1, nan, nan, 5, nan}, 2) == 7);
  CHECK(greatest(Rows{1, -7, 3}) == 7);
  CHECK(greatest(Rows{}) == 0);
  CHECK(std::isnan(greatest(Rows{1, std::nan(""), 3})));
}

TEST_CASE("equations: back substitution, that of f32 in f64", "[equations]") {
  // 2 x + y - z = 1, -y + 4 z = 10, 9 z = 27; what is below the diagonal means nothing.
  const double nan = std::nan("");
  CHECK(back_substituted<double>(Rows{2, 1, -1, 1, nan, -1, 4, 10, nan, nan, 9, 27}, 3) ==
        Rows{1, 2, 3});
  CHECK(back_substituted<float>(Floats{2, 1, -1, 1, 0, -1, 4, 10, 0, 0, 9, 27}, 3) ==
        Rows{1, 2, 3});
  CHECK(back_substituted<double>(Rows{4, 2}, 1) == Rows{0.5});
  CHECK(back_substituted<float>(Floats{3, 1}, 1) == Rows{1.0 / 3});
  // 1/3 is no f32, and neither is 1 - 1/3, the first unknown where the second is 1/3.
  CHECK(back_substituted<float>(Floats{1, 1, 1, 0, 1, 1}, 2) == Rows{0, 1});
  CHECK(back_substituted<float>(Floats{1, 1, 1, 0, 3, 1}, 2) == Rows{1 - 1.0 / 3, 1.0 / 3});
}

TEST_CASE("equations: the residual of f64 is added up in more digits", "[equations]") {
  if (std::numeric_limits<long double>::digits <= 53) SKIP("long double is f64 here");
  // -1 - 2^-60 + 1, which f64 makes 0.
  const Rows rows{1, 0x1p-60, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK(residual_of<float>(rows, 3, Rows{1, 1, 1}) == Rows{0, 0, 0});
  CHECK(residual_of<double>(rows, 3, Rows{1, 1, 1}) == std::vector<long double>{-0x1p-60, 0, 0});
  // The product is more than an f64 holds.
  CHECK(backward_scale(Rows{0x1p1000, 0}, 1, Rows{0x1p1000}) == 0x1p2000L);
}

TEST_CASE("equations: what a residual may be is theorem 9.4's", "[equations]") {
  // L = (1 0; -2 1), U = (2 -1; 0 3), and |L||U||x| = (4, 14) for x = (1, -2).
  const Rows lu{2, -1, 3, -2, 3, 11};
  const auto check = [&](const auto& allowed, double gamma) {
    const double most = gamma * (1 + 0x1p-7);
    CHECK(allowed[0] >= gamma * 4);
    CHECK(allowed[0] <= most * 4);
    CHECK(allowed[1] >= gamma * 14);
    CHECK(allowed[1] <= most * 14);
  };
  const Rows rows{2, -1, 3, -4, 5, 5};
  const Floats single(lu.begin(), lu.end());
  check(residual_allowed<double>(rows, lu, 2, Rows{1, -2}), 10 * 0x1p-53);
  check(residual_allowed<float>(rows, single, 2, Rows{1, -2}), 10 * 0x1p-24);
  const Rows lost{2, -1, 3, std::nan(""), 3, 11};
  CHECK(std::isnan(residual_allowed<double>(rows, lost, 2, Rows{1, -2})[1]));
}

TEST_CASE("equations: a residual may have what rounding has changed, or lost as too small",
          "[equations]") {
  // 1 + 2^-20 + 2^-30 loses 2^-30 in f32; of x it is three times as much.
  constexpr double given = 1 + 0x1p-20 + 0x1p-30;
  const Floats lu{1 + 0x1p-20f, 0};
  const double alone = residual_allowed<float>(Rows{1 + 0x1p-20, 0}, lu, 1, Rows{3})[0];
  const auto more = [&](double a, double b) {
    return residual_allowed<float>(Rows{a, b}, lu, 1, Rows{3})[0] - alone;
  };
  CHECK(std::abs(more(given, 0) - 3 * 0x1p-30) < 0x1p-48);
  CHECK(std::abs(more(1 + 0x1p-20, given) - 0x1p-30) < 0x1p-48);
  // The multiplier, 1.5 times the least number, is rounded to twice it, which times the pivot makes
  // 2^-50 of a row whose other products are as small.
  const Rows rows{0x1p100, 0, 0x1p100, 0x1.8p-49, 0x1p80, 0x1.8p-49};
  const Floats tiny{0x1p100f, 0, 0x1p100f, 0x1p-148f, 0x1p80f, -0x1p-50f};
  const Rows x = back_substituted<float>(tiny, 2);
  CHECK(x == Rows{1, -0x1p-130});
  CHECK(residual_of<float>(rows, 2, x)[1] == 0x1p-50);
  CHECK(residual_allowed<float>(rows, tiny, 2, x)[1] >= 0x1p-50);
  CHECK(residual_allowed<float>(rows, tiny, 2, x)[1] < 0x1p-47);
  // An unknown that is half the least number comes out as 0, or as that number.
  CHECK(residual_allowed<double>(Rows{8, 0x1p-1072}, Rows{8, 0x1p-1072}, 1, Rows{0})[0] >=
        0x1p-1072);
}

}  // namespace portcost::test::test_equations
