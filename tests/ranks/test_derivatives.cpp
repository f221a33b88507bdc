// SPDX-License-Identifier: Apache-2.0
// The Laplacian over processes agrees with the serial reference; what is refused; cost.
#include "tests/ranks/path_checks.hpp"

namespace portcost::test::test_ranks_derivatives {

const Algorithm& row() { return *find_algorithm("derivatives"); }

TEST_CASE("ranks: the Laplacian has the reference's bytes by each path",
          "[derivatives][paths][ranks]") {
  // nz gives the least shares, equal shares, unequal shares.
  const int planes = std::max(9, 4 * all_ranks().size());
  for (const std::string& size : {fmt::format("nx=9,ny=11,nz={},kind=4", planes),
                                  fmt::format("nx=68,ny=33,nz={},kind=4", 2 * planes),
                                  fmt::format("nx=33,ny=64,nz={},kind=4", 3 * planes + 1)}) {
    check_all_steps(row(), 3, size);
    if (device_stream() == nullptr) continue;
    for (const distributed::Path path : paths::paths_between()) {
      check_all_steps(row(), 3, size, fmt::format("halos={}", name(path)));
    }
  }
}

TEST_CASE("ranks: derivatives refuse shares below a halo, other kinds and a path of GPUs on hosts",
          "[derivatives][ranks]") {
  for (const Variant& variant : row().over_ranks) {
    const auto why = [&](const std::string& size, const std::string& path = "automatic") {
      Problem p = problem_of(row(), size, "halos=" + path, ElementType::f32);
      p.ranks = 5;
      return std::string(variant.unfit(p));
    };
    CHECK(why("nz=20,kind=4").empty());
    CHECK(why("nz=19,kind=4") == "a process needs 4 planes: nz=19 is enough for 4");
    CHECK(mentions(why("nz=20,kind=3"), "kind=4"));
    CHECK((variant.place == Place::host) == mentions(why("nz=20,kind=4", "nccl"), "on hosts take"));
  }
}

TEST_CASE("ranks: the Laplacian's cost and memory are those of the process with most planes",
          "[derivatives][ranks]") {
  Problem p = problem_of(row(), "nx=10,ny=20,nz=33,kind=4", "", ElementType::f64);
  p.ranks = 4;
  const Cost cost = row().cost(p);
  REQUIRE((cost.size() == 2 && cost[1].limit == "exchange"));
  CHECK(cost[0].amount == Catch::Approx(2 * 9 * 200 * 8));
  CHECK(cost[1].amount == Catch::Approx(2 * 4 * 200 * 8));
  CHECK(row().footprint(p) == Catch::Approx((2 * (9 + 8) + 2 * 33) * 200 * 8));
}

}  // namespace portcost::test::test_ranks_derivatives
