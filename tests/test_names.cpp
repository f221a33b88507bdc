// SPDX-License-Identifier: Apache-2.0
// Globs and nearest names.
#include "src/contract/names.hpp"

#include <catch2/catch_test_macros.hpp>

namespace portcost::test::test_names {

TEST_CASE("glob: a pattern without wildcards matches itself alone", "[names]") {
  CHECK(glob_match("heat/naive", "heat/naive"));
  CHECK_FALSE(glob_match("heat/naive", "heat/naiv"));
  CHECK_FALSE(glob_match("heat/naiv", "heat/naive"));
  CHECK(glob_match("", ""));
  CHECK_FALSE(glob_match("", "a"));
}

TEST_CASE("glob: a star stands for any characters, none and slashes too", "[names]") {
  CHECK(glob_match("*", ""));
  CHECK(glob_match("*", "heat/naive/cuda"));
  CHECK(glob_match("heat/*", "heat/naive/cuda"));
  CHECK(glob_match("*/cuda", "heat/naive/cuda"));
  CHECK(glob_match("h*a", "heat/naive/cuda"));
  CHECK(glob_match("heat*naive", "heatnaive"));
  CHECK(glob_match("**a**", "cuda"));
  CHECK_FALSE(glob_match("*/kokkos", "heat/naive/cuda"));
  CHECK_FALSE(glob_match("*x*", "heat/naive/cuda"));
}

TEST_CASE("glob: brackets stand for one of some characters", "[names]") {
  CHECK(glob_match("heat/naive/*[as]", "heat/naive/cuda"));
  CHECK(glob_match("heat/naive/*[as]", "heat/naive/kokkos"));
  CHECK_FALSE(glob_match("heat/naive/*[as]", "heat/naive/kokkos.book"));
  CHECK(glob_match("a[", "a["));
}

TEST_CASE("glob: a star gives back what it took too early", "[names]") {
  CHECK(glob_match("*ab", "aab"));
  CHECK(glob_match("*aab", "aaaaaab"));
  CHECK(glob_match("a*b*c", "aXbYbZc"));
  CHECK_FALSE(glob_match("a*b*c", "aXbYbZ"));
}

TEST_CASE("glob: a question mark stands for exactly one character", "[names]") {
  CHECK(glob_match("f??", "f32"));
  CHECK_FALSE(glob_match("f?", "f32"));
  CHECK_FALSE(glob_match("f???", "f32"));
  CHECK(glob_match("?*", "a"));
  CHECK_FALSE(glob_match("?*", ""));
}

TEST_CASE("glob: patterns made to take for ever end at once", "[names]") {
  const std::string text(20'000, 'a');
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";

  CHECK(glob_match(pattern, text));
  CHECK_FALSE(glob_match(pattern + "*b", text));
  CHECK_FALSE(glob_match(pattern + "b", text));
}

TEST_CASE("edit distance: known values, the same from either side", "[names]") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("saturday", "sunday") == 3);
  CHECK(edit_distance("flaw", "lawn") == 2);
  CHECK(edit_distance("bnech", "bench") == 2);
  CHECK(edit_distance("same", "same") == 0);
  CHECK(edit_distance("register", "resister") == edit_distance("resister", "register"));
  CHECK(edit_distance("abcdef", "xbd") == edit_distance("xbd", "abcdef"));
}

TEST_CASE("nearest name: the one with the fewest edits, the first of equals", "[names]") {
  CHECK(nearest_name("chekc", {"list", "check", "bench"}) == "check");
  CHECK(nearest_name("nz", {"nx", "ny"}) == "nx");
  CHECK(nearest_name("anything", {"one"}) == "one");
  CHECK(nearest_name("anything", {}).empty());
}

}  // namespace portcost::test::test_names
