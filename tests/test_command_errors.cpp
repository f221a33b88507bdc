// SPDX-License-Identifier: Apache-2.0
// Mistakes at the command line: exit status 2, one line that names the value, nothing written.
#include "tests/command.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_command_errors {
namespace {

struct Mistake {
  Arguments arguments;
  std::string named;  // what the line must contain
};

// Each of several commands.
void check_refused(const std::vector<Mistake>& mistakes) {
  for (const auto& [arguments, named] : mistakes) {
    const TemporaryFolder folder;

    const Outcome outcome = run_command(folder, arguments);

    CAPTURE(arguments);
    check_refused(outcome, 2, named);
    CHECK(folder.entries().empty());
  }
}

Mistake check_with(const std::string& option, const std::string& value, const std::string& named) {
  return {{"check", "heat2d", option, value}, named};
}
Mistake run_with(const std::string& option, const std::string& value, const std::string& named) {
  return {{"run", "heat2d/naive/openmp", option, value}, named};
}
// Small and short, so that a mistake that is let through does not measure for minutes.
Mistake bench_with(const std::string& option, const std::string& value, const std::string& named) {
  Arguments arguments{"bench", naive_pair, option, value, "--out", "run.jsonl"};
  if (option != "--size") arguments.insert(arguments.end(), {"--size", "nx=8,ny=8"});
  if (option != "--seconds") arguments.insert(arguments.end(), {"--seconds", "0.01"});
  return {arguments, named};
}

// Values that are named as they are typed.
void check_named(Mistake (*with)(const std::string&, const std::string&, const std::string&),
                 const std::string& option, const Arguments& values) {
  for (const std::string& value : values) check_refused({with(option, value, value)});
}

TEST_CASE("command: unknown words, options and filters are named, with the nearest", "[command]") {
  check_refused({
      {{"bnech"}, "'bnech': did you mean 'bench'"},
      {{"lst", "--json"}, "'lst': did you mean 'list'"},
      {{"localty", "nest.json"}, "'localty': did you mean 'locality'"},
      {{}, "subcommand"},
      {{"list", "--jsn"}, "--jsn"},
      {{"bench", "--sizes", "nx=8"}, "--sizes"},
      {{"machine", "--verbose"}, "--verbose"},
      {{"--colour"}, "--colour"},
      {{"list", "heat3d"}, "'heat3d' matches nothing: did you mean 'heat2d'"},
      {{"check", "heat2d/naive/openmq"}, "did you mean 'heat2d/naive/openmp'"},
      {{"bench", "heat2d/nave/*", "--out", "run.jsonl"}, "heat2d/nave/*"},
      {{"list", "heat2d", "nosuch/*"}, "'nosuch/*' matches nothing"},
      {{"bench", "--filter", "heat2d/nave/*"}, "'heat2d/nave/*' matches nothing"},
      {{"check", "--filter", "heat2d/naive/openmq"}, "did you mean 'heat2d/naive/openmp'"},
  });
}

TEST_CASE("command: what is absent in this build is named with the reason", "[command]") {
  for (const Algorithm* algorithm : catalogue()) {
    for (const Absence& absence : algorithm->absent) {
      const std::string name = variant_name(*algorithm, absence);
      const std::string named = name + " (" + std::string(absence.reason) + ")";
      check_refused({{{"list", name}, named}});
      if (&absence == algorithm->absent.data()) {
        check_refused({{{"check", name}, named}, {{"run", name}, named}});
      }
    }
  }
}

TEST_CASE("command: an unknown type, regime, campaign, sync or limit is named", "[command]") {
  need_measured_place();
  check_refused({
      check_with("--type", "f16", "'f16'"),
      check_with("--type", "i32", "'i32' is not one of heat2d's"),
      bench_with("--type", "double", "'double'"),
      bench_with("--regime", "warm", "'warm'"),
      bench_with("--campaign", "fulll", "'fulll' is unknown: did you mean 'full'"),
      bench_with("--sync", "never", "'never'"),
      {{"limits", "host coppy"}, "'host coppy': did you mean 'host copy'"},
      {{"bench", "heat2d/naive/reference", "--out", "run.jsonl"}, "nothing to measure"},
  });
}

TEST_CASE("command: sizes that are no sizes are named", "[command]") {
  check_refused({
      check_with("--size", "nz=3", "'nz'"),
      check_with("--size", "nx=0", "nx=0 is out of range"),
      check_with("--size", "nx", "'nx'"),
      check_with("--size", "nx=8,", "'nx=8,'"),
      check_with("--size", "nx=8,nx=9", "'nx' is given twice"),
      check_with("--size", "nx=99999999999999999999", "nx=99999999999999999999 is too large"),
  });
  check_named(check_with, "--size",
              {"nx=-5", "nx=1073741825", "nx=abc", "nx=1.5", "nx=1e-3", "nx="});
}

TEST_CASE("command: sizes that do not fit into memory are refused at once", "[command]") {
  const std::string size = "nx=1073741824,ny=1073741824";
  check_refused({check_with("--size", size, size)});
  need_measured_place();
  check_refused({bench_with("--size", size, size)});
}

TEST_CASE("command: parameters that cannot be are named", "[command]") {
  check_refused({
      check_with("--parameter", "dt=0.3", "dt=0.3 is unstable"),
      check_with("--parameter", "beta=1", "'beta'"),
  });
  check_named(check_with, "--parameter", {"dt=nan", "dt=inf", "alpha=-1", "dx=0", "dt=0.2x"});
}

TEST_CASE("command: times and seeds that cannot be are named", "[command]") {
  need_measured_place();
  check_refused({
      bench_with("--seconds", "0", "--seconds 0 "),
      bench_with("--seconds", "1e9", "out of range"),
      check_with("--seed", "abc", "abc"),
  });
  check_named(bench_with, "--seconds", {"-1", "nan", "soon"});
  check_named(bench_with, "--seed", {"-1", "abc", "1.5", "99999999999999999999"});
}

TEST_CASE("command: a record that cannot be written is refused at once", "[command]") {
  need_measured_place();
  const auto bench_to = [](const std::string& path) {
    return Mistake{{"bench", naive_pair, "--size", "nx=8,ny=8", "--seconds", "0.01", "--out", path},
                   path};
  };
  check_refused({bench_to("run.txt"), bench_to(".jsonl"), bench_to("missing/run.jsonl")});

  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("run.jsonl"));
  check_one_line(run_command(folder, bench_to("run.jsonl").arguments), 2, "run.jsonl");
  CHECK(folder.entries() == Arguments{"run.jsonl"});
}

