// SPDX-License-Identifier: Apache-2.0
// fft_poisson over processes: every step agrees with the serial reference, for any number of
// processes; and what is refused.
#include <catch2/catch_approx.hpp>

#include "tests/ranks/path_checks.hpp"
#include "tests/support.hpp"
#include "variants/catalogue.hpp"
#include "variants/shared/fft.hpp"

namespace portcost::test::test_ranks_fft_poisson {

const Algorithm& row() { return *find_algorithm("fft_poisson"); }

// Two ways of Kokkos and OpenMP.
int check_all(const std::string& size, const std::string& parameters = "") {
  return check_all_steps(row(), 3, size, parameters);
}

Problem problem(const std::string& size, const std::string& parameters = "") {
  Problem result = problem_of(row(), size, parameters, ElementType::f64);
  result.ranks = all_ranks().size();
  return result;
}

TEST_CASE("ranks: fft_poisson's slabs agree with the reference", "[fft_poisson][ranks]") {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
  const int ranks = all_ranks().size();
  // Everything divides; nothing does; as many rows, modes or planes as processes, or one more.
  for (const std::string& size :
       {fmt::format("nx={},ny={},nz=1", 4 * ranks, 3 * ranks), std::string("nx=31,ny=29,nz=1"),
        fmt::format("nx={},ny={},nz=1", std::max(2, 2 * ranks - 2), std::max(2, ranks)),
        fmt::format("nx=9,ny={},nz={}", std::max(2, ranks), ranks + 1),
        std::string("nx=15,ny=9,nz=13"), std::string("nx=2,ny=8,nz=9")}) {
    for (const char* laplace : {"operator=spectral", "operator=stencil,path=host_memory"}) {
      INFO(size);
      CHECK((check_all(size, laplace) >= 6 || !row().over_ranks[0].unfit(problem(size)).empty()));
    }
  }
}

TEST_CASE("ranks: fft_poisson refuses too many processes, and hosts a path of GPUs",
          "[fft_poisson][ranks]") {
  const int ranks = all_ranks().size();
  for (const Variant& variant : row().over_ranks) {
    const auto why = [&](const std::string& size, const std::string& path = "automatic") {
      return variant.unfit(problem(size, "path=" + path));
    };
    CHECK(why(fmt::format("nx={},ny={},nz=1", 2 * ranks, ranks + 1)).empty());
    CHECK((variant.place == Place::host) ==
          mentions(why("nx=64,ny=64,nz=64", "nccl"), "on hosts take automatic"));
    if (ranks < 3) continue;
    CHECK(mentions(why(fmt::format("nx=64,ny={},nz=1", ranks - 1)),
                   fmt::format("too many processes: {} rows for {} of them", ranks - 1, ranks)));
    CHECK(mentions(why(fmt::format("nx={},ny=64,nz=1", 2 * ranks - 3)),
                   fmt::format("{} modes along x for", ranks - 1)));
    CHECK(mentions(why(fmt::format("nx=64,ny=64,nz={}", ranks - 1)), "planes"));
    CHECK(mentions(why(fmt::format("nx=64,ny={},nz=64", ranks - 1)), "rows"));
  }
}

TEST_CASE("ranks: fft_poisson is right by each path of GPUs", "[fft_poisson][paths][gpu][ranks]") {
  SKIP_WITHOUT_GPU();
  std::vector<std::string> paths{"peer_copies", "direct_loads"};
  if (distributed::why_no_nccl(all_ranks(), test::paths::everybody()).empty())
    paths.push_back("nccl");
  for (const std::string& path : paths) {
    for (const char* size : {"nx=130,ny=97,nz=1", "nx=64,ny=128,nz=1", "nx=15,ny=20,nz=13"}) {
      CHECK(check_all(size, "path=" + path) == (kokkos_place() == Place::device ? 6 : 2));
    }
  }
}

TEST_CASE("ranks: fft_poisson's cost is what the first process has and sends",
          "[fft_poisson][ranks]") {
  Problem given = problem("nx=100,ny=33,nz=1");
  given.ranks = 7;
  const Cost cost = row().cost(given);
  // 5 rows of 33 in 8 passes; of the 51 modes of a row 6 in 7 go to others, twice.
  REQUIRE(cost.size() == 2);
  CHECK(cost[0].amount == Catch::Approx(8 * 5 * 100 * 8));
  CHECK(cost[1].amount == Catch::Approx(2 * 5 * 51 * 16 * 6 / 7.0));
  CHECK(cost[1].limit == "exchange");
}

}  // namespace portcost::test::test_ranks_fft_poisson
