// SPDX-License-Identifier: Apache-2.0
// What a record says about processor and build.
#include "src/machine/machine.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <regex>

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

}  // namespace portcost::test::test_machine