TEST_CASE("command: sizes, types, regimes that are empty or twice are refused", "[command]") {
  need_measured_place();
  const auto twice = [](const std::string& command, const std::string& option,
                        const std::string& value) {
    return Mistake{{command, naive_pair, option, value, option, value},
                   "is named twice: once is enough"};
  };
  check_refused({
      check_with("--size", "", "--size is empty"),
      bench_with("--size", "", "--size is empty"),
      run_with("--size", "", "--size is empty"),
      run_with("--type", "", "type ''"),
      twice("check", "--size", "nx=8,ny=8"),
      twice("bench", "--size", "nx=8,ny=8"),
      twice("bench", "--type", "f32"),
      twice("bench", "--regime", "hot"),
  });
}

TEST_CASE("command: run refuses what it cannot run, and says what", "[command]") {
  check_refused({
      {{"run"}, "FILTER"},
      {{"run", "heat2d/nave/openmp"}, "did you mean 'heat2d/naive/openmp'"},
      {{"run", "heat2d/naive/referenc?"}, "nothing to run"},
      run_with("--type", "i32", "'i32' is not one of heat2d's"),
      run_with("--size", "nz=3", "'nz'"),
      run_with("--size", "nx=1073741824,ny=1073741824", "nx=1073741824,ny=1073741824"),
      run_with("--parameter", "dt=0.3", "dt=0.3 is unstable"),
      run_with("--seed", "-1", "-1"),
  });
  for (const std::string repeats : {"0", "many", "1000000"}) {
    check_refused({run_with("--repeat", repeats, "--repeat " + repeats + " ")});
  }
}

}  // namespace
}  // namespace portcost::test::test_command_errors
