// SPDX-License-Identifier: Apache-2.0
// Every algorithm and every variant of the catalogue, none of them named.
#include <regex>
#include <sstream>

#include "src/contract/settings.hpp"
#include "src/machine/limits.hpp"
#include "tests/command.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_catalogue {

// A sanitizer sees all kernels in `many`, and takes tens of times as long for each problem.
constexpr int many = sanitized ? 40 : 60, some = sanitized ? 10 : 16;
constexpr int few = sanitized ? 5 : 8;  // each problem costs several runs, and sizes do not matter

bool has_step(const auto& rows, std::string_view step) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& one) { return one.step == step; });
}

TEST_CASE("catalogue: names of variants are algorithm/step/model and differ", "[catalogue]") {
  const std::regex form(
      "[a-z][a-z0-9_]*/[a-z][a-z0-9_]*/"
      "(reference|openmp|cuda|library|kokkos([.](book|usual))?(:[^/ ]+)?)");
  std::set<std::string> seen;
  const auto check_name = [&](const std::string& full) {
    CAPTURE(full);
    CHECK(std::regex_match(full, form));
    CHECK(seen.insert(full).second);
  };

  for (const Algorithm* algorithm : catalogue()) {
    for (const Variant& variant : algorithm->variants)
      check_name(variant_name(*algorithm, variant));
    // What is absent is named like a variant, is none, and has a reason.
    for (const Absence& absence : algorithm->absent) {
      check_name(variant_name(*algorithm, absence));
      CAPTURE(algorithm->name, absence.step, absence.reason);
      CHECK_FALSE(absence.reason.empty());
      CHECK(absence.reason.find('\n') == std::string_view::npos);
    }
  }
}

TEST_CASE("catalogue: algorithms are described, with references and a ladder", "[catalogue]") {
  for (const Algorithm* algorithm : catalogue()) {
    CAPTURE(algorithm->name);
    CHECK(reference_of(*algorithm, {}).place == Place::host);
    CHECK_FALSE(algorithm->summary.empty());
    CHECK_FALSE(algorithm->agreement.empty());
    CHECK_FALSE(algorithm->types.empty());
    CHECK_FALSE(algorithm->size_keys.empty());
    for (const Variant& variant : algorithm->variants) {
      if (variant.model == Model::library) continue;  // peers are beside the ladder
      CAPTURE(variant_name(*algorithm, variant));
      CHECK(std::ranges::count(algorithm->steps, variant.step) == 1);
    }
    std::size_t taken = 0;
    for (const std::string_view step : algorithm->steps) {
      taken += has_step(algorithm->variants, step) || has_step(algorithm->over_ranks, step) ||
               has_step(algorithm->absent, step);
      CAPTURE(step);
      // A step that answers for itself has its own reference.
      if (!algorithm->shares_answer(step)) CHECK(reference_of(*algorithm, step).step == step);
    }
    CHECK(taken >= (PORTCOST_HAS_CUDA ? algorithm->steps.size() : 1));  // of those a build can have
  }
}

TEST_CASE("catalogue: rows, folders and CMake's list name the same algorithms", "[catalogue]") {
  const auto variants = std::filesystem::path(PORTCOST_SOURCE_DIR) / "variants";
  const std::string text = read_file(variants / "CMakeLists.txt");
  std::smatch list;
  REQUIRE(std::regex_search(text, list, std::regex(R"(set\(catalogue([^)]*)\))")));
  std::istringstream words(list[1].str());
  std::set<std::string> named{std::istream_iterator<std::string>(words), {}}, folders;
  for (const auto& entry : std::filesystem::directory_iterator(variants)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name != "shared") folders.insert(name);
  }
  CHECK(named == folders);
  // A build may have more, of folders elsewhere.
  for (const Algorithm* algorithm : catalogue()) named.erase(std::string(algorithm->name));
  CHECK(named.empty());
}

TEST_CASE("catalogue: unequal work is of a team kernel, counted, with a reason", "[catalogue]") {
  const std::set<std::string_view> counts{"bytes", "loads", "barriers", "atomic operations",
                                          "launches"};
  for (const Algorithm* algorithm : catalogue()) {
    for (const UnequalWork& one : algorithm->unequal_work) {
      CAPTURE(algorithm->name, one.step, one.what);
      const auto in_kokkos = [&](const auto& of) {
        return of.step == one.step && of.model == Model::kokkos;
      };
      CHECK((std::ranges::any_of(algorithm->variants,
                                 [&](const Variant& variant) {
                                   return in_kokkos(variant) && variant.way != Way::usual;
                                 }) ||
             std::ranges::any_of(algorithm->absent, in_kokkos)));  // a step of GPUs alone, say
      CHECK(counts.count(one.what) == 1);
      CHECK_FALSE(one.reason.empty());
    }
  }
}

