// SPDX-License-Identifier: Apache-2.0
// Sizes and parameters as users type them, globs and nearest names.
#include "perf/command/selection.hpp"
#include "src/contract/settings.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_settings {

constexpr std::array size_keys{SizeKey{"nx", 100, 1, 1000, "columns"},
                               SizeKey{"ny", 50, 1, 1000, "rows"}};
constexpr std::array parameter_keys{ParameterKey::real("dt", 0.25, "time step"),
                                    ParameterKey::real("alpha", 1, "diffusivity")};
constexpr std::array<std::string_view, 2> shapes{"round", "square"};
constexpr std::array typed_keys{ParameterKey::whole("count", 3, "how many"),
                                ParameterKey::choice("shape", shapes, "which shape"),
                                ParameterKey::path("graph", "a file")};

// A size, in one line.
void check_refused(const std::string& text, const std::string& said) {
  const std::string refusal = message_of<UsageError>([&] { parse_size(text, size_keys); });
  CAPTURE(text, refusal);
  CHECK(mentions(refusal, said));
  CHECK_FALSE(mentions(refusal, "\n"));
}
std::string parameter_refusal(const std::string& text) {
  return message_of<UsageError>([&] { parse_parameters(text, parameter_keys); });
}

constexpr std::string_view colours[] = {"red", "blue"};
const std::vector<ParameterKey> set_keys{ParameterKey::whole("r1", 64, "columns a round"),
                                         ParameterKey::choice("colour", colours, "of the tile"),
                                         ParameterKey::real("share", 0.5, "of the work")};

std::vector<std::string> sets(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const Parameters& one : parse_parameter_sets(texts, set_keys)) result.push_back(one.text());
  return result;
}

void check_sets_refused(const std::vector<std::string>& texts, const std::string& said) {
  check_throws<UsageError>(said, [&] { parse_parameter_sets(texts, set_keys); });
}

