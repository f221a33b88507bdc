// SPDX-License-Identifier: Apache-2.0
// Sums, ranges and norms against whole numbers, and the same to the bit for any shares.
#include "src/distributed/reductions.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test::reductions {

using namespace portcost::distributed;
using distributed::Array;

__extension__ using Whole = __int128;

constexpr Index global{3, 97, 43};

Shape shape_for(const Processors& processors) {
  return {Distribution(global, processors.count(), {{}, Sharing::even, processors.weights()}),
          {{1, 1, 1}},
          4};
}

// check(array of a type) in each setting.
template <class T, class Check>
void for_arrays(const Check& check) {
  for_settings([&](const Processors& processors) {
    Array<T> array(processors, shape_for(processors), device_stream());
    check(array);
  });
}

// Whole numbers of very different size, half of them below 0, that do not cancel by pairs.
std::int64_t whole_at(const Index& point) {
  const std::int64_t mixed = (point[0] * 7919 + point[1] * 104729 + point[2] * 1299709) % 9973;
  const std::int64_t number = mixed * (std::int64_t{1} << (mixed % 37));
  return mixed % 2 == 0 ? number : -number;
}

constexpr Box domain{{}, global};

TEST_CASE("sum and norm are exact for any shares", "[reductions]") {
  Whole sum_truth = 0, squares_truth = 0;
  for_points(domain, [&](const Index& point) {
    sum_truth += whole_at(point);
    squares_truth += static_cast<Whole>(whole_at(point)) * whole_at(point);
  });
  for_arrays<double>([&](Array<double>& array) {
    array.fill(std::numeric_limits<double>::quiet_NaN());  // ghost points must not count
    array.fill([](const Index& point) { return static_cast<double>(whole_at(point)); });
    CHECK_ON_ALL(sum(array) == static_cast<double>(sum_truth));
    CHECK_ON_ALL(exact_sum(array, &array).value() == static_cast<double>(squares_truth));
    CHECK_ON_ALL(norm(array) == std::sqrt(static_cast<double>(squares_truth)));
  });
}

TEST_CASE("sum and norm of what does not add up exactly do not depend on shares", "[reductions]") {
  const auto value = [](const Index& point) {
    const double x = static_cast<double>(whole_at(point));
    return std::sin(x) * std::pow(10.0, std::fmod(x, 200.0));
  };
  ExactSum sums, squares;
  for_points(domain, [&](const Index& point) {
    sums.add(value(point));
    squares.add_product(value(point), value(point));
  });
  for_arrays<double>([&](Array<double>& array) {
    array.fill(value);
    CHECK_ON_ALL(sum(array) == sums.value());
    CHECK_ON_ALL(norm(array) == squares.root());
  });
  const auto narrow = [](const Index& point) { return static_cast<float>(number_of(point)); };
  ExactSum of_narrow;
  for_points(domain, [&](const Index& point) { of_narrow.add(narrow(point)); });
  for_arrays<float>([&](Array<float>& array) {
    array.fill(narrow);
    CHECK_ON_ALL(sum(array) == of_narrow.value());
  });
}

TEST_CASE("dot is exact, axpy rounds once, copy has ghost points", "[reductions]") {
  const auto small = [](const Index& point) { return static_cast<double>(whole_at(point) % 9973); };
  Whole truth = 0;
  for_points(domain, [&](const Index& point) {
    truth += static_cast<Whole>(whole_at(point)) * (whole_at(point) % 9973);
  });
  for_settings([&](const Processors& processors) {
    const auto made = [&] {
      return Array<double>(processors, shape_for(processors), device_stream());
    };
    Array<double> x = made(), y = made(), z = made();
    x.fill(std::numeric_limits<double>::quiet_NaN());  // ghost points must not count
    x.fill([](const Index& point) { return static_cast<double>(whole_at(point)); });
    y.fill(-1.0);
    y.fill(small);
    CHECK_ON_ALL(dot(x, y) == static_cast<double>(truth));
    copy(y, z);
    axpy(0.1, x, z);
    CHECK_ON_ALL(all_are(z, [&](const Index& point) {
      return std::fma(0.1, static_cast<double>(whole_at(point)), small(point));
    }));
    bool kept = true;
    for (const Part& part : z.parts()) kept = kept && ghosted(z, part).front() == -1;
    CHECK_ON_ALL(kept);
    Array<double> other(processors, {shape_for(processors).distribution}, device_stream());
    check_throws<UsageError>("arrays of one shape", [&] { copy(x, other); });
  });
}

TEST_CASE("least and greatest, NaN wherever it lies, and of zeros +0, whichever lies where",
          "[reductions]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for_arrays<double>([&](Array<double>& array) {
    array.fill(nan);
    const auto value = [](const Index& point) {
      if (point == Index{1, 96, 3}) return -5e300;
      return point == Index{2, 0, 42} ? 7e300 : number_of(point);
    };
    array.fill(value);
    CHECK_ON_ALL(min(array) == -5e300);
    CHECK_ON_ALL(max(array) == 7e300);
    array.fill([&](const Index& point) { return point == Index{0, 20, 20} ? nan : value(point); });
    CHECK_ON_ALL(std::isnan(min(array)) && std::isnan(max(array)) && std::isnan(sum(array)));
  });
  const int last = all_ranks().size() - 1;
  for_arrays<double>([&](Array<double>& array) {
    const auto positive = [](double x) { return x == 0 && !std::signbit(x); };
    for (const int rank : {-1, 0, last}) {  // of those the zeros are +0
      array.fill(all_ranks().rank() == rank ? 0.0 : -0.0);
      CHECK_ON_ALL(positive(min(array)) && positive(max(array)));
    }
  });
}

}  // namespace portcost::test::reductions
