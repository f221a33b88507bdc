// SPDX-License-Identifier: Apache-2.0
// Known defects of peers: which concern a variant, and what check, bench and a resumed bench make
// of them. The command that runs here has a made-up catalogue (made_up_catalogue.cpp).
#include <regex>

#include "tests/command.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_known_defects {

bool from_100(const Problem& problem) { return problem.size.at("n") >= 100; }
constexpr KnownDefect listed{"peer", Place::host, from_100, "kokkos",     "0",
                             "999",  "it is off", "why",    "where/it/is"};

Problem problem_of(std::int64_t n) { return {Size({{"n", n}}), {}, ElementType::i32, 1}; }

// Whether it is found for this variant at n.
bool concerns(const KnownDefect& defect, const Variant& variant, std::int64_t n) {
  Algorithm algorithm = *catalogue()[0];
  const std::array defects{defect};
  algorithm.known_defects = defects;
  return known_defect(algorithm, variant, problem_of(n)) != nullptr;
}

const Variant peer{"peer", Model::library, Place::host, {}};

TEST_CASE("known defects: one concerns its peer, problems, and versions number by number",
          "[defects][listed]") {
  CHECK(version_within("4.6.1", "4.6.1", "4.6.1"));
  CHECK(version_within("4.6.01", "4.6.1", "4.6.1"));
  CHECK(version_within("4.10.0", "4.6.1", "4.10"));
  CHECK(version_within("5", "4.6.1", "5.0.0"));
  CHECK_FALSE(version_within("4.6.0", "4.6.1", "4.10"));
  CHECK_FALSE(version_within("4.10.1", "4.6.1", "4.10"));
  CHECK_FALSE(version_within("none", "0", "999"));
  CHECK_FALSE(version_within("", "0", "999"));
  CHECK_FALSE(version_within("4.x", "0", "999"));
  CHECK(concerns(listed, peer, 100));
  CHECK_FALSE(concerns(listed, peer, 99));
  CHECK_FALSE(concerns(listed, {"another", Model::library, Place::host, {}}, 100));
  CHECK_FALSE(concerns(listed, {"peer", Model::library, Place::device, {}}, 100));
  CHECK_FALSE(concerns(listed, {"peer", Model::kokkos, Place::host, {}}, 100));
  KnownDefect defect = listed;
  defect.first_version = "99";
  CHECK_FALSE(concerns(defect, peer, 100));
  defect = listed;
  defect.library = "a library that is not here";
  CHECK_FALSE(concerns(defect, peer, 100));
}

TEST_CASE("known defects: each is whole, and its reproducer is there", "[defects][listed]") {
  namespace fs = std::filesystem;
  const std::regex version(R"(\d+\.\d+\.\d+)"),
      folder("variants/[a-z0-9_]+/reproducers/[a-z0-9_]+");
  for (const Algorithm* algorithm : catalogue()) {
    for (const KnownDefect& defect : algorithm->known_defects) {
      CAPTURE(algorithm->name, defect.step);
      const std::string first(defect.first_version), last(defect.last_version),
          reproducer(defect.reproducer);
      CHECK(std::regex_match(first, version));
      CHECK(std::regex_match(last, version));
      CHECK(version_within(first, first, last));
      CHECK(text_of(texts_of(defect)).find('\n') == std::string::npos);
      CHECK_FALSE(defect.what.empty());
      CHECK_FALSE(defect.reason.empty());
      CHECK(std::regex_match(reproducer, folder));
      const fs::path place = fs::path(PORTCOST_SOURCE_DIR) / reproducer;
      CHECK(fs::exists(place / "CMakeLists.txt"));
      CHECK(fs::exists(place / "README.md"));
      CHECK(fs::exists(place / (place.filename().string() + ".cpp")));
    }
  }
}

