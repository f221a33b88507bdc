// SPDX-License-Identifier: Apache-2.0
// A build that leaves out an algorithm of the repository says so where that one would be shown,
// checked or measured. The command that runs here leaves out one (made_up_catalogue.cpp).
#include "tests/command.hpp"

#if !PORTCOST_HAS_CUDA
namespace portcost::test::test_left_out {

namespace {

Outcome run_made_up(const Arguments& arguments) {
  return run_command(arguments, {.program = PORTCOST_MADE_UP});
}

const std::string how = "perf/portcost builds what a filter names, perf/prepare all";

}  // namespace

TEST_CASE("left out: list and check say it, unless a filter names what is there",
          "[left_out][command]") {
  CHECK(lines_of(run_made_up({"list"}).out).back() == "left out of this build: lost (" + how + ")");
  CHECK_FALSE(mentions(run_made_up({"list", "made_up"}).out, "lost"));
  CHECK(lines_of(run_made_up({"check"}).out).front() ==
        "left out of this build, so not checked: lost (" + how + ")");
  CHECK_FALSE(mentions(run_made_up({"check", "made_up"}).out, "lost"));
}

TEST_CASE("left out: a filter or a campaign that asks for it is refused", "[left_out][command]") {
  for (const char* command : {"list", "check", "bench", "run"}) {
    check_refused(run_made_up({command, "lost/*"}), 2,
                  "portcost: 'lost/*' asks for lost, which this build leaves out: " + how + "\n");
  }
  check_refused(
      run_made_up({"bench", "--campaign", "full"}), 2,
      "portcost: the full campaign measures lost, too, which this build leaves out: " + how + "\n");
  CHECK(run_made_up({"bench", "--size", "n=999", "--seconds", "0.02"}).status == 0);
}

}  // namespace portcost::test::test_left_out
#endif
