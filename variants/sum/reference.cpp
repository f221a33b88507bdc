// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer, in floating point with the rounding errors added up and put back
// (Neumaier 1974); and the agreement of answers, each compared with a sum recomputed from the rule.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "src/contract/truth.hpp"
#include "src/support/exact_sum.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

template <class T>
Truth make_truth(const Problem& problem) {
  const Data data = data_of(problem);
  const auto n = static_cast<std::uint64_t>(problem.size.at("n"));
  constexpr std::uint64_t stretch = 1 << 16;
  const auto count = static_cast<std::int64_t>(ceil_div(n, stretch));
  ExactSum sum;
  Truth all;
#pragma omp parallel for ordered schedule(static, 1) if (count > 1)
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint64_t begin = static_cast<std::uint64_t>(k) * stretch;
    ExactSum part_sum;
    Truth part;
    for (std::uint64_t i = begin; i < std::min(n, begin + stretch); ++i) {
      const T x = number<T>(data, problem.seed, i, n);
      if constexpr (std::is_same_v<T, Word>) {
        part.word += x;
      } else {
        part_sum.add(static_cast<double>(x));
        part.absolute += std::abs(static_cast<double>(x));
      }
    }
#pragma omp ordered
    {
      sum.add(part_sum);
      all.absolute += part.absolute;
      all.word += part.word;
    }
  }
  all.sum = sum.value();
  return all;
}

// An answer's value, as a double; i32 with its sign.
double value_of(const Array& answer, const Stream& stream) {
  return with_type(answer.type, [&]<class T>(T) {
    return static_cast<double>(on_host<T>(answer, 0, 1, stream)[0]);
  });
}

double sum_of(const Problem& problem, const Truth& truth) {
  return problem.type == ElementType::i32
             ? static_cast<double>(static_cast<std::int32_t>(truth.word))
             : truth.sum;
}

constexpr auto serial = []<class T>(const Numbers<T>& s, const Stream&) {
  if constexpr (std::is_same_v<T, Word>) {
    Word total = 0;
    for (std::uint64_t i = 0; i < s.n; ++i) total += s.in[i];
    *s.out = total;
  } else {
    double total = 0, lost = 0;
    for (std::uint64_t i = 0; i < s.n; ++i) {
      const double x = s.in[i], next = total + x;
      lost += std::abs(total) >= std::abs(x) ? (total - next) + x : (x - next) + total;
      total = next;
    }
    *s.out = static_cast<T>(total + lost);
  }
};

}  // namespace

// Kept for the last problem: a campaign compares many answers of one problem.
Truth truth_of(const Problem& problem) {
  static Remembered<Truth> remembered;
  return remembered.of(problem, {}, [&] {
    return problem.type == ElementType::i32   ? make_truth<Word>(problem)
           : problem.type == ElementType::f32 ? make_truth<float>(problem)
                                              : make_truth<double>(problem);
  });
}

// A number that goes through d additions is multiplied by (1 + e_1) ... (1 + e_d), |e| <= u, so any
// order of additions errs by at most gamma_d times the sum of the absolute values (Higham 2002,
// section 4.2). There are two more roundings: of the exact sum, and of a reference that is stored
// in T. Whole numbers whose absolute values sum to at most 1 / u are exact in any order.
double bound(const Problem& problem, const Truth& truth) {
  const double u = problem.type == ElementType::f64 ? 0x1p-53 : 0x1p-24;
  const Data data = data_of(problem);
  const bool whole = data == Data::ones || data == Data::small_integers;
  if (problem.type == ElementType::i32 || (whole && truth.absolute <= 1 / u)) return 0;
  const double d =
      static_cast<double>(longest_chain(static_cast<std::uint64_t>(problem.size.at("n"))) + 2);
  return gamma(d, u) * truth.absolute;
}

// Both answers are compared with the exact sum, which no variant computes, so that two wrong
// answers cannot agree; answers that agree therefore differ by at most twice the bound.
Disagreement compare(const Problem& problem, const Answer& left, const Answer& right,
                     const Stream& stream) {
  Disagreement result;
  const Array &a = left.at("sum"), &b = right.at("sum");
  for (const Array* array : {&a, &b}) {
    result.text = shape_fault(*array, problem.type, 1);
    if (!result.text.empty()) return result;
  }
  const Truth truth = truth_of(problem);
  const double sum = sum_of(problem, truth), allowed = bound(problem, truth);
  result.left = value_of(a, stream);
  result.right = value_of(b, stream);
  const auto good = [&](double value) { return std::abs(value - sum) <= allowed; };  // NaN is not
  if (good(result.left) && good(result.right)) return result;
  result.unequal = 1;
  result.text = fmt::format("{:.17g} against {:.17g}; the sum is {:.17g}, allowed error {:.3g}",
                            result.left, result.right, sum, allowed);
  return result;
}

Rungs reference_rungs() { return {rung(works, "serial", serial)}; }

}  // namespace portcost::sum
