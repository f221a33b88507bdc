// SPDX-License-Identifier: Apache-2.0
// A check of which one variant crashes, hangs or throws: the others are checked all the same. The
// command that runs here has a catalogue of such variants (fragile_catalogue.cpp).
#include <signal.h>

#include <catch2/generators/catch_generators.hpp>

#include "tests/fragile.hpp"

#if !PORTCOST_HAS_CUDA
namespace portcost::test::test_supervised_check {

namespace {

Arguments check(const std::string& fault, int on = on_kokkos, const Arguments& more = {}) {
  Arguments words{"check", "--parameter", fault_parameter(fault, on) + ",from=1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::string head = "fragile/second/kokkos n=1000,fault=";

}  // namespace

TEST_CASE("supervised check: without a fault there is nothing to be seen of it",
          "[supervisor][command]") {
  const Ran checked(check("none"), 0);
  CHECK(checked.err.empty());
  CHECK(checked.out == "fragile: 6 of 6 answers equal the reference's (equal)\n");
}

TEST_CASE("supervised check: a variant that fails is named, and the others are checked",
          "[supervisor][command]") {
  struct Failing {
    std::string fault, text;
  };
  const auto [fault, text] = GENERATE(
      Failing{"abort", "1,from=1 i32 crashed: SIGABRT, in its first run"},
      Failing{"segfault", "2,from=1 i32 crashed: SIGSEGV, in its first run"},
      Failing{"hang", "3,from=1 i32 hung: no sign of life in 2 s (--patience), in its first run"},
      Failing{"error", "4,from=1 i32 failed: an illegal address, in its first run"},
      Failing{"no_make", "6,from=1 i32 crashed: SIGBUS, while it was made ready"},
      Failing{"end", "7,from=1 i32 ended the program with status 0, in its first run"},
      Failing{"no_release", "8,from=1 i32 crashed: SIGFPE, while it was released"});
  const Ran checked(check(fault, on_kokkos, {"--patience", "2"}));
  CHECK(checked.err.empty());
  CHECK(checked.out ==
        head + text + "\nfragile: 5 of 6 answers equal the reference's (equal); 1 failed\n");
}

TEST_CASE("supervised check: what is said before a crash is said and counted once",
          "[supervisor][command]") {
  const Ran checked(check("mixed", on_kokkos + on_openmp,
                          {"--size", "n=1000", "--size", "n=2000", "--size", "n=3000"}));
  for (const char* n : {"n=1000", "n=2000", "n=3000"}) {
    CHECK(count(checked.out, std::string("fragile/second/openmp ") + n) == 1);
    CHECK(count(checked.out, std::string("fragile/second/kokkos ") + n) == 1);
  }
  CHECK(lines_of(checked.out).size() == 7);
  CHECK(lines_of(checked.out).back() ==
        "fragile: 12 of 18 answers equal the reference's (equal); 3 failed");
}

TEST_CASE("supervised check: what has a failed reference alone is not compared, and fails",
          "[supervisor][command]") {
  const Ran checked(check("abort", on_reference));
  CHECK(count(checked.out, "fragile/first/reference n=1000,fault=1,on=4,from=1 i32 crashed") == 1);
  CHECK(count(checked.out,
              "fragile/third/openmp n=1000 i32: not compared, since fragile/first/reference "
              "crashed: SIGABRT, in its first run\n") == 1);
  CHECK(lines_of(checked.out).size() == 8);
  CHECK(lines_of(checked.out).back() ==
        "fragile: 0 of 6 answers equal the reference's (equal); 6 failed");
}

TEST_CASE("supervised check: a crash while no variant runs ends it with 3",
          "[supervisor][command]") {
  const Ran checked(check("no_data"), 3);
  CHECK(checked.err ==
        "portcost: failed: the process that checks crashed: SIGILL, and no variant ran\n");
}

TEST_CASE("supervised check: without a supervisor a crash ends the command",
          "[supervisor][command]") {
  const Ran checked(check("abort", on_kokkos, {"--no-supervisor"}),
                    128 + SIGABRT);  // as a shell says it
}

TEST_CASE("supervised check: a patience out of range is refused", "[supervisor][command]") {
  const Ran checked(check("none", on_kokkos, {"--patience", "0"}), 2);
  CHECK(mentions(checked.err, "--patience 0 is out of range: 0.1 to 86400 seconds"));
}

}  // namespace portcost::test::test_supervised_check
#endif
