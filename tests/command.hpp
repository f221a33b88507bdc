// SPDX-License-Identifier: Apache-2.0
// Running the built command as a user does.
#pragma once

#include "src/record/record_part.hpp"
#include "tests/support.hpp"

namespace portcost::test {

using Arguments = std::vector<std::string>;

/// `words` and behind them `more`.
inline Arguments joined(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Outcome {
  int status = -1;
  std::string out, err;
};

/// What surrounds a command that is run.
struct Around {
  std::string before = {};    // what the shell does first, ending in ';'
  std::string variable = {};  // one more environment variable, "NAME=value"
  std::string out = {};       // where the output goes instead of into the Outcome
  std::string program = {};   // instead of portcost
};

/// Runs portcost with `arguments` in `folder`, which is left as the command leaves it.
Outcome run_command(const TemporaryFolder& folder, const Arguments& arguments,
                    const Around& around = {});
/// The same in a folder of its own.
Outcome run_command(const Arguments& arguments, const Around& around = {});
/// What it prints there, ending with status 0.
std::string output_of(const Arguments& arguments);

/// Checks that a command ended with `status` and one line of error, in which `said` stands.
void check_one_line(const Outcome& outcome, int status, const std::string& said);
/// The same, and that it wrote nothing else.
void check_refused(const Outcome& outcome, int status, const std::string& said);

/// The rows of a record's text: all, or those of one kind.
std::vector<Json> rows_in(const std::string& text, std::string_view kind = {});

/// What stands behind `name` in the output of `portcost solve`; "(nothing)" where no line has it.
std::string said_of(const Outcome& outcome, const std::string& name);

/// The models that --model may name on this machine.
std::vector<std::string> models_here();

/// Runs it and sends `signal` once the error stream has `text`. The status is 128 + the signal.
Outcome stop_command(const TemporaryFolder& folder, const Arguments& arguments,
                     const std::string& text, int signal, const std::string& program = {});

}  // namespace portcost::test
