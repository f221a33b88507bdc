// SPDX-License-Identifier: Apache-2.0
// Running the built command as a user does.
#include "tests/command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

#include "src/memory/place.hpp"

namespace portcost::test {

const char* const made_up = PORTCOST_MADE_UP;

namespace {

// One word for the shell, whatever is in it.
std::string quoted(const std::string& word) {
  return "'" + std::regex_replace(word, std::regex("'"), R"('\'')") + "'";
}

[[noreturn]] void become_command(const TemporaryFolder& folder, const Arguments& arguments,
                                 const std::string& program, int error_stream) {
  std::vector<std::string> words{program.empty() ? PORTCOST_COMMAND : program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(error_stream, STDERR_FILENO);
  if (chdir(folder.file("").c_str()) == 0) execv(pointers[0], pointers.data());
  _exit(127);
}

}  // namespace

Outcome run_command(const TemporaryFolder& folder, const Arguments& arguments,
                    const Around& around) {
  const TemporaryFolder streams;
  const std::string out = streams.file("out"), err = streams.file("err");
  std::string line =
      fmt::format("cd {} && {} {} {}", quoted(folder.file("")), around.before,
                  around.variable.empty() ? "" : "env " + quoted(around.variable),
                  quoted(around.program.empty() ? PORTCOST_COMMAND : around.program));
  for (const std::string& argument : arguments) line += fmt::format(" {}", quoted(argument));
  line += fmt::format(" >{} 2>{} </dev/null", quoted(around.out.empty() ? out : around.out),
                      quoted(err));
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

Outcome run_command(const Arguments& arguments, const Around& around) {
  return run_command(TemporaryFolder(), arguments, around);
}

Outcome run_made_up(const TemporaryFolder& folder, const Arguments& arguments, Around around) {
  around.program = made_up;
  return run_command(folder, arguments, around);
}

Outcome run_made_up(const Arguments& arguments) {
  return run_made_up(TemporaryFolder(), arguments);
}

std::string output_of(const Arguments& arguments) {
  const Outcome outcome = run_command(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.out;
}

void check_one_line(const Outcome& outcome, int status, const std::string& said) {
  CAPTURE(outcome.out, outcome.err, said);
  CHECK(outcome.status == status);
  CHECK(outcome.err.starts_with("portcost: "));
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(mentions(outcome.err, said));
}

void check_refused(const Outcome& outcome, int status, const std::string& said) {
  check_one_line(outcome, status, said);
  CHECK(outcome.out.empty());
}

std::vector<Json> rows_in(const std::string& text, std::string_view kind) {
  std::vector<Json> rows;
  for (const std::string& line : lines_of(text)) rows.push_back(Json::parse(line));
  if (!kind.empty()) std::erase_if(rows, [&](const Json& row) { return row.at("kind") != kind; });
  return rows;
}

std::string said_of(const Outcome& outcome, const std::string& name) {
  for (const std::string& line : lines_of(outcome.out)) {
    if (line.starts_with("  " + name)) return line.substr(line.find_first_not_of(' ', 19));
  }
  return "(nothing)";
}

Ran::Ran(const Arguments& words, int wanted)
    : Outcome(run_made_up(*this, words)),
      printed_(Catch::MessageBuilder("INFO", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
               << out << err) {
  CHECK(status == wanted);
}

std::vector<std::string> models_here() {
  std::vector<std::string> models{"openmp", "reference"};
  if (!PORTCOST_HAS_CUDA || device_present()) models.emplace_back("kokkos");
  if (device_present()) models.emplace_back("cuda");
  return models;
}

Outcome stop_command(const TemporaryFolder& folder, const Arguments& arguments,
                     const std::string& text, int signal, const std::string& program) {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = fork();
  if (child == 0) become_command(folder, arguments, program, ends[1]);
  close(ends[1]);
  Outcome outcome;
  bool sent = false;
  char buffer[512];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.err.append(buffer, static_cast<std::size_t>(size));
    if (!sent && outcome.err.find(text) != std::string::npos) {
      kill(child, signal);
      sent = true;
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace portcost::test
