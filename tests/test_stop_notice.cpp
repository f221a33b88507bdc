// SPDX-License-Identifier: Apache-2.0
// What a program says when it is asked to stop, seen from the process that stops it.
#include "src/support/stop_notice.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support.hpp"

namespace portcost::test::test_stop_notice {

struct Ended {
  int status = -1;  // 128 + the signal when it was killed
  std::string said;
};

// A child that does `work`, which should not come to its end, with its error stream in a file.
Ended in_child(const std::function<void()>& work) {
  const TemporaryFolder folder;
  const std::string path = folder.file("said");
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(path.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
    work();
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(path)};
}

TEST_CASE("stop notice: a signal is named, with what was to be said", "[stop_notice]") {
  const std::pair<int, const char*> signals[]{{SIGINT, "SIGINT"},
                                              {SIGTERM, "SIGTERM"},
                                              {SIGHUP, "SIGHUP"},
                                              {SIGXCPU, "SIGXCPU"},
                                              {SIGPIPE, "SIGPIPE"}};
  for (const auto& [number, name] : signals) {
    const Ended ended = in_child([sent = number] {
      signal(sent, SIG_DFL);
      StopNotice notice;
      notice.say("the first");
      notice.say("3 rows are here");
      raise(sent);
    });
    CHECK(ended.status == 128 + number);
    CHECK(ended.said == std::string("portcost: stopped by ") + name + ": 3 rows are here\n");
  }
}

TEST_CASE("stop notice: ignored signals stay ignored, all are as before", "[stop_notice]") {
  const Ended ended = in_child([] {
    signal(SIGHUP, SIG_IGN);
    const StopNotice notice;
    raise(SIGHUP);
  });
  CHECK(ended.status == 99);
  CHECK(ended.said.empty());
  const Ended after = in_child([] {
    signal(SIGTERM, SIG_DFL);
    { const StopNotice notice; }
    raise(SIGTERM);
  });
  CHECK(after.status == 128 + SIGTERM);
  CHECK(after.said.empty());
}

TEST_CASE("stop notice: what is being written is written first, a file of nothing removed",
          "[stop_notice]") {
  const Ended ended = in_child([] {
    StopNotice notice;
    notice.say("before");
    const StopNotice::Delay delay;
    raise(SIGTERM);
    notice.say("after");
  });
  CHECK(ended.status == 128 + SIGTERM);
  CHECK(ended.said == "portcost: stopped by SIGTERM: after\n");
  const TemporaryFolder folder;
  write_file(folder.file("part"), "");
  in_child([&] {
    StopNotice notice;
    notice.say("nothing is kept", folder.file("part"));
    raise(SIGTERM);
  });
  CHECK(folder.entries().empty());
}

}  // namespace portcost::test::test_stop_notice
