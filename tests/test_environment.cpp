// SPDX-License-Identifier: Apache-2.0
// Environment variables that would crash OpenMP or Kokkos: refused in one line, before they do.
#include "perf/command/environment.hpp"

#include "tests/command.hpp"

namespace portcost::test::test_environment {

namespace {

using Variables = std::map<std::string, std::string>;

// What is said of an environment in which OpenMP would start `threads`; empty when it is accepted.
std::string refusal(const Variables& variables, int threads = 4) {
  const auto value_of = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const std::string text = message_of<UsageError>([&] { check_environment(value_of, threads); });
  return text == "(nothing thrown)" ? "" : text;
}

}  // namespace

TEST_CASE("environment: numbers of threads that there can be are accepted", "[environment]") {
  CHECK(refusal({}) == "");
  CHECK(refusal({}, 512) == "");
  for (const std::string text : {"1", "2", "512", " 4 ", "4,2", "2, 2"}) {
    CAPTURE(text);
    CHECK(refusal({{"OMP_NUM_THREADS", text}}) == "");
  }
  CHECK(refusal({{"KOKKOS_NUM_THREADS", "512"}}) == "");
}

TEST_CASE("environment: other numbers of threads are named, with the remedy", "[environment]") {
  for (const std::string name : {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS"}) {
    for (const std::string text :
         {"0", "513", "1000", "100000", "99999999999999999999", "-1", "x", "", "2x", "1.5", ","}) {
      CAPTURE(name, text);
      CHECK(refusal({{name, text}}) ==
            name + "=" + text + " is no whole number from 1 to 512: name one, or unset it");
    }
  }
  CHECK(refusal({{"OMP_NUM_THREADS", "2,1000"}}) != "");
  CHECK(refusal({{"KOKKOS_NUM_THREADS", "2,2"}}) != "");
}

TEST_CASE("environment: more processors than Kokkos has room for are refused without a variable",
          "[environment]") {
  CHECK(refusal({}, 513) ==
        "OpenMP would start 513 threads here, and Kokkos can hold 512: set OMP_NUM_THREADS=512 or "
        "fewer");
}

TEST_CASE("environment: what else Kokkos reads is looked at", "[environment]") {
  CHECK(refusal({{"KOKKOS_DEVICE_ID", "0"},
                 {"KOKKOS_DISABLE_WARNINGS", "True"},
                 {"KOKKOS_MAP_DEVICE_ID_BY", "random"},
                 {"KOKKOS_VISIBLE_DEVICES", "0,1"}}) == "");
  for (const auto& [name, text] : Variables{{"KOKKOS_DEVICE_ID", "first"},
                                            {"KOKKOS_NUM_DEVICES", "0"},
                                            {"KOKKOS_VISIBLE_DEVICES", "0,x"},
                                            {"KOKKOS_PRINT_CONFIGURATION", "maybe"},
                                            {"KOKKOS_MAP_DEVICE_ID_BY", "name"},
                                            {"OMP_THREAD_LIMIT", "0"}}) {
    CHECK(refusal({{name, text}}).starts_with(name + "=" + text + " is "));
  }
}

TEST_CASE("environment: what OpenMP reads is what its specification allows", "[environment]") {
  CHECK(refusal({{"OMP_PROC_BIND", "Spread, close"},
                 {"OMP_PLACES", "cores(2)"},
                 {"OMP_SCHEDULE", "monotonic:dynamic,64"},
                 {"OMP_WAIT_POLICY", " passive "},
                 {"OMP_DYNAMIC", "FALSE"},
                 {"OMP_MAX_ACTIVE_LEVELS", "0"},
                 {"OMP_STACKSIZE", "16 M"},
                 {"OMP_DEFAULT_DEVICE", "0"},
                 {"OMP_THREAD_LIMIT", "2147483647"},
                 {"OMP_TARGET_OFFLOAD", "Disabled"},
                 {"OMP_TOOL", "enabled"},
                 {"OMP_ALLOCATOR", "omp_high_bw_mem_space:alignment=16, pinned=true"}}) == "");
  for (const auto& [name, text] : Variables{{"OMP_PROC_BIND", "banana"},
                                            {"OMP_PLACES", "chairs"},
                                            {"OMP_SCHEDULE", "static,x"},
                                            {"OMP_TARGET_OFFLOAD", "never"},
                                            {"OMP_ALLOCATOR", "malloc"},
                                            {"OMP_WAIT_POLICY", "lazy"},
                                            {"OMP_DYNAMIC", "1"},
                                            {"OMP_NESTED", ""},
                                            {"OMP_DISPLAY_ENV", "loud"},
                                            {"OMP_STACKSIZE", "1T"}}) {
    CAPTURE(name);
    CHECK(refusal({{name, text}}).starts_with(name + "=" + text + " is not "));
  }
  for (const std::string binding : {"true,close", "close,", "close spread", "1"}) {
    CAPTURE(binding);
    CHECK(refusal({{"OMP_PROC_BIND", binding}}) != "");
  }
  CHECK(refusal({{"OMP_STACKSIZE", "99999999G"}}) ==
        "OMP_STACKSIZE=99999999G is more than a thread gets here: name less, or unset it");
  for (const std::string stack : {"0", "1B"}) {
    CHECK(refusal({{"OMP_STACKSIZE", stack}}) ==
          "OMP_STACKSIZE=" + stack + " is less than a thread needs here: name more, or unset it");
  }
  for (const std::string chunk : {"static,0", "dynamic,-1", "guided,", "auto:4", "monotonic"}) {
    CAPTURE(chunk);
    CHECK(refusal({{"OMP_SCHEDULE", chunk}}) != "");
  }
}

TEST_CASE("environment: places are named or listed, by the grammar of OpenMP", "[environment]") {
  for (const std::string places :
       {"threads", "ll_caches", "numa_domains", "Sockets ( 1 )", "cores(2)", "{0,1},{2:2}", "0, 1",
        "{0:4}:2:-4", "{0:2:+2} , !{4}", "{ 0 , !1 }", "!0", "{0}:3"}) {
    CAPTURE(places);
    CHECK(refusal({{"OMP_PLACES", places}}) == "");
  }
  for (const std::string places :
       {"",       "chairs", "cores(0)", "cores(", "cores()", "cores,threads", "{",    "{}",
        "{0",     "0}",     "{0},",     ",{0}",   "{0}{1}",  "{0 1}",         "{-1}", "{0:0}",
        "{0:2:}", "{0}:0",  "!{0}:2",   "{!0:2}", "::,,!!",  "{{0}}",         "1.5"}) {
    CAPTURE(places);
    CHECK(refusal({{"OMP_PLACES", places}}).starts_with("OMP_PLACES=" + places + " is not "));
  }
  std::string many = "0";
  for (int i = 1; i < 4096; ++i) many += ",{" + std::to_string(i) + "}";
  CHECK(refusal({{"OMP_PLACES", many}}) == "");
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

}  // namespace portcost::test::test_environment
