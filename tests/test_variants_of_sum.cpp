// SPDX-License-Identifier: Apache-2.0
// sum's variants on numbers whose sum is known, at sizes around their shapes; and results that
// repeat.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "tests/support.hpp"
#include "variants/catalogue.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::test::test_variants_of_sum {

namespace {

using sum::Data;

constexpr std::array all_types{ElementType::i32, ElementType::f32, ElementType::f64};
constexpr std::array<std::int64_t, 22> sizes{0,    1,     2,     3,     5,     31,    255,  256,
                                             257,  511,   513,   1023,  4095,  4097,  8191, 8193,
                                             9999, 32767, 65535, 65536, 65537, 300007};

Problem problem_of(std::int64_t n, ElementType type, Data data, std::uint64_t seed = 1) {
  return {Size({{"n", n}}),
          Parameters({{"data", std::string(sum::data_names[static_cast<std::size_t>(data)])}}),
          type, seed};
}

template <class T>
T value_of(const Answer& answer) {
  T value{};
  const Buffer<std::byte>& bytes = answer.at("sum").bytes;
  const Stream stream(bytes.place());
  copy_bytes(&value, Place::host, bytes.data(), bytes.place(), sizeof value, stream);
  stream.synchronize();
  return value;
}

double number_in(const Answer& answer) {
  const ElementType type = answer.at("sum").type;
  if (type == ElementType::i32) return value_of<std::int32_t>(answer);
  return type == ElementType::f32 ? value_of<float>(answer) : value_of<double>(answer);
}

// Calls check(variant, answer) for every variant of `place`.
template <class Check>
void for_answers(const Problem& problem, Place place, const Check& check) {
  const auto instance = algorithm_called("sum").make(problem, shared_stream(place));
  for (const Variant& variant : algorithm_called("sum").variants) {
    if (variant.place != place) continue;
    CAPTURE(variant_name(algorithm_called("sum"), variant), problem.size.text(),
            name(problem.type));
    const auto execution = variant.make(problem, *instance);
    check(variant, run_afresh(*instance, *execution));
  }
}

void ones_sum_to_their_number(Place place) {
  for (const ElementType type : all_types) {
    for (const std::int64_t n : sizes) {
      for_answers(problem_of(n, type, Data::ones), place,
                  [&](const Variant&, const Answer& answer) {
                    CHECK(number_in(answer) == static_cast<double>(n));
                  });
    }
  }
}

void small_integers_are_exact(Place place) {
  for (const ElementType type : all_types) {
    for (const std::int64_t n : {7, 257, 65537, 300007}) {
      const Problem problem = problem_of(n, type, Data::small_integers, 5);
      std::int64_t expected = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        expected += static_cast<std::int64_t>(sum::number<double>(
            Data::small_integers, 5, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(n)));
      }
      for_answers(problem, place, [&](const Variant&, const Answer& answer) {
        CHECK(number_in(answer) == static_cast<double>(expected));
      });
    }
  }
}

void words_wrap_around(Place place) {
  constexpr std::int64_t n = 100003;
  std::uint64_t wide = 0;
  for (std::uint64_t i = 0; i < n; ++i) wide += sum::number<sum::Word>(Data::uniform, 3, i, n);
  REQUIRE(wide >> 32 > 1000);  // it does wrap
  for_answers(problem_of(n, ElementType::i32, Data::uniform, 3), place,
              [&](const Variant&, const Answer& answer) {
                CHECK(value_of<sum::Word>(answer) == static_cast<sum::Word>(wide));
              });
}

void hard_numbers_are_within_the_bound(Place place) {
  for (const ElementType type : all_types) {
    for (const Data data : {Data::uniform, Data::ill_conditioned}) {
      for (const std::int64_t n : {1, 1000, 65537, 300007}) {
        const Problem problem = problem_of(n, type, data, 7);
        for_answers(problem, place, [&](const Variant&, const Answer& answer) {
          CHECK(sum::compare(problem, answer, answer, shared_stream(place)).text.empty());
        });
      }
    }
  }
}

// Bit for bit the same in every run, in one execution and in another on other memory.
void single_pass_repeats(Place place) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const std::int64_t n : {5000, 100003, 3000017}) {
      const Problem problem = problem_of(n, type, Data::ill_conditioned, 11);
      for (const Variant& variant : algorithm_called("sum").variants) {
        if (variant.place != place || variant.step != "single_pass") continue;
        CAPTURE(variant_name(algorithm_called("sum"), variant), n, name(type));
        std::vector<double> results;
        for (int maker = 0; maker < 2; ++maker) {
          const auto instance = algorithm_called("sum").make(problem, shared_stream(place));
          const auto execution = variant.make(problem, *instance);
          for (int run = 0; run < 20; ++run) {
            results.push_back(number_in(run_afresh(*instance, *execution)));
          }
        }
        CHECK(std::all_of(results.begin(), results.end(),
                          [&](double result) { return result == results[0]; }));
      }
    }
  }
}

}  // namespace

TEST_CASE("sum: the peer of Kokkos Kernels is there, or absent with a reason", "[sum]") {
  const auto is_blas = [](const auto& row) { return row.step == "kokkos_blas"; };
  const auto& variants = algorithm_called("sum").variants;
  const auto& absent = algorithm_called("sum").absent;

  CHECK(std::count_if(variants.begin(), variants.end(), is_blas) +
            std::count_if(absent.begin(), absent.end(), is_blas) ==
        1);
}

TEST_CASE("sum: ones sum to their number, at every size around a shape", "[sum][kokkos]") {
  ones_sum_to_their_number(Place::host);
}

TEST_CASE("sum: small integers are summed exactly", "[sum][kokkos]") {
  small_integers_are_exact(Place::host);
}

TEST_CASE("sum: i32 wraps around modulo 2^32", "[sum][kokkos]") { words_wrap_around(Place::host); }

TEST_CASE("sum: random and ill-conditioned numbers are within the bound", "[sum][kokkos]") {
  hard_numbers_are_within_the_bound(Place::host);
}

TEST_CASE("sum: single_pass gives the same bits in every run", "[sum][kokkos]") {
  single_pass_repeats(Place::host);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("sum: on the device, ones sum to their number", "[sum][kokkos][gpu]") {
  need_device();
  ones_sum_to_their_number(Place::device);
}

TEST_CASE("sum: on the device, small integers are summed exactly", "[sum][kokkos][gpu]") {
  need_device();
  small_integers_are_exact(Place::device);
}

TEST_CASE("sum: on the device, i32 wraps around modulo 2^32", "[sum][kokkos][gpu]") {
  need_device();
  words_wrap_around(Place::device);
}

TEST_CASE("sum: on the device, hard numbers are within the bound", "[sum][kokkos][gpu]") {
  need_device();
  hard_numbers_are_within_the_bound(Place::device);
}

TEST_CASE("sum: on the device, single_pass gives the same bits in every run",
          "[sum][kokkos][gpu]") {
  need_device();
  single_pass_repeats(Place::device);
}
#endif

}  // namespace portcost::test::test_variants_of_sum
