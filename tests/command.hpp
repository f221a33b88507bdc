// SPDX-License-Identifier: Apache-2.0
// Running the built command as a user does, and the files that `portcost solve` reads and writes.
#pragma once

#include <catch2/catch_message.hpp>
#include <initializer_list>

#include "src/files/npy.hpp"
#include "src/record/record.hpp"
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

/// Another command, whose catalogue is made up (made_up_catalogue.cpp).
extern const char* const made_up;
Outcome run_made_up(const TemporaryFolder& folder, const Arguments& arguments, Around around = {});
Outcome run_made_up(const Arguments& arguments);

/// It has run in this folder and ended with `status`; a check that fails shows its
/// output.
struct Ran : TemporaryFolder, Outcome {
  explicit Ran(const Arguments& words, int status = 1);

 private:
  Catch::ScopedMessage printed_;
};

/// The models that --model may name on this machine.
std::vector<std::string> models_here();

/// Runs it and sends `signal` once the error stream has `text`. The status is 128 + the signal.
Outcome stop_command(const TemporaryFolder& folder, const Arguments& arguments,
                     const std::string& text, int signal, const std::string& program = {});

// ---- portcost solve.

using Entries = std::vector<std::string>;

inline const std::string coordinate_banner = "%%MatrixMarket matrix coordinate real general\n";
inline const std::string array_banner = "%%MatrixMarket matrix array real general\n";

/// A folder of its own with these files in it: name and text.
class Files : public TemporaryFolder {
 public:
  Files(std::initializer_list<std::pair<const char*, std::string>> files) {
    for (const auto& [name, text] : files) write_file(file(name), text);
  }
};

/// What is behind the header of a file of NumPy's.
template <class T>
std::vector<T> elements_of(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<T> values((text.size() - 128) / sizeof(T));
  std::memcpy(values.data(), text.data() + 128, values.size() * sizeof(T));
  return values;
}

/// A file of a matrix with n on the diagonal and, everywhere else, 1.
inline std::string dominant(std::int64_t n) {
  std::string text = fmt::format("{}{} {}\n", array_banner, n, n);
  for (std::int64_t at = 0; at < n * n; ++at)
    text += fmt::format("{}\n", at % (n + 1) == 0 ? n : 1);
  return text;
}

}  // namespace portcost::test