TEST_CASE(
    "settings: lists of sizes as a row has them; what a place or campaign has not is another's",
    "[settings]") {
  CHECK(Sizes("64,48,4 7,93,3") == Sizes{{64, 48, 4}, {7, 93, 3}});
  CHECK(Sizes("1|8,2^3,=") == Sizes{{1, 8, 8}, {8, 8, 8}});
  CHECK(Sizes("0..2 10^2..10^4") == Sizes{{0}, {1}, {2}, {100}, {1000}, {10000}});
  CHECK(Sizes("16 4..5,1|2 16 4,1") == Sizes{{16}, {4, 1}, {4, 2}, {5, 1}, {5, 2}});
  for (const char* wrong : {"", "1  2", "1,", "a", "2^", "1..x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(Sizes(wrong), Failure);
  }
  const MeasuredSizes device{.device = "1"}, host{.device = "1", .host = "2"},
      full{.device = "1", .device_full = "3", .host = "2"},
      all{.device = "1", .device_full = "3", .host = "2", .host_full = "4"};
  const auto four = [](const MeasuredSizes& sizes) {
    std::vector<std::int64_t> result;
    for (const Place place : {Place::device, Place::host}) {
      for (const Campaign campaign : {Campaign::standard, Campaign::full}) {
        result.push_back(sizes(campaign, place).front().front());
      }
    }
    return result;
  };
  CHECK(four(device) == std::vector<std::int64_t>{1, 1, 1, 1});
  CHECK(four(host) == std::vector<std::int64_t>{1, 1, 2, 2});
  CHECK(four(full) == std::vector<std::int64_t>{1, 3, 2, 3});
  CHECK(four(all) == std::vector<std::int64_t>{1, 3, 2, 4});
}

TEST_CASE("settings: keys in any order, or left out, up to both ends of a range", "[settings]") {
  CHECK(parse_size("", size_keys).text() == "nx=100,ny=50");
  CHECK(parse_size("ny=7", size_keys).text() == "nx=100,ny=7");
  CHECK(parse_size("ny=7,nx=8", size_keys) == parse_size(" nx = 8 , ny = 7 ", size_keys));
  CHECK(parse_size("nx=1", size_keys).at("nx") == 1);
  CHECK(parse_size("nx=1000", size_keys).at("nx") == 1000);
}

TEST_CASE("settings: whole numbers may be powers, have a unit or an exponent", "[settings]") {
  constexpr std::array keys{SizeKey{"n", 1, -1 << 20, std::int64_t{1} << 62, "numbers"}};
  const auto n = [&](const std::string& text) { return parse_size("n=" + text, keys).at("n"); };

  CHECK(n("2^20") == 1 << 20);
  CHECK(n("10^0") == 1);
  CHECK(n("1^1000000000000") == 1);
  CHECK(n("4Ki") == 4096);
  CHECK(n("3Gi") == std::int64_t{3} << 30);
  CHECK(n("1e6") == 1'000'000);
  CHECK(n("1.5e3") == 1500);
  CHECK(n("-1.5e3") == -1500);
  CHECK(n("0e99") == 0);
  CHECK(n("-2E+2") == -200);
  for (const std::string text : {"2^64", "1e19", "9000000000Gi", "2^99999999999",
                                 "2^99999999999999999999", "1e99999999999999999999"}) {
    CAPTURE(text);
    check_throws<UsageError>("is too large: at most", [&] { n(text); });
  }
  for (const std::string text :
       {"9e18e", "1e-1", "1.25e1", "e3", ".5e1", "1.e3", "2^", "^2", "2^-1", "Ki", "1.5Ki", "4ki",
        "1e", "-1^1000000000000", "-.5e1", "1e-99999999999999999999", "1e+-1"}) {
    CAPTURE(text);
    check_throws<UsageError>("is no whole number", [&] { n(text); });
  }
}

TEST_CASE("settings: numbers, keys and lists that cannot be are named, in one line", "[settings]") {
  check_refused("nx=1001", "nx=1001 is out of range");
  check_refused("nx=18446744073709551617", "too large");  // not wrapped
  check_refused("nz=3", "unknown key 'nz': did you mean 'nx'");
  check_refused("yy=3", "did you mean 'ny'");
  check_refused("=3", "unknown key ''");
  check_refused(",", "ends in a comma");
  check_refused("nx=3,,ny=4", "not of the form key=value");
  check_refused("nx=3 ny=4", "nx=3 ny=4 is no whole number");
  CHECK(mentions(parameter_refusal("nx=3"), "unknown key 'nx'"));
  for (const std::string value : {"", "abc", "1.5", "0x10", "+5", "5 5", "--5", "nan"}) {
    check_refused("nx=" + value, "nx=" + value + " is no whole number");
  }
  static constexpr std::array<std::int64_t, 2> widths{32, 64};
  constexpr std::array keys{SizeKey{"width", 32, 32, 64, "bits", false, widths}};
  CHECK(parse_size("width=64", keys).at("width") == 64);
  CHECK(message_of<UsageError>([&] { parse_size("width=48", keys); }) ==
        "width=48 is not allowed: it must be one of 32, 64");
}

TEST_CASE("settings: parameters take any finite number, or a range", "[settings]") {
  const std::vector<ParameterKey> keys{ParameterKey::whole("chunks", 8, "pieces", 1, 64)};
  CHECK(parse_parameters("chunks=64", keys).whole("chunks") == 64);
  for (const char* text : {"chunks=0", "chunks=65"}) {
    check_throws<UsageError>(" is out of range: allowed are 1 to 64",
                             [&] { parse_parameters(text, keys); });
  }
  const Parameters both = parse_parameters("dt=1e-3,alpha=-2.5", parameter_keys);
  CHECK((both.real("dt") == 1e-3 && both.real("alpha") == -2.5));
  CHECK(parse_parameters(both.text(), parameter_keys) == both);
  const Parameters one = parse_parameters("dt=0.25,alpha=3", parameter_keys);
  CHECK(changed(one, parameter_keys).text() == "alpha=3");
  CHECK(parse_parameters("", parameter_keys).real("dt") == 0.25);
  for (const char* value : {"nan", "inf", "-inf", "1e999", "0.1x", "", "one"}) {
    CAPTURE(value);
    CHECK(mentions(parameter_refusal(std::string("dt=") + value), "is no finite number"));
  }
}

TEST_CASE("settings: a parameter has a type of its own", "[settings]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("graph.gr");
  write_file(path, "a graph");
  const Parameters given = parse_parameters("shape=square,count=-7,graph=" + path, typed_keys);
  const Parameters left_out = parse_parameters("", typed_keys);

  CHECK(given.whole("count") == -7);
  CHECK(given.text_of("shape") == "square");
  CHECK(given.number_of("shape", shapes) == 1);
  CHECK(given.text_of("graph") == path);
  CHECK(left_out.whole("count") == 3);
  CHECK(left_out.number_of("shape", shapes) == 0);
  CHECK(left_out.text_of("graph").empty());
  CHECK(parse_parameters(given.text(), typed_keys) == given);
  CHECK(changed(given, typed_keys) == given);
  CHECK(changed(left_out, typed_keys).text().empty());
}

TEST_CASE("settings: whole numbers, choices and files that cannot be are named", "[settings]") {
  const auto typed_refusal = [](const std::string& text) {
    return message_of<UsageError>([&] { parse_parameters(text, typed_keys); });
  };
  CHECK(typed_refusal("shape=squar") ==
        "shape=squar is unknown: did you mean 'square'? Known: round, square");
  CHECK(mentions(typed_refusal("shape="), "shape= is unknown"));
  CHECK(mentions(typed_refusal("count=1.5"), "count=1.5 is no whole number"));
  CHECK(mentions(typed_refusal("count=99999999999999999999"), "is too large"));
  CHECK(typed_refusal("graph=/no/such/file") ==
        "graph=/no/such/file: there is no such file, or it cannot be read");
  CHECK(mentions(typed_refusal("graph=/"), "graph=/: there is no such file"));
}

TEST_CASE("parameter sets: none, different keys, each value of a key, and what is refused",
          "[settings]") {
  CHECK(sets({}) == std::vector<std::string>{"r1=64,colour=red,share=0.5"});
  const std::vector<std::string> one{"r1=8,colour=blue,share=0.5"};
  CHECK(sets({"r1=8,colour=blue"}) == one);
  CHECK(sets({"colour=blue", " r1 = 8 "}) == one);
  CHECK(sets({"r1=8", "r1=16", "r1=64"}) == std::vector<std::string>{"r1=8,colour=red,share=0.5",
                                                                     "r1=16,colour=red,share=0.5",
                                                                     "r1=64,colour=red,share=0.5"});
  CHECK(sets({"r1=8,colour=red", "share=1", "r1=16,colour=blue"}) ==
        std::vector<std::string>{"r1=8,colour=red,share=1", "r1=8,colour=blue,share=1",
                                 "r1=16,colour=red,share=1", "r1=16,colour=blue,share=1"});
  check_sets_refused({"r1=8", "r1=16", "r1=8"}, "r1=8 is given twice: once is enough");
  check_sets_refused({"r1=8", "r1=08"}, "r1=8 is given twice");
  check_sets_refused({"r1=8,r1=16"}, "key 'r1' is given twice");
  check_sets_refused({"r1=8", "colur=red"}, "did you mean 'colour'");
  check_sets_refused({"r1=8,"}, "ends in a comma");
}

TEST_CASE("glob: only stars, question marks and brackets stand for others", "[names]") {
  const std::string text(20'000, 'a');
  std::string many;
  for (int i = 0; i < 60; ++i) many += "*a";
  for (const auto& [pattern, name, matches] :
       std::vector<std::tuple<std::string, std::string, bool>>{
           {"heat/naive", "heat/naive", true},
           {"heat/naive", "heat/naiv", false},
           {"heat/naiv", "heat/naive", false},
           {"", "", true},
           {"", "a", false},
           {"*", "", true},
           {"*", "heat/naive/cuda", true},
           {"h*a", "heat/naive/cuda", true},
           {"heat*naive", "heatnaive", true},
           {"**a**", "cuda", true},
           {"*x*", "heat/naive/cuda", false},
           {"*/*[as]", "heat/naive/cuda", true},
           {"*/*[as]", "heat/naive/kokkos.book", false},
           {"a[", "a[", true},
           {"*aab", "aaaaaab", true},
           {"a*b*c", "aXbYbZc", true},
           {"a*b*c", "aXbYbZ", false},
           {"f??", "f32", true},
           {"f?", "f32", false},
           {"f???", "f32", false},
           {"?*", "", false},
           {many, text, true},
           {many + "b", text, false}}) {
    CAPTURE(pattern, name);
    CHECK(glob_match(pattern, name) == matches);
  }
}

TEST_CASE("names: edit distances, and the nearest name, the first of equals", "[names]") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("bnech", "bench") == 2);
  CHECK(edit_distance("same", "same") == 0);
  CHECK(nearest_name("chekc", {"list", "check", "bench"}) == "check");
  CHECK(nearest_name("nz", {"nx", "ny"}) == "nx");
  CHECK(nearest_name("anything", {"one"}) == "one");
  CHECK(nearest_name("anything", {}).empty());
}

}  // namespace portcost::test::test_settings
