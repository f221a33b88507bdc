// SPDX-License-Identifier: Apache-2.0
// Host memory by kind: what is given, what falls back and says so, how pages are shared out.
#include "src/memory/host_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <regex>

#include "src/memory/buffer.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_host_memory {

// What `action` prints on the standard error output.
template <class Action>
std::string printed(const Action& action) {
  const TemporaryFolder folder;
  const std::string file = folder.file("stderr");
  std::fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  const int into = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(into >= 0);
  dup2(into, STDERR_FILENO);
  close(into);
  action();
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  return read_file(file);
}

TEST_CASE("host memory: parts are whole pages, in order, past 2^32 bytes too", "[host_memory]") {
  for (const std::size_t bytes : {0ul, 1ul, 4095ul, 4096ul, 4097ul, 40'960ul, 1'000'003ul}) {
    for (const int parts : {1, 2, 3, 7, 64, 1000}) {
      CAPTURE(bytes, parts);
      std::size_t reached = 0, longest = 0, wrong = 0;
      for (int part = 0; part < parts; ++part) {
        const auto [begin, end] = page_part(bytes, part, parts);
        wrong += begin != reached || end < begin || (end % 4096 != 0 && end != bytes);
        longest = std::max(longest, end - begin);
        reached = end;
      }
      CHECK(wrong == 0);
      CHECK(reached == bytes);
      const auto n = static_cast<std::size_t>(parts);
      CHECK(longest <= ((bytes + 4095) / 4096 + n - 1) / n * 4096);
    }
  }
  constexpr std::size_t bytes = (std::size_t{1} << 40) + 1;
  CHECK(page_part(bytes, 0, 2).first == 0);
  CHECK(page_part(bytes, 0, 2).second == std::size_t{1} << 39);
  CHECK(page_part(bytes, 1, 2).second == bytes);
  std::vector<int> seen(100'000, 0);
  for_page_parts(seen.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  });
  CHECK(std::count(seen.begin(), seen.end(), 1) == 100'000);
}

TEST_CASE("host memory: pageable memory is what it says, and moves", "[host_memory]") {
  HostMemory memory(10'000, HostKind::pageable);
  CHECK(memory.kind() == HostKind::pageable);
  CHECK_FALSE(memory.registered());
  CHECK(memory.wanted() == HostKind::pageable);
  CHECK(memory.fallback().empty());
  CHECK(memory.size() == 10'000);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096 == 0);
  std::memset(memory.data(), 7, memory.size());
  std::byte* const at = memory.data();

  HostMemory moved(std::move(memory));
  CHECK(moved.data() == at);
  CHECK(moved.size() == 10'000);
  CHECK(memory.data() == nullptr);  // NOLINT: a moved-from one is empty
  HostMemory assigned;
  assigned = std::move(moved);
  CHECK(assigned.data() == at);
  CHECK(assigned.span()[9'999] == std::byte{7});
  check_throws<Failure>("10000 bytes of pageable host memory", [&] { assigned.on_device(); });
  CHECK(mentions(assigned.out_of_reach(), "it needs mapped or managed memory"));
  CHECK_FALSE(mentions(assigned.out_of_reach(), "ulimit"));
}

TEST_CASE("host memory: none is none, more than there is throws and names bytes", "[host_memory]") {
  for (const HostKind kind : {HostKind::pageable, HostKind::pinned, HostKind::mapped}) {
    CHECK(printed([&] { CHECK(HostMemory(0, kind).data() == nullptr); }).empty());
  }
  // Of every kind alike. Not even asked for: a system may promise more than it has.
  for (const HostKind kind :
       {HostKind::pageable, HostKind::pinned, HostKind::mapped, HostKind::managed}) {
    CAPTURE(name(kind));
    const std::string text =
        message_of<Failure>([kind] { HostMemory(std::size_t{1} << 60, kind); });
    // How much is available changes from one call to the next.
    CHECK(std::regex_search(text, std::regex("no 1152921504606846976 bytes of host memory "
                                             "\\([0-9]+ available\\): choose a smaller size")));
  }
  check_throws<Failure>("18446744073709551615 bytes are more than there are",
                        [] { HostMemory(SIZE_MAX, HostKind::pageable); });
}

TEST_CASE("host memory: says on which NUMA nodes it lies", "[host_memory]") {
  const std::regex form("NUMA node (unknown|[0-9]+)|NUMA nodes [0-9]+( and [0-9]+)+");
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 22}) {
    const HostMemory memory(bytes, HostKind::pageable);
    std::memset(memory.data(), 1, bytes);
    CAPTURE(numa_nodes(memory.span()));
    CHECK(std::regex_match(numa_nodes(memory.span()), form));
  }
  CHECK(numa_nodes({}) == "NUMA node unknown");
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("host memory: what cannot be pinned is pageable, but for kernels", "[host_memory]") {
  // Who only copies takes pageable memory for mapped memory, too.
  for (const auto& [kind, refused] : {std::pair{HostKind::pinned, Refused{}},
                                      {HostKind::write_combined, Refused{}},
                                      {HostKind::mapped, Refused::pageable}}) {
    HostMemory memory;
    const std::string said = printed([&] { memory = HostMemory(12'345, kind, refused); });
    CHECK(memory.kind() == HostKind::pageable);
    CHECK(memory.wanted() == kind);
    CHECK(memory.data() != nullptr);
    CHECK(memory.fallback() == "no 12345 bytes of " + std::string(name(kind)) +
                                   " host memory (this build has no CUDA): pageable memory is "
                                   "used instead");
    CHECK(said == "portcost: " + memory.fallback() + "\n");
    if (kind != HostKind::mapped) continue;
    const std::string why = message_of<Failure>([&] { memory.on_device(); });
    CHECK(mentions(why, "a kernel cannot reach these 12345 bytes of pageable host memory"));
    CHECK(mentions(why, memory.fallback()));
    CHECK(mentions(why, "choose a smaller size, or raise the limit of locked memory (ulimit -l)"));
  }
  for (const HostKind kind : {HostKind::mapped, HostKind::managed}) {
    const std::string text = message_of<Failure>([&] { HostMemory(12'345, kind); });
    CHECK(mentions(text, "no 12345 bytes of " + std::string(name(kind)) + " host memory"));
    CHECK(mentions(text, "this build has no CUDA"));
    CHECK(mentions(text, "choose a smaller size, or raise the limit of locked memory"));
  }
  check_throws<Failure>("no 12345 bytes of managed host memory",
                        [] { HostMemory(12'345, HostKind::managed, Refused::pageable); });
}

#else
TEST_CASE("host memory: each kind is what it says", "[host_memory][gpu]") {
  need_device();
  for (const HostKind kind :
       {HostKind::pinned, HostKind::write_combined, HostKind::mapped, HostKind::managed}) {
    CAPTURE(name(kind));
    const HostMemory memory(1 << 20, kind);
    CHECK(memory.kind() == kind);
    CHECK(memory.fallback().empty());
    CHECK(memory.out_of_reach().empty());
    CHECK(memory.on_device() != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 256 == 0);
    std::memset(memory.data(), 1, memory.size());
  }
}

TEST_CASE("host memory: much pinned memory is pinned to its last byte", "[host_memory][gpu]") {
  need_device();
  const HostMemory memory(registered_bytes + 5, HostKind::pinned);
  CHECK(memory.kind() == HostKind::pinned);
  CHECK(memory.registered());
  CHECK(memory.fallback().empty());
  CHECK(memory.on_device() != nullptr);
  const Stream& stream = shared_stream(Place::device);
  const Buffer<std::byte> there(5, Place::device);
  std::byte* const end = memory.data() + registered_bytes;
  for (int i = 0; i < 5; ++i) end[i] = static_cast<std::byte>(i + 1);
  copy_bytes(const_cast<std::byte*>(there.data()), Place::device, end, Place::host, 5, stream);
  stream.synchronize();
  CHECK(there.download(stream)[4] == std::byte{5});
}

#endif

}  // namespace portcost::test::test_host_memory