TEST_CASE("known defects: KokkosBlas::sum is listed past 32 bits", "[defects][listed][sum]") {
  const auto defects = algorithm_called("sum").known_defects;
  REQUIRE(defects.size() == 1);
  const auto concerned = [&](std::int64_t n) { return defects[0].concerns(problem_of(n)); };
  constexpr std::int64_t two_32 = std::int64_t{1} << 32, most_int = (std::int64_t{1} << 31) - 1;

  for (const std::int64_t n : {std::int64_t{8'589'934'597}, two_32, two_32 + most_int - 1}) {
    CHECK(concerned(n));
  }
  for (const std::int64_t n : {two_32 - 1, two_32 + most_int, most_int - 1, std::int64_t{5}}) {
    CHECK_FALSE(concerned(n));
  }
}

#if !PORTCOST_HAS_CUDA
Arguments bench_words(const std::string& algorithm, const std::string& n) {
  return {"bench", algorithm, "--size", "n=" + n, "--seconds", "0.05", "--out", "run.jsonl"};
}

// The result rows of a record, by step.
std::map<std::string, Json> results_of(const std::string& path) {
  std::map<std::string, Json> rows;
  for (const Json& row : rows_in(read_file(path), "result")) rows[row.at("step")] = row;
  return rows;
}

// What is said of an algorithm of the repository that this command's build leaves out.
const std::string how = "perf/portcost builds what a filter names, perf/prepare all";

TEST_CASE("known defects: check shows them and fails for none of them", "[defects][command]") {
  const Ran outcome({"check", "made_up", "--size", "n=1000"}, 0);
  CHECK(mentions(outcome.out,
                 "made_up/listed/library n=1000 i32: known defect: the last number is wrong. "
                 "Reason: it is made up. Reproducer: tests/made_up\n"));
  CHECK(mentions(outcome.out,
                 "made_up/mended/library n=1000 i32: listed defect not seen: remove it? (the last "
                 "number is wrong)\n"));
  CHECK(mentions(outcome.out,
                 "made_up: 3 of 4 answers equal the reference's (equal); 1 wrong by a known "
                 "defect\n"));
}

TEST_CASE("known defects: bench gives no time, keeps the row, ends well", "[defects][command]") {
  const Ran folder(bench_words("made_up", "1000"), 0);
  CHECK(mentions(folder.out, "listed         KNOWN DEFECT: no time\n"));
  CHECK(mentions(folder.out, "listed defect not seen: remove it?"));
  const auto rows = results_of(folder.file("run.jsonl"));
  CHECK(mentions(folder.err, ": known defect"));
  CHECK(rows.at("listed").at("known_defect") == Json({{"what", "the last number is wrong"},
                                                      {"reason", "it is made up"},
                                                      {"reproducer", "tests/made_up"},
                                                      {"seen", true}}));
  CHECK(rows.at("listed").at("agrees") == false);
  CHECK(rows.at("listed").at("samples") == 0);
  CHECK_FALSE(rows.at("listed").at("sides").at(0).contains("device_s"));
  CHECK(rows.at("mended").at("known_defect").at("seen") == false);
  CHECK(rows.at("mended").at("sides").at(0).contains("device_s"));
  CHECK_FALSE(rows.at("elsewhere").contains("known_defect"));

  const Outcome again = run_made_up(folder, {"bench", "--resume", "run.jsonl"});
  CHECK(again.status == 0);
  CHECK(mentions(again.out, "is complete"));

  // What a stop behind the row of the defect leaves.
  std::string part;
  for (const std::string& line : lines_of(read_file(folder.file("run.jsonl")))) {
    part += line + "\n";
    if (mentions(line, "\"known_defect\"")) break;
  }
  std::filesystem::remove(folder.file("run.jsonl"));
  write_file(folder.file("run.jsonl.part"), part);
  const Outcome resumed = run_made_up(folder, {"bench", "--resume", "run.jsonl.part"});
  CHECK(resumed.status == 0);
  CHECK(mentions(resumed.out, "listed         KNOWN DEFECT: no time\n"));
  const auto same = results_of(folder.file("run.jsonl"));
  CHECK(same.size() == rows.size());
  CHECK(same.at("listed") == rows.at("listed"));
}

TEST_CASE("known defects: list names those chosen, and unequal work", "[defects][command]") {
  const std::string all = run_made_up({"list"}).out;
  const auto of = [](const char* filter) {
    return Json::parse(run_made_up({"list", filter, "--json"}).out).at(0);
  };
  const Json one = of("made_up/listed/library"), none = of("made_up/plain/*");

  CHECK(mentions(all,
                 "  made_up/listed/library: known defect in kokkos 0 to 999: the last number is "
                 "wrong. Reason: it is made up. Reproducer: tests/made_up\n"));
  CHECK(mentions(all, "made_up/elsewhere/library: known defect in kokkos 0 to 0.1"));
  CHECK(mentions(
      all, "  made_up/plain/kokkos: other barriers than the native side, because it is made up\n"));
  CHECK(none.at("unequal_work") ==
        Json::parse(R"([{"step": "plain", "what": "barriers", "reason": "it is made up"}])"));
  CHECK(one.at("unequal_work").empty());
  REQUIRE(one.at("known_defects").size() == 1);
  CHECK(one.at("known_defects")[0].at("step") == "listed");
  CHECK(none.at("known_defects").empty());
}
TEST_CASE("a peer that does not take a problem is said and passed over", "[defects][command]") {
  const TemporaryFolder folder;
  const std::string why = "it counts up to 99";

  const Outcome checked = run_made_up(folder, {"check", "with_picky_peer", "--size", "n=100"});
  const Outcome benched = run_made_up(folder, bench_words("with_picky_peer", "100"));

  CHECK(checked.status == 0);
  CHECK(lines_of(checked.out) ==
        std::vector<std::string>{
            "with_picky_peer: 1 of 1 answers equal the reference's (equal); 1 not for these "
            "problems",
            "  picky: 1 not for these problems (n=100 i32): " + why});
  INFO(benched.err);
  CHECK(benched.status == 0);
  CHECK(std::regex_search(benched.out, std::regex("picky +not measured: " + why)));
  const auto rows = results_of(folder.file("run.jsonl"));
  CHECK((rows.contains("plain") && !rows.contains("picky")));
  const Outcome twice =
      run_made_up(folder, {"check", "with_picky_peer", "--size", "n=100", "--size", "n=101"});
  CHECK(lines_of(twice.out).at(1) ==
        "  picky: 2 not for these problems (n=100 i32 and 1 more): " + why);
  CHECK(run_made_up(folder, {"check", "with_picky_peer", "--size", "n=99"}).out ==
        "with_picky_peer: 2 of 2 answers equal the reference's (equal)\n");
}

TEST_CASE("a peer that takes no problem is an error that says why", "[defects][command]") {
  const std::string picky = "with_picky_peer/picky/library";
  for (const char* command : {"check", "bench", "run"}) {
    CAPTURE(command);
    const Outcome outcome = run_made_up({command, picky, "--size", "n=100"});
    CHECK(outcome.status == 2);
    CHECK(mentions(outcome.out + outcome.err, "it counts up to 99"));
    CHECK(lines_of(outcome.err).size() == 1);
  }
  CHECK(run_made_up({"run", picky, "--size", "n=99"}).status == 0);
}

TEST_CASE("left out: it is said, and refused where asked for", "[left_out][command]") {
  CHECK(lines_of(run_made_up({"list"}).out).back() == "left out of this build: lost (" + how + ")");
  CHECK_FALSE(mentions(run_made_up({"list", "made_up"}).out, "lost"));
  CHECK(lines_of(run_made_up({"check"}).out).front() ==
        "left out of this build, so not checked: lost (" + how + ")");
  CHECK_FALSE(mentions(run_made_up({"check", "made_up"}).out, "lost"));
  for (const char* command : {"list", "check", "bench", "run"}) {
    check_refused(run_made_up({command, "lost/*"}), 2,
                  "portcost: 'lost/*' asks for lost, which this build leaves out: " + how + "\n");
  }
  check_refused(
      run_made_up({"bench", "--campaign", "full"}), 2,
      "portcost: the full campaign measures lost, too, which this build leaves out: " + how + "\n");
  CHECK(run_made_up({"bench", "--size", "n=999", "--seconds", "0.02"}).status == 0);
}

#endif

}  // namespace portcost::test::test_known_defects
