// SPDX-License-Identifier: Apache-2.0
// For tests of algorithms: variants against reference and truth, wrong answers, tiles of a matrix.
#pragma once

#include <span>

#include "src/contract/rung.hpp"
#include "tests/support.hpp"
#include "variants/catalogue.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost::test {

inline Problem problem_of(const Algorithm& row, const std::string& size,
                          const std::string& parameters, ElementType type, std::uint64_t seed = 7) {
  return {parse_size(size, row.size_keys), parse_parameters(parameters, row.parameter_keys), type,
          seed};
}
inline Problem problem_of(const Algorithm& row, std::int64_t n, const std::string& parameters,
                          ElementType type) {
  return problem_of(row, "n=" + std::to_string(n), parameters, type);
}

/// An array of an answer, on the host.
template <class T>
std::vector<T> elements(const Array& array) {
  Stream& stream = shared_stream(array.bytes.place());
  std::vector<T> result(array.count());
  copy_bytes(result.data(), Place::host, array.bytes.data(), array.bytes.place(),
             array.bytes.size(), stream);
  stream.synchronize();
  return result;
}

using Wanted = std::function<bool(const Variant&)>;
inline bool every(const Variant&) { return true; }
/// check(variant, answer) for every variant of a place that is wanted and takes the problem, and
/// the reference.
template <class Check>
void for_answers(const Algorithm& row, Place place, const Problem& problem, Instance& instance,
                 const Check& check, const Wanted& wanted = every) {
  for (const Variant& variant : row.variants) {
    if (variant.place != place || !variant.unfit(problem).empty() || !wanted(variant)) continue;
    CAPTURE(variant_name(row, variant));
    check(variant, run_afresh(instance, *variant.make(problem, instance)));
  }
}

/// An answer whose arrays called `array` have `value` as element `at`.
template <class T>
Answer with_element(Answer answer, std::string_view array, std::size_t at, T value) {
  for (Array& one : answer.arrays) {
    if (one.name == array) reinterpret_cast<T*>(one.bytes.data())[at] = value;
  }
  return answer;
}

/// A problem on the host: what the reference of a step answers, and what is said of answers to it.
class Reference {
 public:
  Reference(const Algorithm& row, Problem of, std::string_view step = {})
      : problem(std::move(of)),
        instance(row.make(problem, shared_stream(Place::host))),
        row_(row),
        step_(step.empty() ? reference_of(row, {}).step : step),
        execution_(reference_of(row, step_).make(problem, *instance)) {}

  Answer answer() const { return run_afresh(*instance, *execution_); }
  template <class T>
  Answer answer_with(std::string_view array, std::size_t at, T value) const {
    return with_element(answer(), array, at, value);
  }
  template <class T>
  std::vector<T> elements_of(std::string_view array) const {
    return elements<T>(answer().at(array));
  }
  Judgement judgement(const Answer& of) const { return row_.judge(problem, step_, of, *instance); }
  std::string fault(const Answer& of) const { return judgement(of).fault; }
  std::string compared(const Answer& left, const Answer& right) const {
    return row_.compare(problem, left, right, instance->stream()).text;
  }

  const Problem problem;
  const std::unique_ptr<Instance> instance;

 private:
  const Algorithm& row_;
  std::string_view step_;
  std::unique_ptr<Execution> execution_;
};

/// Variants of a place against their step's reference and the truth; to the bit if `exact` says so.
template <class Exact>
void agree(const Algorithm& row, Place place, const Problem& problem, const Exact& exact) {
  Stream& stream = shared_stream(place);
  const auto instance = row.make(problem, stream);
  std::map<std::string_view, Answer> expected;  // of the ladder, and of each step beside it
  CAPTURE(problem.size.text(), problem.parameters.text(), name(problem.type));
  for_answers(row, place, problem, *instance, [&](const Variant& variant, const Answer& answer) {
    const std::string_view step = row.shares_answer(variant.step) ? "" : variant.step;
    if (!expected.contains(step)) expected[step] = Reference(row, problem, step).answer();
    CHECK(row.compare(problem, answer, expected[step], stream).text == "");
    CHECK(row.judge(problem, variant.step, answer, *instance).fault == "");
    if (exact(variant)) CHECK(compare_exact(answer, expected[step], stream).text == "");
  });
}
inline void agree(const Algorithm& row, Place place, const Problem& problem) {
  agree(row, place, problem, [](const Variant&) { return false; });
}
/// The same, step `exact` to the bit.
inline void agree(const Algorithm& row, Place place, std::int64_t n, const std::string& parameters,
                  ElementType type, std::string_view exact = {}) {
  agree(row, place, problem_of(row, n, parameters, type),
        [exact](const Variant& variant) { return variant.step == exact; });
}

/// What an instance gives to its variants.
template <class Work>
Work work_of(const Instance& instance) {
  return dynamic_cast<const InstanceOf<Work>&>(instance).work(0);
}

/// Why a size is refused; "(nothing thrown)" where it is not.
inline std::string refusal(const Algorithm& row, const std::string& size) {
  return message_of<UsageError>([&] { row.validate(problem_of(row, size, "", row.types[0])); });
}

/// jacobi by the HOWTO's program, as in its step 3: every operation rounded by itself.
inline std::vector<double> howto(int rows, int columns, int sweeps) {
  const int width = columns + 2, height = rows + 2;
  const double x = 1. / 0.5 / 0.5, y = 1. / 0.25 / 0.25, beta = 1.0 / (2.0 * (x + y));
  const auto index = [=](int i, int j) { return static_cast<std::size_t>(i * width + j); };
  std::vector<double> now(index(height, 0), 1.0), result;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) now[index(i, j)] = 0;
  }
  std::vector<double> next = now;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = 1; i <= rows; ++i) {
      for (int j = 1; j <= columns; ++j) {
        // Products by powers of 2 are exact, so that it does not matter whether these are fused.
        const double across = (now[index(i - 1, j)] + now[index(i + 1, j)]) * x;
        const double along = (now[index(i, j - 1)] + now[index(i, j + 1)]) * y;
        next[index(i, j)] = (across + along) * beta;
      }
    }
    now.swap(next);
  }
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) result.push_back(now[index(i, j)]);
  }
  return result;
}

// ---- Checks of every variant (catalogue_checks.cpp), as functions, so that a wrong one can show
// that they fail. Each returns a line a failure (variant, size, type, seed, what differs), the
// first few only.

using Algorithms = std::span<const Algorithm* const>;
using Failures = std::vector<std::string>;

/// Of a drawn size, with the parameters by default.
Problem random_problem(const Algorithm& algorithm, ElementType type, std::uint64_t seed);

/// Every variant of `place` against the reference, on `count` random sizes of every type.
Failures against_reference(Algorithms algorithms, Place place, std::uint64_t count);
/// Reset and run twice: the same answer.
Failures after_reset(Algorithms algorithms, Place place, std::uint64_t count);
/// Where runs may follow each other without a reset, doing so breaks nothing for reset and run.
Failures after_repetition(Algorithms algorithms, Place place, std::uint64_t count);
/// Two problems at once, their phases in turns: the answers each gives alone.
Failures interleaved(Algorithms algorithms, Place place, std::uint64_t count);
/// Lists algorithms for which a reset alone, without a run, always passes for an answer.
Failures answers_without_a_run(Algorithms algorithms, std::uint64_t count);

}  // namespace portcost::test
