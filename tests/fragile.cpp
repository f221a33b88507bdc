// SPDX-License-Identifier: Apache-2.0
#include "tests/fragile.hpp"

namespace portcost::test {

namespace {

// As in fragile_catalogue.cpp.
const std::map<std::string, int> faults{
    {"none", 0},    {"abort", 1}, {"segfault", 2},   {"hang", 3},    {"error", 4}, {"wrong", 5},
    {"no_make", 6}, {"end", 7},   {"no_release", 8}, {"no_data", 9}, {"slow", 10}, {"mixed", 11}};

}  // namespace

const char* const fragile_program = PORTCOST_FRAGILE;

std::string fault_parameter(const std::string& fault, int on) {
  return "fault=" + std::to_string(faults.at(fault)) + ",on=" + std::to_string(on);
}

Outcome run_fragile(const TemporaryFolder& folder, const Arguments& words,
                    const std::string& variable) {
  return run_command(folder, words, {.variable = variable, .program = fragile_program});
}

Ran::Ran(const Arguments& words, int wanted)
    : Outcome(run_fragile(*this, words)),
      printed_(Catch::MessageBuilder("INFO", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
               << out << err) {
  CHECK(status == wanted);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace portcost::test
