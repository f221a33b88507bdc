// SPDX-License-Identifier: Apache-2.0
// What a record says about processor and build, and which processors there are.
#include "src/machine/machine.hpp"

#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "src/machine/cpus.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_machine {

TEST_CASE("machine: the host is named and measured", "[machine]") {
  const auto about = describe_machine(Place::host);

  CHECK(about.at("processor") == processor_name(Place::host));
  CHECK_FALSE(processor_name(Place::host).empty());
  CHECK(about.at("kind") == "cpu");
  CHECK(about.at("cores").get<int>() >= 1);
  CHECK(about.at("usable_cpus").get<int>() >= 1);
  CHECK(about.at("threads").get<int>() >= 1);
  CHECK_FALSE(about.at("affinity").get<std::string>().empty());
  CHECK_FALSE(about.at("binding").get<std::string>().empty());
  CHECK(about.at("memory_bytes").get<double>() > 1e6);
  CHECK(about.at("last_cache_bytes").get<double>() > 0);
}

TEST_CASE("machine: the build names its compiler, flags, type and Kokkos", "[machine]") {
  const auto build = describe_build();

  for (const char* key :
       {"compiler", "flags", "kokkos", "kokkos_kernels", "kokkos_backend", "type"}) {
    CAPTURE(key);
    CHECK_FALSE(build.at(key).get<std::string>().empty());
  }
  CHECK(build.at("cuda").get<std::string>().empty() == !PORTCOST_HAS_CUDA);
  CHECK(build.at("kokkos_backend") == (PORTCOST_HAS_CUDA ? "Cuda" : "OpenMP"));
}

TEST_CASE("machine: version and commit have their forms", "[machine]") {
  CHECK(std::regex_match(version(), std::regex(R"(\d+\.\d+\.\d+)")));
  CHECK(std::regex_match(commit(), std::regex("[0-9a-f]{7,40}(-dirty)?|unknown")));
}

#if PORTCOST_HAS_CUDA
TEST_CASE("machine: the device is named and measured", "[machine][gpu]") {
  need_device();

  const auto about = describe_machine(Place::device);

  CHECK(about.at("processor") == processor_name(Place::device));
  CHECK(about.at("kind") == "gpu");
  CHECK(about.at("multiprocessors").get<int>() >= 1);
  CHECK(about.at("clock_max_mhz").get<int>() > 10);
  CHECK(about.at("memory_bytes").get<double>() > 1e8);
}
#endif

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

}  // namespace portcost::test::test_machine
