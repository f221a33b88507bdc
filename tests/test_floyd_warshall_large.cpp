// SPDX-License-Identifier: Apache-2.0
// floyd_warshall's variants on more tiles than run at a time, so that what a round must wait for is
// still being worked on: a missing wait shows on few tiles by luck alone.
#include <catch2/catch_test_macros.hpp>
#include <optional>

#include "tests/matrix_checks.hpp"

namespace portcost::test::test_floyd_warshall_large {

namespace {

const Algorithm& row() { return algorithm_called("floyd_warshall"); }

// The variants on tiles against the truth, and against the first of them.
void agree_on_many_tiles(Place place, int n) {
  Stream& stream = shared_stream(place);
  for (const ElementType type : {ElementType::f32, ElementType::i32}) {
    const Problem problem = problem_of(row(), n, "graph=ring", type);
    const auto instance = row().make(problem, stream);
    std::optional<Answer> first;
    for (const Variant& variant : row().variants) {
      if (variant.place != place || variant.model == Model::reference) continue;
      if (variant.step == "naive_2d" || variant.step == "block_2d") continue;
      CAPTURE(variant_name(row(), variant), n, name(type));
      Answer answer = run_afresh(*instance, *variant.make(problem, *instance));
      CHECK(row().judge(problem, variant.step, answer, *instance).fault == "");
      if (!first) {
        first = std::move(answer);
      } else {
        CHECK(row().compare(problem, answer, *first, stream).text == "");
      }
    }
    CHECK(first);
  }
}

}  // namespace

TEST_CASE("floyd_warshall: host variants agree on more tiles than threads",
          "[floyd_warshall][kokkos]") {
  agree_on_many_tiles(Place::host, 700);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("floyd_warshall: device variants agree where the rest of a round takes longest",
          "[floyd_warshall][kokkos][gpu]") {
  need_device();
  agree_on_many_tiles(Place::device, 4000);
}
#endif

}  // namespace portcost::test::test_floyd_warshall_large
