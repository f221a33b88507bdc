// SPDX-License-Identifier: Apache-2.0
// A bench or a check of which one variant crashes, hangs or throws: the rest is done all the same.
// The command that runs here has such variants (made_up_catalogue.cpp).
#include <signal.h>

#include <chrono>

#include "perf/command/commands.hpp"
#include "tests/command.hpp"

#if !PORTCOST_HAS_CUDA
namespace portcost::test::test_supervisor {
namespace {

// In which variants of the second step the fault is; may be added.
constexpr int on_kokkos = 1, on_openmp = 2, on_reference = 4;

struct Rows {
  std::vector<Json> results, failures;
  std::size_t limits = 0, ends = 0;

  const Json& of(const std::string& step, const std::string& role) const {
    const auto found = std::find_if(results.begin(), results.end(), [&](const Json& row) {
      return row.at("step") == step && row.at("role") == role;
    });
    REQUIRE(found != results.end());
    return *found;
  }
};

Rows rows_of(const TemporaryFolder& folder, const std::string& name = "run.jsonl") {
  const std::string text = read_file(folder.file(name));
  return {rows_in(text, "result"), rows_in(text, "failure"), rows_in(text, "limit").size(),
          rows_in(text, "end").size()};
}

Arguments bench(const std::string& fault, const Arguments& more = {"--out", "run.jsonl"},
                int on = on_kokkos) {
  return joined(
      {"bench", "--seconds", "0.02", "--parameter", fmt::format("fault={},on={}", fault, on)},
      more);
}

// The campaign went on and ended, the second step has failed so, and nothing was reported twice.
void check_gone_on(const Ran& ran, const std::string& what, const std::string& when) {
  CHECK(mentions(ran.err, "portcost: fragile/second/kokkos n=1000,fault="));
  CHECK(mentions(ran.err, " i32 cold " + what + ", " + when + "; going on without it\n"));
  CHECK(mentions(lines_of(ran.err).back(), "portcost: fragile/second/kokkos n=1000,fault="));
  CHECK(mentions(lines_of(ran.err).back(), ": what needs it has failed, the rest is measured"));
  CHECK_FALSE(mentions(ran.err, "answers differ"));
  CHECK(count(ran.out, "host copy: ") == 1);
  CHECK(count(ran.out, "cost of portability") == 1);
  CHECK(count(ran.out, "second         FAILED\n") == 1);
  for (const char* done : {"[  1/5]", "[  2/5]", "[  3/5]", "[  4/5]", "[  5/5]"}) {
    CHECK(count(ran.err, done) == 1);
  }

  const Rows rows = rows_of(ran);
  CHECK(rows.limits == 1);
  CHECK(rows.ends == 1);
  REQUIRE(rows.failures.size() == 1);
  CHECK(rows.failures[0].at("variant") == "fragile/second/kokkos");
  CHECK(rows.failures[0].at("what") == what);
  CHECK(rows.failures[0].at("when") == when);
  REQUIRE(rows.results.size() == 5);
  for (std::size_t i = 0; i < rows.results.size(); ++i) CHECK(rows.results[i].at("id") == i);
  const Json& failed = rows.of("second", "pair");
  CHECK(failed.at("agrees") == false);
  CHECK(failed.at("failed") == Json{"fragile/second/kokkos"});
  CHECK(failed.at("samples") == 0);
  CHECK_FALSE(failed.contains("ratio"));
  for (const char* step : {"first", "third"}) CHECK(rows.of(step, "pair").contains("ratio"));
  CHECK(rows.of("best", "best").contains("ratio"));
  CHECK(ran.entries() == std::vector<std::string>{"run.csv", "run.jsonl"});
}

Arguments check(const std::string& fault, int on = on_kokkos, const Arguments& more = {}) {
  return joined(
      {"check", "fragile", "--parameter", fmt::format("fault={},on={},from=1", fault, on)}, more);
}

const std::string head = "fragile/second/kokkos n=1000,fault=";

TEST_CASE("supervisor: without a fault nothing is seen of it", "[supervisor][command]") {
  const Ran ran(bench("none"), 0);
  CHECK(lines_of(ran.err).size() == 5);
  CHECK(rows_of(ran).failures.empty());
  const Ran checked(check("none"), 0);
  CHECK(checked.err.empty());
  CHECK(checked.out == "fragile: 6 of 6 answers equal the reference's (equal)\n");
}

TEST_CASE("supervisor: a variant that crashes or ends is left out alone", "[supervisor][command]") {
  const auto& [fault, what, when] = GENERATE(table<std::string, std::string, std::string>(
      {{"abort", "crashed: SIGABRT", "in its first run"},
       {"no_make", "crashed: SIGBUS", "while it was made ready"},
       {"error", "failed: an illegal address", "while it was measured"},
       {"end", "ended the program with status 0", "in its first run"}}));
  check_gone_on(Ran(bench(fault)), what, when);
}

TEST_CASE("supervisor: a crash amid samples leaves rows before it", "[supervisor][command]") {
  const Ran ran(bench("segfault"));
  check_gone_on(ran, "crashed: SIGSEGV", "while it was measured");
  const std::string text = read_file(ran.file("run.jsonl"));
  CHECK(rows_in(text, "resume").size() == 1);
  CHECK(count(text.substr(0, text.find("{\"kind\":\"failure\"")), "{\"kind\":\"result\"") == 2);
}

TEST_CASE("supervisor: a variant that hangs is left out", "[supervisor][command][slow]") {
  check_gone_on(Ran(bench("hang", {"--patience", "8", "--out", "run.jsonl"})),
                "hung: no sign of life in 8 s (--patience)", "while it was measured");
}

TEST_CASE("supervisor: a long campaign is no hang", "[supervisor][command][slow]") {
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran(bench("slow", {"fragile/second/kokkos", "--patience", "2"}), 0);
  CHECK(std::chrono::steady_clock::now() - begin > std::chrono::seconds(3));
}

TEST_CASE("supervisor: after a crash nothing is reported again", "[supervisor][command][slow]") {
  const Ran ran(bench("segfault", {"--size", "n=1000", "--size", "n=2000", "--size", "n=3000",
                                   "--out", "run.jsonl"}));
  CHECK(count(ran.out, "host copy: ") == 1);
  CHECK(count(ran.out, "cost of portability") == 3);
  CHECK(count(ran.out, "second         FAILED\n") == 3);
  CHECK(count(ran.err, "going on without it\n") == 3);
  for (const char* done : {"[  2/15]", "[  8/15]", "[ 13/15]", "[ 15/15]"}) {
    CHECK(count(ran.err, done) == 1);
  }
  const Rows rows = rows_of(ran);
  CHECK(rows.failures.size() == 3);
  CHECK(rows.results.size() == 15);
}

TEST_CASE("supervisor: a wrong answer names its first wrong element", "[supervisor][command]") {
  const Ran ran(bench("wrong"));
  CHECK(mentions(ran.out, "second         ANSWERS DIFFER\n"));
  const Rows rows = rows_of(ran);
  CHECK(rows.of("second", "pair").at("disagreement") ==
        "fragile/second/kokkos against fragile/second/openmp: 1 of 1000 elements differ; first out"
        "[7]: -1 against 14 (rule: bit for bit); fragile/second/kokkos is wrong: element [7] is -1 "
        "and not 14");
  CHECK(rows.failures.empty());
  CHECK(lines_of(ran.err).back() ==
        "portcost: some answers differ: no ratio is given for those pairs");
}

TEST_CASE("supervisor: where both sides crash, rows are there as failed", "[supervisor][command]") {
  const Ran ran(bench("abort", {"fragile/second/*", "--out", "run.jsonl"}, on_kokkos + on_openmp));
  const Rows rows = rows_of(ran);
  CHECK(rows.failures.size() == 2);
  REQUIRE(rows.results.size() == 3);
  CHECK(rows.of("second", "null").at("failed") == Json{"fragile/second/openmp"});
  CHECK(rows.of("second", "pair").at("failed").size() == 2);
  CHECK(rows.of("best", "best").at("failed").size() == 2);
  CHECK(count(ran.out, " FAILED\n") == 3);
}

TEST_CASE("supervisor: a crash at the end fails no row", "[supervisor][command][slow]") {
  const Ran ran(bench("no_release"));
  const Rows rows = rows_of(ran);
  REQUIRE(rows.failures.size() == 1);
  CHECK(rows.failures[0].at("what") == "crashed: SIGFPE");
  CHECK(rows.of("second", "pair").contains("ratio"));
  CHECK(mentions(lines_of(ran.err).back(), "crashed: SIGFPE, while it was released"));
}

TEST_CASE("supervisor: a crash while no variant runs ends with 3", "[supervisor][command]") {
  const Ran ran(bench("no_data"), 3);
  CHECK(lines_of(ran.err).back() ==
        "portcost: failed: the process that measures crashed: SIGILL, and no variant ran");
  const Ran checked(check("no_data"), 3);
  CHECK(checked.err ==
        "portcost: failed: the process that checks crashed: SIGILL, and no variant ran\n");
}

TEST_CASE("supervisor: without a record all goes on, nothing is left", "[supervisor][command]") {
  const TemporaryFolder folder, temporary;
  const Outcome outcome =
      run_made_up(folder, bench("segfault", {}), {.variable = "TMPDIR=" + temporary.file("")});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 1);
  CHECK(count(outcome.out, "second         FAILED\n") == 1);
  CHECK_FALSE(mentions(outcome.out, "record"));
  CHECK(folder.entries().empty());
  CHECK(temporary.entries().empty());
}

TEST_CASE("supervisor: after a crash a stop keeps rows, to be resumed",
          "[supervisor][command][slow]") {
  const TemporaryFolder folder;
  const Arguments slow{"--seconds", "1", "--out", "run.jsonl"};
  Arguments words = bench("abort", slow);
  words.erase(words.begin() + 1, words.begin() + 3);  // the short --seconds
  const Outcome stopped = stop_command(folder, words, "[  3/5]", SIGTERM, made_up);
  CAPTURE(stopped.err);
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK(mentions(stopped.err,
                 "stopped by SIGTERM: 3 finished rows are in 'run.jsonl.part'; go on "
                 "with: portcost bench --resume 'run.jsonl.part'\n"));
  CHECK(read_record_part(folder.file("run.jsonl.part")).failures.size() == 1);

  const Outcome resumed = run_made_up(folder, {"bench", "--resume", "run.jsonl.part"});
  CAPTURE(resumed.err);
  CHECK(resumed.status == 1);
  CHECK_FALSE(mentions(resumed.err, "going on without it"));
  const Rows rows = rows_of(folder);
  CHECK(rows.results.size() == 5);
  CHECK(rows.failures.size() == 1);
  const Outcome again = run_made_up(folder, {"bench", "--resume", "run.jsonl"});
  CHECK(again.status == 1);
  CHECK(mentions(again.out, "is complete"));
  CHECK(mentions(again.err, "crashed: SIGABRT"));
}

TEST_CASE("supervisor: what measures ends with it, to be resumed", "[supervisor][command]") {
  const TemporaryFolder folder;
  const Arguments words = bench("hang", {"--patience", "600", "--out", "run.jsonl"});
  const auto begin = std::chrono::steady_clock::now();
  const Outcome killed = stop_command(folder, words, "[  2/5]", SIGKILL, made_up);
  // The error stream closes with the last process that holds it, which hangs for 100 seconds.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(95));
  CHECK(killed.status == 128 + SIGKILL);
  CHECK(RecordWriter(folder.file("run.jsonl"), {true, false}).held().results.size() >= 2);
}

TEST_CASE("supervisor: without it a crash ends the command; a patience out of range is refused",
          "[supervisor][command]") {
  const Ran ran(bench("abort", {"--no-supervisor", "--out", "run.jsonl"}),
                128 + SIGABRT);  // as a shell says it
  CHECK(ran.entries() == std::vector<std::string>{"run.jsonl.part"});
  const Ran checked(check("abort", on_kokkos, {"--no-supervisor"}),
                    128 + SIGABRT);  // as a shell says it
  for (const char* patience : {"0", "-1", "100000"}) {
    const Ran refused(bench("none", {"--patience", patience}), 2);
    CHECK(mentions(refused.err, "is out of range: 0.1 to 86400 seconds"));
  }
  const Ran impatient(check("none", on_kokkos, {"--patience", "0"}), 2);
  CHECK(mentions(impatient.err, "--patience 0 is out of range: 0.1 to 86400 seconds"));
}

TEST_CASE("supervisor: records with a crash are combined, and say so",
          "[supervisor][command][slow]") {
  const Ran folder(bench("abort", {"--seed", "1", "--out", "a.jsonl"}));
  CHECK(
      run_made_up(folder, bench("abort", {"--seed", "2", "--like", "a.jsonl", "--out", "b.jsonl"}))
          .status == 1);
  const Outcome combined =
      run_made_up(folder, {"derive", "a.jsonl", "b.jsonl", "--out", "all.jsonl"});
  CAPTURE(combined.out, combined.err);
  CHECK(combined.status == 1);
  CHECK(mentions(combined.out, "second         FAILED\n"));
  CHECK(mentions(combined.err,
                 "process 2: fragile/second/kokkos n=1000,fault=abort i32 cold crashed"));
  const Rows rows = rows_of(folder, "all.jsonl");
  REQUIRE(rows.failures.size() == 2);
  CHECK(rows.failures[1].at("process") == 1);
  CHECK(rows.of("second", "pair").at("failed") == Json{"fragile/second/kokkos"});
  CHECK(rows.of("first", "pair").contains("ratio"));
}

TEST_CASE("supervised check: a failed variant is named, others checked", "[supervisor][command]") {
  const auto& [fault, text] = GENERATE(table<std::string, std::string>(
      {{"abort", "i32 crashed: SIGABRT, in its first run"},
       {"segfault", "i32 crashed: SIGSEGV, in its first run"},
       {"hang", "i32 hung: no sign of life in 2 s (--patience), in its first run"},
       {"error", "i32 failed: an illegal address, in its first run"},
       {"no_make", "i32 crashed: SIGBUS, while it was made ready"},
       {"end", "i32 ended the program with status 0, in its first run"},
       {"no_release", "i32 crashed: SIGFPE, while it was released"}}));
  const Ran checked(check(fault, on_kokkos, {"--patience", "2"}));
  CHECK(checked.err.empty());
  CHECK(checked.out == head + fault + ",from=1 " + text +
                           "\nfragile: 5 of 6 answers equal the reference's (equal); 1 failed\n");
}

TEST_CASE("supervised check: all is said and counted once", "[supervisor][command]") {
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

TEST_CASE("supervised check: without a reference nothing is compared", "[supervisor][command]") {
  const Ran checked(check("abort", on_reference));
  CHECK(count(checked.out, "fragile/first/reference n=1000,fault=abort,on=4,from=1 i32 crashed") ==
        1);
  CHECK(count(checked.out,
              "fragile/third/openmp n=1000 i32: not compared, since fragile/first/reference "
              "crashed: SIGABRT, in its first run\n") == 1);
  CHECK(lines_of(checked.out).size() == 8);
  CHECK(lines_of(checked.out).back() ==
        "fragile: 0 of 6 answers equal the reference's (equal); 6 failed");
}

}  // namespace
}  // namespace portcost::test::test_supervisor
#endif
