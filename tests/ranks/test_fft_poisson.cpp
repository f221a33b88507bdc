// SPDX-License-Identifier: Apache-2.0
// fft_poisson over processes agrees with the serial reference; what is refused; cost.
#include "tests/ranks/path_checks.hpp"
#include "variants/shared/fft.hpp"

namespace portcost::test::test_ranks_fft_poisson {

const Algorithm& row() { return *find_algorithm("fft_poisson"); }

Problem problem(const std::string& size, const std::string& parameters = "") {
  Problem result = problem_of(row(), size, parameters, ElementType::f64);
  result.ranks = all_ranks().size();
  return result;
}

TEST_CASE("ranks: fft_poisson's slabs agree with the reference by each path",
          "[fft_poisson][paths][ranks]") {
  if (!fft::absent(Place::host).empty()) SKIP(fft::absent(Place::host));
  const int ranks = all_ranks().size(), least = std::max(2, ranks);
  std::vector<std::string> taken{"automatic", "host_memory"};
  if (device_stream() != nullptr) {
    for (const distributed::Path path : paths::paths_between()) taken.emplace_back(name(path));
  }
  // Shares are equal; are not; are one row, mode or plane each.
  for (const std::string& size :
       {fmt::format("nx={},ny={},nz=1", 4 * ranks, 3 * least), std::string("nx=31,ny=29,nz=1"),
        fmt::format("nx={},ny={},nz=1", 2 * least - 2, least),
        fmt::format("nx=9,ny={},nz={}", least, least), std::string("nx=15,ny=9,nz=13")}) {
    for (const std::string& path : taken) {
      const char* const laplace = path == "automatic" ? "spectral" : "stencil";
      const int ran = check_all_steps(row(), 3, size, "operator=" + (laplace + (",path=" + path)));
      CHECK(ran >= (kokkos_place() == Place::host ? 6 : 2));
    }
  }
}

TEST_CASE("ranks: fft_poisson refuses too many processes and on hosts a path of GPUs",
          "[fft_poisson][ranks]") {
  const int ranks = std::max(3, all_ranks().size());
  for (const Variant& variant : row().over_ranks) {
    const auto why = [&](const std::string& size, const std::string& path = "automatic") {
      Problem p = problem(size, "path=" + path);
      p.ranks = ranks;
      return variant.unfit(p);
    };
    CHECK((variant.place == Place::host) == mentions(why("nx=64", "nccl"), "on hosts take"));
    CHECK(mentions(why(fmt::format("ny={},nz=1", ranks - 1)),
                   fmt::format("{} rows for {} of them", ranks - 1, ranks)));
    CHECK(mentions(why(fmt::format("nx={},nz=1", 2 * ranks - 3)), "modes along x for"));
    CHECK(mentions(why(fmt::format("nz={}", ranks - 1)), "planes"));
    CHECK(mentions(why(fmt::format("ny={}", ranks - 1)), "rows"));
  }
}

TEST_CASE("ranks: fft_poisson's cost is of the first process", "[fft_poisson][ranks]") {
  Problem given = problem("nx=100,ny=33,nz=1");
  given.ranks = 7;
  const Cost cost = row().cost(given);
  // 5 rows of 33 in 3 passes; of the 51 modes of a row 6 in 7 go to others, twice.
  REQUIRE((cost.size() == 2 && cost[1].limit == "exchange"));
  CHECK(cost[0].amount == Catch::Approx(6 * 5 * 100 * 8));
  CHECK(cost[1].amount == Catch::Approx(2 * 5 * 51 * 16 * 6 / 7.0));
}

}  // namespace portcost::test::test_ranks_fft_poisson
