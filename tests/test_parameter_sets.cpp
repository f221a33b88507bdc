// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "perf/command/parameter_sets.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_parameter_sets {
namespace {

constexpr std::string_view colours[] = {"red", "blue"};
const std::vector<ParameterKey> keys{ParameterKey::whole("r1", 64, "columns a round"),
                                     ParameterKey::choice("colour", colours, "of the tile"),
                                     ParameterKey::real("share", 0.5, "of the work")};

std::vector<std::string> sets(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const Parameters& one : parse_parameter_sets(texts, keys)) result.push_back(one.text());
  return result;
}

std::string refusal(const std::vector<std::string>& texts) {
  return message_of<UsageError>([&] { parse_parameter_sets(texts, keys); });
}

TEST_CASE("parameter sets: none given is one problem with the defaults", "[settings]") {
  CHECK(sets({}) == std::vector<std::string>{"r1=64,colour=red,share=0.5"});
  CHECK(sets({""}) == std::vector<std::string>{"r1=64,colour=red,share=0.5"});
}

TEST_CASE("parameter sets: different keys make one problem, in one text or several", "[settings]") {
  const std::vector<std::string> one{"r1=8,colour=blue,share=0.5"};
  CHECK(sets({"r1=8,colour=blue"}) == one);
  CHECK(sets({"colour=blue", " r1 = 8 "}) == one);
}

TEST_CASE("parameter sets: a key in several texts takes each of its values", "[settings]") {
  CHECK(sets({"r1=8", "r1=16", "r1=64"}) == std::vector<std::string>{"r1=8,colour=red,share=0.5",
                                                                     "r1=16,colour=red,share=0.5",
                                                                     "r1=64,colour=red,share=0.5"});
  CHECK(sets({"r1=8,colour=red", "share=1", "r1=16,colour=blue"}) ==
        std::vector<std::string>{"r1=8,colour=red,share=1", "r1=8,colour=blue,share=1",
                                 "r1=16,colour=red,share=1", "r1=16,colour=blue,share=1"});
}

TEST_CASE("parameter sets: what cannot be is refused, with the value", "[settings]") {
  CHECK(mentions(refusal({"r1=8", "r1=16", "r1=8"}), "r1=8 is given twice: once is enough"));
  CHECK(mentions(refusal({"r1=8", "r1=08"}), "r1=8 is given twice"));
  CHECK(mentions(refusal({"r1=8,r1=16"}), "key 'r1' is given twice"));
  CHECK(mentions(refusal({"r1=8", "colur=red"}), "did you mean 'colour'"));
  CHECK(mentions(refusal({"r1=8,"}), "ends in a comma"));
}

}  // namespace
}  // namespace portcost::test::test_parameter_sets
