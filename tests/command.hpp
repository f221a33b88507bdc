// SPDX-License-Identifier: Apache-2.0
// Running the built command as a user does.
#pragma once

#include <string>
#include <vector>

#include "tests/support.hpp"

namespace portcost::test {

struct Outcome {
  int status = -1;
  std::string out, err;
};

/// Runs portcost with `arguments` in `folder`, which is left as the command leaves it; with one
/// more environment variable, "NAME=value", if given.
Outcome run_command(const TemporaryFolder& folder, const std::vector<std::string>& arguments,
                    const std::string& variable = {});

}  // namespace portcost::test
