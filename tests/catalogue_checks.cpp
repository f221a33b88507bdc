// SPDX-License-Identifier: Apache-2.0
// Checks that every variant of any algorithm must pass.
#include <cstdlib>

#include "tests/matrix_checks.hpp"

namespace portcost::test {

namespace {

constexpr std::size_t most_failures = 5;

// One problem in one place.
struct Bench {
  const Algorithm& algorithm;
  Problem problem;
  std::unique_ptr<Instance> instance;

  Bench(const Algorithm& owner, Problem of, Place place)
      : algorithm(owner),
        problem(std::move(of)),
        instance(owner.make(problem, shared_stream(place))) {}

  std::unique_ptr<Execution> prepare(const Variant& variant) const {
    return variant.make(problem, *instance);
  }
  Answer expected(std::string_view step) const {
    return Reference(algorithm, problem, step).answer();
  }
  // Steps of a ladder share an answer.
  std::string_view key_of(const Variant& variant) const {
    return algorithm.shares_answer(variant.step) ? "" : variant.step;
  }
  // Adds a line to `failures` unless the answers agree.
  void compare(const Variant& variant, const Answer& answer, const Answer& expected,
               Failures& failures) const {
    const Disagreement difference =
        algorithm.compare(problem, answer, expected, instance->stream());
    if (difference.agrees()) return;
    failures.push_back(fmt::format("{} {} {} seed={}: {}", variant_name(algorithm, variant),
                                   problem.size.text(), name(problem.type), problem.seed,
                                   difference.text));
  }
};

// By tests/mutate and tests/plant_faults, which run what concerns a change: only its algorithm.
bool is_wanted(const Algorithm& algorithm) {
  const char* const only = std::getenv("PORTCOST_TEST_ALGORITHM");
  return only == nullptr || algorithm.name == only;
}

// Calls check(bench, variant, prepare(bench), failures) for `count` problems of every type.
template <class Prepare, class Check>
Failures for_each_variant(Algorithms algorithms, Place place, std::uint64_t count,
                          const Prepare& prepare, const Check& check) {
  Failures failures;
  for (const Algorithm* algorithm : algorithms) {
    if (!is_wanted(*algorithm)) continue;
    for (const ElementType type : algorithm->types) {
      for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const Bench bench(*algorithm, random_problem(*algorithm, type, seed), place);
        const auto shared = prepare(bench);
        for (const Variant& variant : algorithm->variants) {
          if (variant.model == Model::reference || variant.place != place ||
              !variant.unfit(bench.problem).empty()) {
            continue;
          }
          check(bench, variant, shared, failures);
          if (failures.size() >= most_failures) return failures;
        }
      }
    }
  }
  return failures;
}

// What each step must answer.
std::map<std::string_view, Answer> expected_of(const Bench& bench) {
  std::map<std::string_view, Answer> result;
  for (const Variant& variant : bench.algorithm.variants) {
    const std::string_view key = bench.key_of(variant);
    if (!result.contains(key)) result[key] = bench.expected(variant.step);
  }
  return result;
}

}  // namespace

Problem random_problem(const Algorithm& algorithm, ElementType type, std::uint64_t seed) {
  return {algorithm.random_size(seed), parse_parameters("", algorithm.parameter_keys), type, seed};
}

Failures against_reference(Algorithms algorithms, Place place, std::uint64_t count) {
  return for_each_variant(
      algorithms, place, count, expected_of,
      [](const Bench& bench, const Variant& variant, const auto& expected, Failures& failures) {
        const auto execution = bench.prepare(variant);
        bench.compare(variant, run_afresh(*bench.instance, *execution),
                      expected.at(bench.key_of(variant)), failures);
      });
}

Failures after_reset(Algorithms algorithms, Place place, std::uint64_t count) {
  return for_each_variant(
      algorithms, place, count, [](const Bench&) { return 0; },
      [](const Bench& bench, const Variant& variant, int, Failures& failures) {
        const auto execution = bench.prepare(variant);
        const Answer first = run_afresh(*bench.instance, *execution);
        bench.compare(variant, run_afresh(*bench.instance, *execution), first, failures);
        if (!bench.instance->crosses()) return;
        // The inputs that are sent are those of a reset.
        Subject{bench.instance.get(), execution.get(), Sync::transfers}.run();
        bench.compare(variant, bench.instance->answer(), first, failures);
      });
}

Failures after_repetition(Algorithms algorithms, Place place, std::uint64_t count) {
  return for_each_variant(
      algorithms, place, count, expected_of,
      [](const Bench& bench, const Variant& variant, const auto& expected, Failures& failures) {
        if (!bench.instance->repeatable()) return;
        const auto execution = bench.prepare(variant);
        bench.instance->reset();
        for (int run = 0; run < 3; ++run) {
          Subject{bench.instance.get(), execution.get(), Sync::end}.run();
        }
        bench.compare(variant, run_afresh(*bench.instance, *execution),
                      expected.at(bench.key_of(variant)), failures);
      });
}

Failures interleaved(Algorithms algorithms, Place place, std::uint64_t count) {
  const auto other_bench = [place](const Bench& bench) {
    return Bench(bench.algorithm,
                 random_problem(bench.algorithm, bench.problem.type, bench.problem.seed + 1000),
                 place);
  };
  return for_each_variant(
      algorithms, place, count, other_bench,
      [](const Bench& bench, const Variant& variant, const Bench& other, Failures& failures) {
        if (!variant.unfit(other.problem).empty()) return;
        const auto mine = bench.prepare(variant), its = other.prepare(variant);
        bench.instance->reset();
        other.instance->reset();
        for (int phase = 0; phase < std::max(mine->phases(), its->phases()); ++phase) {
          if (phase < mine->phases()) mine->run(phase);
          if (phase < its->phases()) its->run(phase);
        }
        bench.compare(variant, bench.instance->answer(), bench.expected(variant.step), failures);
        other.compare(variant, other.instance->answer(), other.expected(variant.step), failures);
      });
}

Failures answers_without_a_run(Algorithms algorithms, std::uint64_t count) {
  Failures failures;
  for (const Algorithm* algorithm : algorithms) {
    Failures noticed;
    for (std::uint64_t seed = 1; seed <= count && noticed.empty(); ++seed) {
      const Bench bench(*algorithm, random_problem(*algorithm, algorithm->types[0], seed),
                        Place::host);
      bench.instance->reset();
      bench.compare(reference_of(*algorithm, {}), bench.instance->answer(), bench.expected({}),
                    noticed);
    }
    if (noticed.empty()) failures.emplace_back(algorithm->name);
  }
  return failures;
}

}  // namespace portcost::test
