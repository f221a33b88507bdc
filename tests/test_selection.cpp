// SPDX-License-Identifier: Apache-2.0
// From what users type to what is to be done.
#include "perf/selection.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/error.hpp"
#include "tests/support.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test {

namespace {

using Filters = std::vector<std::string>;

std::vector<std::string> chosen(const Filters& filters) {
  std::vector<std::string> names;
  for (const Choice& choice : select_variants(filters)) {
    for (const Variant* variant : choice.variants) {
      names.push_back(variant_name(*choice.algorithm, *variant));
    }
  }
  return names;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Algorithm& first() { return *catalogue()[0]; }

Problem problem_of(const std::string& size) {
  return {parse_size(size, first().size_keys), parse_parameters("", first().parameter_keys),
          ElementType::f32, 1};
}

}  // namespace

TEST_CASE("selection: no filter chooses every variant of every algorithm", "[selection]") {
  std::size_t all = 0;
  for (const Algorithm* algorithm : catalogue()) all += algorithm->variants.size();

  CHECK(select_variants(Filters{}).size() == catalogue().size());
  CHECK(chosen({}).size() == all);
  CHECK(chosen({"*"}) == chosen({}));
}

TEST_CASE("selection: an algorithm's name alone means all of it", "[selection]") {
  CHECK(chosen({"heat2d"}) == chosen({"heat2d/*"}));
  CHECK(chosen({"heat2d"}).size() == first().variants.size());
}

TEST_CASE("selection: filters add up, and a variant is chosen once, in the table's order",
          "[selection]") {
  const auto both = chosen({"*/naive/reference", "*/naive/openmp"});

  CHECK(both == chosen({"*/naive/openmp", "*/naive/reference"}));
  CHECK(both == chosen({"*/naive/openmp", "*/naive/reference", "*/naive/openmp"}));
  CHECK(both.size() >= 2);
}

TEST_CASE("selection: a filter that matches nothing is named, also beside one that does",
          "[selection]") {
  const std::string text = message_of<UsageError>([] { chosen({"heat2d", "heat2d/naive/cudda"}); });

  CHECK(mentions(text, "'heat2d/naive/cudda' matches nothing: did you mean 'heat2d/naive/"));
  CHECK_FALSE(mentions(text, "\n"));
  CHECK_THROWS_AS(chosen({""}), UsageError);
}

TEST_CASE("selection: types default to the algorithm's, and others are refused", "[selection]") {
  const Algorithm& heat = first();

  CHECK(select_types(heat, {}) == std::vector<ElementType>(heat.types.begin(), heat.types.end()));
  CHECK(select_types(heat, Filters{"f64"}) == std::vector{ElementType::f64});
  CHECK(mentions(message_of<UsageError>([&] {
                   select_types(heat, Filters{"f64", "i32"});
                 }),
                 "type 'i32' is not one of heat2d's"));
}

TEST_CASE("selection: sizes that are typed replace the standard ones", "[selection]") {
  const std::vector<Size> standard = first().check_sizes();

  CHECK(select_sizes(first(), {}, standard) == standard);
  const auto typed = select_sizes(first(), Filters{"nx=3,ny=4", "nx=5"}, standard);
  REQUIRE(typed.size() == 2);
  CHECK(typed[0].at("nx") == 3);
  CHECK(typed[1].at("nx") == 5);
}

TEST_CASE("selection: a problem that fits is accepted", "[selection]") {
  CHECK_NOTHROW(check_problem(first(), problem_of("nx=100,ny=100"), Place::host));
}

TEST_CASE("selection: a problem larger than memory is refused with both numbers", "[selection]") {
  const Problem problem = problem_of("nx=1073741824,ny=1000000");

  const std::string text =
      message_of<UsageError>([&] { check_problem(first(), problem, Place::host); });

  CHECK(mentions(text, problem.size.text()));
  CHECK(mentions(text, " needs "));
  CHECK(mentions(text, "GiB free"));
  CHECK_FALSE(mentions(text, "\n"));
}

TEST_CASE("selection: an invalid problem is refused before its memory is counted", "[selection]") {
  Problem problem = problem_of("nx=1073741824,ny=1000000");
  problem.parameters = parse_parameters("dt=9", first().parameter_keys);

  const std::string text =
      message_of<UsageError>([&] { check_problem(first(), problem, Place::host); });

  CHECK(mentions(text, "dt=9"));
}

}  // namespace portcost::test
