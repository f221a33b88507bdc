// SPDX-License-Identifier: Apache-2.0
// sum's variants on numbers whose sum is known, at sizes around their shapes; and results that
// repeat.
#include <bit>

#include "tests/matrix_checks.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::test::test_variants_of_sum {

namespace {

using sum::Data;

constexpr std::array all_types{ElementType::i32, ElementType::f32, ElementType::f64};

const Algorithm& row() { return algorithm_called("sum"); }

template <class T>
T value_of(const Answer& answer) {
  return elements<T>(answer.at("sum"))[0];
}

double number_in(const Answer& answer) {
  const ElementType type = answer.at("sum").type;
  if (type == ElementType::i32) return value_of<std::int32_t>(answer);
  return type == ElementType::f32 ? value_of<float>(answer) : value_of<double>(answer);
}

// Calls check(answer) for every variant of `place`.
template <class Check>
void for_answers(const Problem& problem, Place place, const Check& check) {
  const auto instance = row().make(problem, shared_stream(place));
  CAPTURE(problem.size.text(), name(problem.type));
  test::for_answers(row(), place, problem, *instance,
                    [&](const Variant&, const Answer& answer) { check(answer); });
}

}  // namespace

TEST_CASE("sum: the peer of Kokkos Kernels is there, or absent with a reason", "[sum]") {
  const auto is_blas = [](const auto& row) { return row.step == "kokkos_blas"; };
  const auto& variants = row().variants;
  const auto& absent = row().absent;

  CHECK(std::count_if(variants.begin(), variants.end(), is_blas) +
            std::count_if(absent.begin(), absent.end(), is_blas) ==
        1);
}

TEST_CASE_IN_PLACES("sum: on the {}, ones sum to their number, at every size around a shape",
                    "[sum][kokkos]") {
  for (const ElementType type : all_types) {
    for (const std::int64_t n :
         {0,    1,    2,    3,    5,    31,   255,   256,   257,   511,   513,
          1023, 4095, 4097, 8191, 8193, 9999, 32767, 65535, 65536, 65537, 300007}) {
      for_answers(problem_of(row(), n, "data=ones", type), place, [&](const Answer& answer) {
        CHECK(number_in(answer) == static_cast<double>(n));
      });
    }
  }
}

TEST_CASE_IN_PLACES("sum: on the {}, small integers are summed exactly", "[sum][kokkos]") {
  for (const ElementType type : all_types) {
    for (const std::uint64_t n : {7, 257, 65537, 300007}) {
      const Problem problem =
          problem_of(row(), static_cast<std::int64_t>(n), "data=small_integers", type);
      double expected = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        expected += sum::number<double>(Data::small_integers, problem.seed, i, n);
      }
      for_answers(problem, place,
                  [&](const Answer& answer) { CHECK(number_in(answer) == expected); });
    }
  }
}

TEST_CASE_IN_PLACES("sum: on the {}, i32 wraps around modulo 2^32", "[sum][kokkos]") {
  constexpr std::int64_t n = 100003;
  const Problem problem = problem_of(row(), n, "data=uniform", ElementType::i32);
  std::uint64_t wide = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    wide += sum::number<sum::Word>(Data::uniform, problem.seed, i, n);
  }
  REQUIRE(wide >> 32 > 1000);  // it does wrap
  for_answers(problem, place, [&](const Answer& answer) {
    CHECK(value_of<sum::Word>(answer) == static_cast<sum::Word>(wide));
  });
}

TEST_CASE_IN_PLACES("sum: on the {}, random and ill-conditioned numbers are within the bound",
                    "[sum][kokkos]") {
  for (const ElementType type : all_types) {
    for (const char* data : {"data=uniform", "data=ill_conditioned"}) {
      for (const std::int64_t n : {1, 1000, 65537, 300007}) {
        const Problem problem = problem_of(row(), n, data, type);
        for_answers(problem, place, [&](const Answer& answer) {
          CHECK(sum::compare(problem, answer, answer, shared_stream(place)).text == "");
        });
      }
    }
  }
}

// Bit for bit, in one execution and in another on other memory.
TEST_CASE_IN_PLACES("sum: on the {}, single_pass gives the same bits in every run",
                    "[sum][kokkos]") {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const std::int64_t n : {5000, 100003, 3000017}) {
      const Problem problem = problem_of(row(), n, "data=ill_conditioned", type);
      for (const Variant& variant : row().variants) {
        if (variant.place != place || variant.step != "single_pass") continue;
        CAPTURE(variant_name(row(), variant), n, name(type));
        std::set<std::uint64_t> results;
        for (int maker = 0; maker < 2; ++maker) {
          const auto instance = row().make(problem, shared_stream(place));
          const auto execution = variant.make(problem, *instance);
          for (int run = 0; run < 20; ++run) {
            results.insert(
                std::bit_cast<std::uint64_t>(number_in(run_afresh(*instance, *execution))));
          }
        }
        CHECK(results.size() == 1);
      }
    }
  }
}

}  // namespace portcost::test::test_variants_of_sum
