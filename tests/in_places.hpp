// SPDX-License-Identifier: Apache-2.0
// A test of what runs on the host and, where this is built for a GPU, on the device, too.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string_view>

#include "src/memory/place.hpp"

namespace portcost::test {

/// Registers `body` as a test of each place; `host_tags` are of the host's alone.
class InPlaces {
 public:
  InPlaces(const Catch::SourceLineInfo& line, void (*body)(Place), std::string_view name,
           std::string_view tags, std::string_view host_tags = {});
};

}  // namespace portcost::test

#define PORTCOST_TEST_CASE_IN_PLACES(function, ...)                            \
  static void function(portcost::Place place);                                 \
  static const portcost::test::InPlaces INTERNAL_CATCH_UNIQUE_NAME(in_places)( \
      CATCH_INTERNAL_LINEINFO, function, __VA_ARGS__);                         \
  static void function(portcost::Place place)

/// TEST_CASE_IN_PLACES(name, tags[, host_tags]) { ... place ... }: `{}` in the name is the place's
/// name; the device's test has the tag [gpu], and needs one.
#define TEST_CASE_IN_PLACES(...) \
  PORTCOST_TEST_CASE_IN_PLACES(INTERNAL_CATCH_UNIQUE_NAME(test_in_places), __VA_ARGS__)
