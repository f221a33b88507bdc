// SPDX-License-Identifier: Apache-2.0
// Every ticket stands between two fences. To leave one out permits wrong answers and does not
// promise them, so no run can demand a fence: this reads the sources.
#include <cstdlib>
#include <regex>

#include "tests/support.hpp"

namespace portcost::test::test_fences {

namespace {

// tests/plant_faults puts files that come before those of the same name in the tree.
std::vector<std::string> code_of(const std::string& path) {
  const char* const planted = std::getenv("PORTCOST_PLANTED_SOURCES");
  std::filesystem::path file = std::filesystem::path(planted == nullptr ? "" : planted) / path;
  if (planted == nullptr || !std::filesystem::exists(file)) {
    file = std::filesystem::path(PORTCOST_SOURCE_DIR) / path;
  }
  std::vector<std::string> lines = lines_of(read_file(file));
  for (std::string& line : lines) line = line.substr(0, line.find("//"));
  return lines;
}

const std::regex fence(R"(fence\w*\()");

// True when one of the lines [begin, end) has a fence.
bool has_fence(const std::vector<std::string>& lines, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, lines.size()); ++i) {
    if (std::regex_search(lines[i], fence)) return true;
  }
  return false;
}

// Tickets of a file, and how many of them lack a fence before or after.
struct Tickets {
  int all = 0, before = 0, after = 0;
};
Tickets tickets_of(const std::vector<std::string>& lines) {
  static const std::regex ticket(
      R"((atomicAdd|atomic_fetch_add)\((s\.|&)?arrived|arrived\.fetch_add\()");
  Tickets tickets;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!std::regex_search(lines[i], ticket)) continue;
    ++tickets.all;
    tickets.before += has_fence(lines, i < 2 ? 0 : i - 2, i);
    tickets.after += has_fence(lines, i + 1, i + 3);
  }
  return tickets;
}

bool has_line(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return mentions(line, text); });
}

}  // namespace

TEST_CASE("fences: every ticket has one before it and one after it", "[fences]") {
  const std::vector<std::pair<std::string, int>> files{
      {"variants/sum/cuda/wide.cu", 1},
      {"variants/sum/kokkos/wide.cpp", 1},
      {"variants/sum/kokkos/book.hpp", 1},
      {"variants/message_passing/cuda.cu", 2},
      {"variants/message_passing/kokkos.cpp", 2},
      {"variants/message_passing/kokkos/book.hpp", 2},
      {"variants/message_passing/kokkos/usual.cpp", 1},
      {"variants/message_passing/openmp.cpp", 1}};
  for (const auto& [path, count] : files) {
    const Tickets tickets = tickets_of(code_of(path));
    CAPTURE(path);
    CHECK(tickets.all == count);
    CHECK(tickets.before == count);
    CHECK(tickets.after == count);
  }
}

TEST_CASE("fences: each is as wide as its name says", "[fences]") {
  const auto cuda = code_of("variants/message_passing/cuda.cu");
  CHECK(has_line(cuda, "static __device__ void fence() { __threadfence(); }"));
  CHECK(has_line(cuda, "static __device__ void fence() { __threadfence_system(); }"));
  CHECK(has_line(cuda, "if (ticket == s.members - 1) __threadfence_block();"));
  CHECK(has_line(cuda, "launch_tickets<DeviceFence>(s, stream);"));
  CHECK(has_line(cuda, "launch_tickets<SystemFence>(s, stream);"));
  const auto openmp = code_of("variants/message_passing/openmp.cpp");
  CHECK(has_line(openmp, "std::atomic_signal_fence(std::memory_order_seq_cst);"));
  CHECK(has_line(openmp, "std::atomic_thread_fence(std::memory_order_acq_rel);"));
  CHECK(has_line(openmp, "std::atomic_thread_fence(std::memory_order_seq_cst);"));
  const auto kokkos = code_of("variants/message_passing/kokkos.cpp");
  CHECK(has_line(kokkos, "if (*last != 0) Kokkos::memory_fence();"));
  CHECK(has_line(kokkos, "if (taken == s.members - 1) On::load_fence();"));
  const auto teams = code_of("variants/shared/kokkos_team.hpp");
  CHECK(has_line(teams, "desul::MemoryOrderRelease(), desul::MemoryScopeCore()"));
  CHECK(has_line(teams, "desul::MemoryOrderAcquire(), desul::MemoryScopeCore()"));
  CHECK(has_line(teams, "    Kokkos::store_fence();"));
  CHECK(has_line(teams, "    Kokkos::load_fence();"));
  const auto book = code_of("variants/message_passing/kokkos/book.hpp");
  CHECK(has_line(book, "if (taken == members - 1) Kokkos::load_fence();"));
  CHECK(has_line(book, "if (last()) Kokkos::memory_fence();"));
  const auto usual = code_of("variants/message_passing/kokkos/usual.cpp");
  CHECK(has_line(usual, "if (is_last != 0) Kokkos::memory_fence();"));
  const auto wide = code_of("variants/sum/kokkos/wide.cpp");
  CHECK(has_line(wide, "if (arrived_last) Kokkos::memory_fence();"));
  const auto sum = code_of("variants/sum/openmp.cpp");
  CHECK(has_line(sum, "#pragma omp atomic capture acq_rel"));
}

TEST_CASE("fences: a ticket without one is noticed", "[fences]") {
  const Tickets before = tickets_of({"__threadfence();", "x = atomicAdd(s.arrived, 1u);", "", ""});
  const Tickets after = tickets_of({"", "", "x = atomicAdd(s.arrived, 1u);", "Scope::fence();"});

  CHECK((before.all == 1 && before.before == 1 && before.after == 0));
  CHECK((after.all == 1 && after.before == 0 && after.after == 1));
}

}  // namespace portcost::test::test_fences
