// SPDX-License-Identifier: Apache-2.0
// Lines of code: what a record's header says of the variants that are measured.
#include "src/record/record.hpp"
#include "tests/fragile.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_lines_of_code {

#if !PORTCOST_HAS_CUDA
namespace {

Json header_of(const std::string& filter) {
  const Ran ran({"bench", filter, "--seconds", "0.02", "--out", "a.jsonl"}, 0);
  return rows_in(read_file(ran.file("a.jsonl"))).at(0);
}

}  // namespace

TEST_CASE("lines of code: a record has those of the variants measured, where they are counted",
          "[command][catalogue]") {
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

}  // namespace portcost::test::test_lines_of_code
