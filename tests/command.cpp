// SPDX-License-Identifier: Apache-2.0
// Running the built command as a user does.
#include "tests/command.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>

namespace portcost::test {

namespace {

// One word for the shell, whatever is in it.
std::string quoted(const std::string& word) {
  std::string inner;
  for (const char c : word) {
    if (c == '\'') {
      inner.append("'\\''", 4);
    } else {
      inner += c;
    }
  }
  return fmt::format("'{}'", inner);
}

}  // namespace

Outcome run_command(const TemporaryFolder& folder, const std::vector<std::string>& arguments,
                    const std::string& variable) {
  const TemporaryFolder streams;
  const std::string out = streams.file("out"), err = streams.file("err");
  std::string line =
      fmt::format("cd {} && {} {}", quoted(folder.file("")),
                  variable.empty() ? "" : "env " + quoted(variable), quoted(PORTCOST_COMMAND));
  for (const std::string& argument : arguments) line += fmt::format(" {}", quoted(argument));
  line += fmt::format(" >{} 2>{} </dev/null", quoted(out), quoted(err));
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

}  // namespace portcost::test
