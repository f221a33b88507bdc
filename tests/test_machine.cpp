// SPDX-License-Identifier: Apache-2.0
// What a record says about processor and build, and which processors there are. Environment
// variables that would crash OpenMP or Kokkos are refused in one line, before they do.
#include <nlohmann/json.hpp>
#include <regex>

#include "perf/command/commands.hpp"
#include "src/machine/machine.hpp"
#include "tests/command.hpp"

namespace portcost::test::test_machine {

using Variables = std::vector<std::string>;  // "NAME=value" each

// What is said of an environment in which OpenMP would start `threads`; empty when it is accepted.
std::string refusal(const Variables& variables, int threads = 4) {
  const auto value_of = [&](const std::string& name) -> const char* {
    for (const std::string& one : variables) {
      if (one.starts_with(name + "=")) return one.c_str() + name.size() + 1;
    }
    return nullptr;
  };
  const std::string text = message_of<UsageError>([&] { check_environment(value_of, threads); });
  return text == "(nothing thrown)" ? "" : text;
}

// That each of these variables, alone, is refused by its text, which `is` follows.
void check_each_refused(const Variables& variables, const std::string& is) {
  for (const std::string& one : variables) {
    CAPTURE(one);
    CHECK(refusal({one}).starts_with(one + is));
  }
}

TEST_CASE("machine: host and build are described, with version and commit", "[machine]") {
  const auto about = describe_machine(Place::host);

  CHECK(about.at("processor") == processor_name(Place::host));
  CHECK_FALSE(processor_name(Place::host).empty());
  CHECK(about.at("kind") == "cpu");
  for (const char* key : {"cores", "usable_cpus", "threads"}) CHECK(about.at(key).get<int>() >= 1);
  for (const char* key : {"affinity", "binding"}) CHECK_FALSE(about.at(key).empty());
  CHECK(about.at("memory_bytes").get<double>() > 1e6);
  CHECK(about.at("last_cache_bytes").get<double>() > 0);
  const auto build = describe_build();

  for (const char* key :
       {"compiler", "flags", "kokkos", "kokkos_kernels", "kokkos_backend", "type"}) {
    CAPTURE(key);
    CHECK_FALSE(build.at(key).get<std::string>().empty());
  }
  CHECK(build.at("cuda").get<std::string>().empty() == !PORTCOST_HAS_CUDA);
  CHECK(build.at("kokkos_backend") == (PORTCOST_HAS_CUDA ? "Cuda" : "OpenMP"));
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
  const auto device = describe_device();
  CHECK(device.at("registers").get<int>() >= 32768);
  CHECK(device.at("memory_rate").get<double>() > 1e10);
}
#else
TEST_CASE("machine: without a GPU there is no device to describe", "[machine]") {
  CHECK(describe_device().empty());
}
#endif

TEST_CASE("cpus: ranges, and a quota that counts, rounded down, but never to none", "[cpus]") {
  CHECK(ranges_text({}).empty());
  CHECK(ranges_text({5}) == "5");
  CHECK(ranges_text({0, 1, 2, 3, 8, 10, 11}) == "0-3,8,10-11");
  CHECK(numbers_of("").empty());
  CHECK(numbers_of("0-3,8,10-11") == std::vector<int>{0, 1, 2, 3, 8, 10, 11});
  Cpus cpus;
  cpus.allowed = {0, 1, 2, 3};

  CHECK(cpus.usable() == 4);
  cpus.quota = 2.5;
  CHECK(cpus.usable() == 2);
  cpus.quota = 0.5;
  CHECK(cpus.usable() == 1);
  cpus.quota = 64;
  CHECK(cpus.usable() == 4);
  cpus.threads = 4;
  CHECK(oversubscription(cpus).empty());
  cpus.threads = 8;
  CHECK(oversubscription(cpus).starts_with("8 OpenMP threads on 4 processors"));
  CHECK(oversubscription(cpus).ends_with("OMP_NUM_THREADS=4"));
}

TEST_CASE("environment: numbers of threads, and what else Kokkos reads", "[environment]") {
  CHECK(refusal({}) == "");
  CHECK(refusal({}, 512) == "");
  for (const std::string text : {"1", "2", "512", " 4 ", "4,2", "2, 2"}) {
    CAPTURE(text);
    CHECK(refusal({"OMP_NUM_THREADS=" + text}) == "");
  }
  CHECK(refusal({"KOKKOS_NUM_THREADS=512"}) == "");
  for (const std::string name : {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS"}) {
    for (const std::string text :
         {"0", "513", "1000", "100000", "99999999999999999999", "-1", "x", "", "2x", "1.5", ","}) {
      CAPTURE(name, text);
      CHECK(refusal({name + "=" + text}) ==
            name + "=" + text + " is no whole number from 1 to 512: name one, or unset it");
    }
  }
  CHECK(refusal({"KOKKOS_DEVICE_ID=0", "KOKKOS_DISABLE_WARNINGS=True",
                 "KOKKOS_MAP_DEVICE_ID_BY=random", "KOKKOS_VISIBLE_DEVICES=0,1"}) == "");
  check_each_refused(
      {"KOKKOS_DEVICE_ID=first", "KOKKOS_NUM_DEVICES=0", "KOKKOS_VISIBLE_DEVICES=0,x",
       "KOKKOS_PRINT_CONFIGURATION=maybe", "KOKKOS_MAP_DEVICE_ID_BY=name", "OMP_THREAD_LIMIT=0"},
      " is ");
  CHECK(refusal({"OMP_NUM_THREADS=2,1000"}) != "");
  CHECK(refusal({"KOKKOS_NUM_THREADS=2,2"}) != "");
  CHECK(refusal({}, 513) ==
        "OpenMP would start 513 threads here, and Kokkos can hold 512: set OMP_NUM_THREADS=512 or "
        "fewer");
}

TEST_CASE("environment: what OpenMP reads is what its specification allows", "[environment]") {
  CHECK(refusal({"OMP_PROC_BIND=Spread, close", "OMP_PLACES=cores(2)",
                 "OMP_SCHEDULE=monotonic:dynamic,64", "OMP_WAIT_POLICY= passive ",
                 "OMP_DYNAMIC=FALSE", "OMP_MAX_ACTIVE_LEVELS=0", "OMP_STACKSIZE=16 M",
                 "OMP_DEFAULT_DEVICE=0", "OMP_THREAD_LIMIT=2147483647",
                 "OMP_TARGET_OFFLOAD=Disabled", "OMP_TOOL=enabled", "GOMP_STACKSIZE=512",
                 "GOMP_CPU_AFFINITY=0 3,1-2 4-15:2", "GOMP_SPINCOUNT=Infinite",
                 "OMP_ALLOCATOR=omp_high_bw_mem_space:alignment=16, pinned=true"}) == "");
  check_each_refused(
      {"OMP_PROC_BIND=banana", "OMP_PLACES=chairs", "OMP_SCHEDULE=static,x",
       "OMP_TARGET_OFFLOAD=never", "OMP_ALLOCATOR=malloc", "OMP_WAIT_POLICY=lazy", "OMP_DYNAMIC=1",
       "OMP_NESTED=", "OMP_DISPLAY_ENV=loud", "OMP_STACKSIZE=1T", "OMP_PROC_BIND=true,close",
       "OMP_PROC_BIND=close,", "OMP_PROC_BIND=close spread", "OMP_PROC_BIND=1",
       "OMP_SCHEDULE=static,0", "OMP_SCHEDULE=dynamic,-1", "OMP_SCHEDULE=guided,",
       "OMP_SCHEDULE=auto:4", "OMP_SCHEDULE=monotonic"},
      " is not ");
  check_each_refused({"GOMP_CPU_AFFINITY=0-", "GOMP_SPINCOUNT=-1", "GOMP_STACKSIZE=x"}, " is not ");
  for (const std::string name : {"OMP", "GOMP"}) {
    CHECK(refusal({name + "_STACKSIZE=99999999G"}) ==
          name + "_STACKSIZE=99999999G is more than a thread gets here: name less, or unset it");
  }
  for (const std::string stack : {"0", "1B"}) {
    CHECK(refusal({"OMP_STACKSIZE=" + stack}) ==
          "OMP_STACKSIZE=" + stack + " is less than a thread needs here: name more, or unset it");
  }
}

TEST_CASE("a build that falsifies times measures only where this is allowed", "[machine]") {
  CHECK_NOTHROW(refuse_false_times("", false));
  CHECK_NOTHROW(refuse_false_times("Kokkos was built with DEBUG", true));
  check_throws<UsageError>(
      "Kokkos was built with DEBUG, which makes every time worthless: name another Kokkos",
      [] { refuse_false_times("Kokkos was built with DEBUG", false); });
}

TEST_CASE("environment: places are named or listed, by the grammar of OpenMP", "[environment]") {
  for (const std::string places :
       {"threads", "ll_caches", "numa_domains", "Sockets ( 1 )", "cores(2)", "{0,1},{2:2}", "0, 1",
        "{0:4}:2:-4", "{0:2:+2} , !{4}", "{ 0 , !1 }", "!0", "{0}:3"}) {
    CAPTURE(places);
    CHECK(refusal({"OMP_PLACES=" + places}) == "");
  }
  for (const std::string places :
       {"",       "chairs", "cores(0)", "cores(", "cores()", "cores,threads", "{",    "{}",
        "{0",     "0}",     "{0},",     ",{0}",   "{0}{1}",  "{0 1}",         "{-1}", "{0:0}",
        "{0:2:}", "{0}:0",  "!{0}:2",   "{!0:2}", "::,,!!",  "{{0}}",         "1.5"}) {
    CAPTURE(places);
    CHECK(refusal({"OMP_PLACES=" + places}).starts_with("OMP_PLACES=" + places + " is not "));
  }
  std::string many = "0";
  for (int i = 1; i < 4096; ++i) many += ",{" + std::to_string(i) + "}";
  CHECK(refusal({"OMP_PLACES=" + many}) == "");
}

TEST_CASE("environment: the command ends with status 2 and a line of its own", "[command]") {
  for (const std::string variable :
       {"OMP_NUM_THREADS=1000", "OMP_NUM_THREADS=100000", "KOKKOS_NUM_THREADS=x",
        "OMP_PROC_BIND=banana", "OMP_STACKSIZE=99999999G"}) {
    const Outcome outcome =
        run_command({"check", naive_pair, "--size", "nx=8,ny=8"}, {.variable = variable});

    CAPTURE(variable, outcome.err);
    CHECK(outcome.status == 2);
    // OpenMP's library may have said something of its own before.
    CHECK(lines_of(outcome.err).back().starts_with("portcost: " + variable + " is "));
    CHECK(outcome.out.empty());
  }
}

}  // namespace portcost::test::test_machine
