// SPDX-License-Identifier: Apache-2.0
// Messages are never read stale: many rounds in the same memory, every round with other words.
// Every ticket stands between two fences: to leave one out permits wrong answers and does not
// promise them, so no run can demand a fence, and a test reads the sources.
#include <cstdlib>
#include <regex>

#include "tests/compiled_apart.hpp"
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/message_passing/problem.hpp"

namespace portcost::test::test_message_passing {

using namespace message_passing;

struct Shape {
  std::uint32_t groups, members, words;
};

struct Outcome {
  int stale = 0;    // sums that are not those of their round
  int tickets = 0;  // groups whose tickets were not taken back
};

// `rounds` rounds, one after the other without a wait, and what was wrong in them.
Outcome pass(const Launch<Round>& launch, Shape shape, std::uint32_t rounds, Stream& stream) {
  Buffer<std::uint32_t> messages(std::size_t{shape.groups} * shape.members * shape.words,
                                 stream.place()),
      arrived(shape.groups, stream.place()),
      sums(std::size_t{shape.groups} * rounds, stream.place());
  messages.poison(stream);
  sums.poison(stream);
  arrived.upload(std::vector<std::uint32_t>(shape.groups, 0), stream);
  std::vector<std::uint32_t> wanted(sums.size());
  const Stream host(Place::host);
  const auto serial = launches_of<Round>("message_passing", "serial", Place::host).front().launch;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    const std::size_t first = std::size_t{shape.groups} * r;
    Round round{messages.data(),
                arrived.data(),
                sums.data() + first,
                shape.groups,
                shape.members,
                shape.words,
                7,
                r};
    launch(round, stream);
    round.sums = wanted.data() + first;
    serial(round, host);
  }
  Outcome outcome;
  const auto got = sums.download(stream);
  for (std::size_t i = 0; i < got.size(); ++i) outcome.stale += got[i] != wanted[i];
  for (const std::uint32_t left : arrived.download(stream)) outcome.tickets += left != 0;
  return outcome;
}

void check_never_stale(const std::vector<NamedLaunch<Round>>& launches, Shape shape,
                       std::uint32_t rounds, Place place) {
  for (const auto& [name, launch] : launches) {
    CAPTURE(name, shape.groups, shape.members, shape.words);
    const Outcome outcome = pass(launch, shape, rounds, shared_stream(place));
    CHECK(outcome.stale == 0);
    CHECK(outcome.tickets == 0);
  }
}

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

const std::regex fence(R"(fence\w*(<\w+>)?\()");

// True when one of the lines [begin, end) has a fence.
bool has_fence(std::span<const std::string> lines, std::size_t begin, std::size_t end) {
  return std::ranges::any_of(lines.first(std::min(end, lines.size())).subspan(begin),
                             [](const auto& line) { return std::regex_search(line, fence); });
}

// Tickets of a file and additions under a lock, and how many of them have a fence before or after.
struct Tickets {
  int all = 0, before = 0, after = 0;
};
Tickets tickets_of(const std::vector<std::string>& lines) {
  static const std::regex ticket(
      R"((atomicAdd|atomic_fetch_add)\((s\.|&)?arrived|arrived\.fetch_add\(|out(\(0\))? \+= sum;)");
  Tickets tickets;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!std::regex_search(lines[i], ticket)) continue;
    ++tickets.all;
    tickets.before += has_fence(lines, i < 2 ? 0 : i - 2, i);
    tickets.after += has_fence(lines, i + 1, i + 3);
  }
  return tickets;
}

TEST_CASE("message_passing rule: words differ", "[message_passing]") {
  for (std::uint64_t at = 0; at < 1000; ++at) {
    for (std::uint32_t round = 0; round < 10; ++round) {
      CHECK(message_word(1, round, at) != message_word(1, round + 1, at));
      CHECK(message_word(1, round, at) != message_word(1, round, at + 1));
    }
  }
}

