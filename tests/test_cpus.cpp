// SPDX-License-Identifier: Apache-2.0
#include "src/machine/cpus.hpp"

#include <catch2/catch_test_macros.hpp>
#include <thread>

namespace portcost::test::test_cpus {

TEST_CASE("cpus: this process may use at least one, and no more than there are", "[cpus]") {
  const Cpus cpus = find_cpus();

  REQUIRE_FALSE(cpus.allowed.empty());
  CHECK(cpus.allowed.size() <= std::thread::hardware_concurrency());
  CHECK(cpus.cores >= 1);
  CHECK(cpus.cores <= static_cast<int>(cpus.allowed.size()));
  CHECK(cpus.usable() >= 1);
  CHECK(cpus.usable() <= static_cast<int>(cpus.allowed.size()));
  CHECK(cpus.threads >= 1);
  CHECK_FALSE(cpus.binding.empty());
}

TEST_CASE("cpus: a control group's quota counts, rounded down, but never to none", "[cpus]") {
  Cpus cpus;
  cpus.allowed = {0, 1, 2, 3};

  CHECK(cpus.usable() == 4);
  cpus.quota = 2.5;
  CHECK(cpus.usable() == 2);
  cpus.quota = 0.5;
  CHECK(cpus.usable() == 1);
  cpus.quota = 64;
  CHECK(cpus.usable() == 4);
}

TEST_CASE("cpus: ranges", "[cpus]") {
  CHECK(ranges_text({}).empty());
  CHECK(ranges_text({5}) == "5");
  CHECK(ranges_text({0, 1, 2, 3, 8, 10, 11}) == "0-3,8,10-11");
  CHECK(numbers_of("").empty());
  CHECK(numbers_of("0-3,8,10-11") == std::vector<int>{0, 1, 2, 3, 8, 10, 11});
}

TEST_CASE("cpus: more threads than processors is said, with what would help", "[cpus]") {
  Cpus cpus;
  cpus.allowed = {0, 1};
  cpus.threads = 2;
  CHECK(oversubscription(cpus).empty());

  cpus.threads = 8;
  CHECK(oversubscription(cpus).starts_with("8 OpenMP threads on 2 processors"));
  CHECK(oversubscription(cpus).ends_with("OMP_NUM_THREADS=2"));
}

}  // namespace portcost::test::test_cpus
