// SPDX-License-Identifier: Apache-2.0
// A build that leaves out an algorithm of the repository says so where that one would be shown,
// checked or measured. The command that runs here leaves out one (made_up_catalogue.cpp).
#include <catch2/catch_test_macros.hpp>

#include "tests/command.hpp"

#if !PORTCOST_HAS_CUDA
namespace portcost::test::test_left_out {

namespace {

Outcome run_made_up(const TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  Around around;
  around.program = PORTCOST_MADE_UP;
  return run_command(folder, arguments, around);
}

const std::string how = "perf/portcost builds what a filter names, perf/prepare all";

}  // namespace

TEST_CASE("left out: list and check say it, unless a filter names what is there",
          "[left_out][command]") {
  const TemporaryFolder folder;
  CHECK(lines_of(run_made_up(folder, {"list"}).out).back() ==
        "left out of this build: lost (" + how + ")");
  CHECK_FALSE(mentions(run_made_up(folder, {"list", "made_up"}).out, "lost"));
  CHECK(lines_of(run_made_up(folder, {"check"}).out).front() ==
        "left out of this build, so not checked: lost (" + how + ")");
  CHECK_FALSE(mentions(run_made_up(folder, {"check", "made_up"}).out, "lost"));
}

TEST_CASE("left out: a filter or a campaign that asks for it is refused", "[left_out][command]") {
  const TemporaryFolder folder;
  for (const char* command : {"list", "check", "bench", "run"}) {
    const Outcome named = run_made_up(folder, {command, "lost/*"});
    CHECK(named.status == 2);
    CHECK(named.err ==
          "portcost: 'lost/*' asks for lost, which this build leaves out: " + how + "\n");
  }
  const Outcome full = run_made_up(folder, {"bench", "--campaign", "full"});
  CHECK(full.status == 2);
  CHECK(full.err ==
        "portcost: the full campaign measures lost, too, which this build leaves out: " + how +
            "\n");
  CHECK(run_made_up(folder, {"bench", "--size", "n=999", "--seconds", "0.02"}).status == 0);
}

}  // namespace portcost::test::test_left_out
#endif