TEST_CASE_IN_PLACES("message_passing: {} variants read none stale", "[message_passing][kokkos]") {
  const std::uint32_t rounds = place == Place::host ? 40 : 2000;
  for (const Shape shape :
       {Shape{1, 1, 1}, Shape{257, 2, 1}, Shape{33, 7, 65}, Shape{64, 8, 256}, Shape{5, 100, 31}}) {
    check_never_stale(launches<Round>("message_passing", place), shape, rounds, place);
  }
}

#if PORTCOST_HAS_CUDA
// Without the barrier before a ticket, a group whose second member takes it last, which most do
// (the first is late), would read 20 microseconds before the first's words are there.
TEST_CASE("message_passing: a device's ticket waits for warps", "[message_passing][kokkos][gpu]") {
  need_device();
  const auto late = [](void (*ticket)(const LateRound&, const Stream&)) -> Launch<Round> {
    return [=](const Round& r, const Stream& stream) {
      ticket({r.messages, r.arrived, r.sums, r.groups, r.members, r.words, r.seed, r.round},
             stream);
    };
  };
  check_never_stale({{"cuda", late(late_cuda_ticket)}, {"kokkos", late(late_kokkos_ticket)}},
                    {64, 2, 256}, 10, Place::device);
}
#endif

TEST_CASE("fences: every ticket has one before it and one after it, as wide as its name",
          "[fences]") {
  const std::string sum = "variants/sum/", passing = "variants/message_passing/";
  for (const auto& [path, count] : {std::pair(sum + "cuda/wide.cu", 2),
                                    {sum + "kokkos/wide.cpp", 2},
                                    {sum + "kokkos/book.hpp", 2},
                                    {passing + "cuda.cu", 2},
                                    {passing + "kokkos.cpp", 2},
                                    {passing + "kokkos/book.hpp", 2},
                                    {passing + "kokkos/usual.cpp", 1},
                                    {passing + "openmp.cpp", 1}}) {
    const Tickets tickets = tickets_of(code_of(path));
    CAPTURE(path);
    CHECK(tickets.all == count);
    CHECK(tickets.before == count);
    CHECK(tickets.after == count);
  }
  const std::map<std::string, std::vector<std::string>> wanted{
      {passing + "cuda.cu",
       {"static __device__ void fence() { __threadfence(); }",
        "static __device__ void fence() { __threadfence_system(); }",
        "if (ticket == s.members - 1) __threadfence_block();",
        "launch_tickets<DeviceFence>(s, stream);", "launch_tickets<SystemFence>(s, stream);",
        "  __threadfence_system();"}},
      {passing + "openmp.cpp",
       {"std::atomic_signal_fence(std::memory_order_seq_cst);",
        "std::atomic_thread_fence(std::memory_order_acq_rel);",
        "std::atomic_thread_fence(std::memory_order_seq_cst);"}},
      {passing + "kokkos.cpp",
       {"if (*last != 0) fence<system>();", "desul::MemoryOrderSeqCst(), desul::MemoryScopeNode()",
        "fence<true>();", "launch<TicketOf<true>>(",
        "if (taken == s.members - 1) On::load_fence();"}},
      {"variants/shared/kokkos_team.hpp",
       {"desul::MemoryOrderRelease(), desul::MemoryScopeCore()",
        "desul::MemoryOrderAcquire(), desul::MemoryScopeCore()", "    Kokkos::store_fence();",
        "    Kokkos::load_fence();"}},
      {passing + "kokkos/book.hpp",
       {"if (taken == members - 1) Kokkos::load_fence();", "if (last()) Kokkos::memory_fence();"}},
      {passing + "kokkos/usual.cpp", {"if (is_last != 0) Kokkos::memory_fence();"}},
      {sum + "kokkos/wide.cpp", {"if (arrived_last) Kokkos::memory_fence();"}},
      {sum + "openmp.cpp", {"#pragma omp atomic capture acq_rel"}}};
  for (const auto& [path, lines] : wanted) {
    const std::vector<std::string> code = code_of(path);
    for (const std::string& line : lines) {
      CAPTURE(path, line);
      CHECK(std::ranges::any_of(code, [&](const auto& one) { return mentions(one, line); }));
    }
  }
}

}  // namespace portcost::test::test_message_passing