TEST_CASE("catalogue: campaigns' sizes can be typed, are valid and cost something", "[catalogue]") {
  for (const Algorithm* algorithm : catalogue()) {
    for (const Place place : {Place::host, Place::device}) {
      std::vector<Size> sizes = algorithm->check_sizes();
      for (const Campaign campaign : {Campaign::standard, Campaign::full}) {
        const auto more = algorithm->sizes(campaign, place);
        CHECK_FALSE(more.empty());
        sizes.insert(sizes.end(), more.begin(), more.end());
      }
      for (const Size& size : sizes) {
        CAPTURE(algorithm->name, size.text());
        const Problem problem{size, parse_parameters("", algorithm->parameter_keys),
                              algorithm->types[0], 1};
        CHECK(parse_size(size.text(), algorithm->size_keys) == size);
        CHECK_NOTHROW(algorithm->validate(problem));
        CHECK(algorithm->footprint(problem) > 0);
        const Cost cost = algorithm->cost_in(place, problem);
        CHECK_FALSE(cost.empty());
        for (const Amount& amount : cost) {
          CHECK((amount.amount > 0 || size.text().ends_with("=0")));  // no numbers cost nothing
          if (place == Place::host || PORTCOST_HAS_CUDA) {
            CHECK_NOTHROW(limit_name(amount.limit, place));
          }
        }
      }
    }
  }
}

TEST_CASE("catalogue: random sizes are in the ranges of users, and vary", "[catalogue]") {
  for (const Algorithm* algorithm : catalogue()) {
    std::set<std::string> different;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const std::string text = algorithm->random_size(seed).text();
      CAPTURE(algorithm->name, text);
      CHECK(parse_size(text, algorithm->size_keys).text() == text);
      CHECK(algorithm->random_size(seed).text() == text);
      different.insert(text);
    }
    CHECK(different.size() > 20);
  }
}

TEST_CASE("catalogue: equal problems have equal inputs, another seed others", "[catalogue]") {
  Stream& host = shared_stream(Place::host);
  for (const Algorithm* algorithm : catalogue()) {
    bool differs = false;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Problem problem = random_problem(*algorithm, algorithm->types[0], seed);
      Problem other = problem;
      other.seed += 1;
      const auto answer = [&](const Problem& of) { return Reference(*algorithm, of).answer(); };
      CAPTURE(algorithm->name, problem.size.text());
      CHECK(compare_exact(answer(problem), answer(problem), host).agrees());
      differs = differs || !compare_exact(answer(problem), answer(other), host).agrees();
    }
    CHECK(differs);
  }
}

TEST_CASE_IN_PLACES("catalogue: {} variants agree on a few random sizes", "[catalogue][kokkos]") {
  CHECK(against_reference(catalogue(), place, few) == Failures{});
}

TEST_CASE_IN_PLACES("catalogue: {} variants agree on random sizes", "[catalogue][kokkos][slow]") {
  CHECK(against_reference(catalogue(), place, many) == Failures{});
}

TEST_CASE_IN_PLACES("catalogue: {} variants answer alike after a reset",
                    "[catalogue][kokkos][slow]") {
  CHECK(after_reset(catalogue(), place, some) == Failures{});
}

TEST_CASE_IN_PLACES("catalogue: {} variants may be repeated where allowed",
                    "[catalogue][kokkos][slow]") {
  CHECK(after_repetition(catalogue(), place, some) == Failures{});
}

TEST_CASE_IN_PLACES("catalogue: {} variants on two instances keep apart",
                    "[catalogue][kokkos][slow]") {
  CHECK(interleaved(catalogue(), place, few) == Failures{});
}

TEST_CASE("catalogue: a reset without a run is no answer", "[catalogue]") {
  CHECK(answers_without_a_run(catalogue(), some) == Failures{});
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("lines of code: a record has those that are counted", "[command][catalogue]") {
  const auto header_of = [](const std::string& filter) {
    const Ran ran({"bench", filter, "--seconds", "0.02", "--out", "a.jsonl"}, 0);
    return rows_in(read_file(ran.file("a.jsonl"))).at(0);
  };
  CHECK(header_of("fragile/first/*").at("variants") ==
        Json::parse(R"([{"name": "fragile/first/openmp", "lines": 12}])"));
  CHECK_FALSE(header_of("fragile/third/*").contains("variants"));
}
#endif

TEST_CASE("lines of code: where an algorithm is counted, every model's steps are", "[catalogue]") {
  for (const Algorithm* const algorithm : catalogue()) {
    int counted = 0, not_counted = 0;
    for (const Variant& variant : algorithm->variants) {
      if (variant.model == Model::reference) {
        CHECK_FALSE(variant.lines_of_code);
        continue;
      }
      CAPTURE(variant_name(*algorithm, variant));
      CHECK(variant.lines_of_code.value_or(1) > 0);
      ++(variant.lines_of_code ? counted : not_counted);
    }
    CAPTURE(algorithm->name, counted);
    CHECK((counted == 0 || not_counted == 0));
  }
}

}  // namespace portcost::test::test_catalogue
