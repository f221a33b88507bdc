// SPDX-License-Identifier: Apache-2.0
// launches: its rule and truth by hand.
#include "tests/matrix_checks.hpp"
#include "variants/launches/problem.hpp"

namespace portcost::test::test_launches {
namespace {

using namespace launches;

const Algorithm& row() { return algorithm_called("launches"); }

TEST_CASE("launches: functors have their size", "[launches]") {
  CHECK(Map<32>::words == 4);
  CHECK(Map<8192>::words == most_words);
}

TEST_CASE("launches: a kernel too few, too many or with another table is found", "[launches]") {
  CHECK(next(3, 4) == 3 * 1'664'525u + 5);
  const auto problem = [](const char* size) {
    return problem_of(row(), size, "", ElementType::i32);
  };
  const Reference right(row(), problem("n=600,kernels=5,bytes=32"));
  CHECK(right.fault(right.answer()) == "");
  for (const char* other :
       {"n=600,kernels=4,bytes=32", "n=600,kernels=6,bytes=32", "n=600,kernels=5,bytes=256"}) {
    CAPTURE(other);
    CHECK(mentions(right.fault(Reference(row(), problem(other)).answer()), "is right"));
  }
}

}  // namespace
}  // namespace portcost::test::test_launches
