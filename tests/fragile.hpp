// SPDX-License-Identifier: Apache-2.0
// Running the command whose catalogue is fragile_catalogue.cpp.
#pragma once

#include <catch2/catch_message.hpp>

#include "tests/command.hpp"

namespace portcost::test {

extern const char* const fragile_program;

/// In which variants of the second step the fault is; may be added.
constexpr int on_kokkos = 1, on_openmp = 2, on_reference = 4;

/// What --parameter takes: this fault, a name of fragile_catalogue.cpp.
std::string fault_parameter(const std::string& fault, int on = on_kokkos);

Outcome run_fragile(const TemporaryFolder& folder, const Arguments& words,
                    const std::string& variable = {});

/// It has run in this folder and ended with `status`; a check that fails shows its output.
struct Ran : TemporaryFolder, Outcome {
  explicit Ran(const Arguments& words, int status = 1);

 private:
  Catch::ScopedMessage printed_;
};

/// How often `part` is in `text`.
std::size_t count(const std::string& text, const std::string& part);

}  // namespace portcost::test
