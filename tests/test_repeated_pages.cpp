// SPDX-License-Identifier: Apache-2.0
// Sums of more numbers than 31 bits count, on a host: the same few pages again and again, which
// take no memory worth the name.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "src/machine/cpus.hpp"
#include "tests/launches.hpp"
#include "tests/support.hpp"
#include "variants/sum/problem.hpp"

#ifdef __has_feature  // clang's, whose ThreadSanitizer is used
#define PORTCOST_WITH_TSAN __has_feature(thread_sanitizer)
#else
#define PORTCOST_WITH_TSAN 0
#endif

namespace portcost::test {

namespace {

// Numbers that are all the same, in address space that shows one file's pages many times.
class RepeatedPages {
 public:
  RepeatedPages(std::uint64_t count, sum::Word number)
      : bytes_((count * sizeof number + piece - 1) / piece * piece) {
    pages_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages_ == MAP_FAILED) skip_or_fail("there is not so much address space");
    const int file = memfd_create("repeated pages", 0);
    REQUIRE(file >= 0);
    REQUIRE(ftruncate(file, piece) == 0);
    bool shown = true;
    for (std::uint64_t at = 0; at < bytes_; at += piece) {
      void* const here = static_cast<std::byte*>(pages_) + at;
      shown = shown &&
              mmap(here, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == here;
    }
    close(file);
    REQUIRE(shown);
    std::fill_n(static_cast<sum::Word*>(pages_), piece / sizeof number, number);
  }
  ~RepeatedPages() { munmap(pages_, bytes_); }
  RepeatedPages(const RepeatedPages&) = delete;
  RepeatedPages& operator=(const RepeatedPages&) = delete;

  const sum::Word* data() const { return static_cast<const sum::Word*>(pages_); }

 private:
  static constexpr std::uint64_t piece = 4 << 20;
  std::uint64_t bytes_;
  void* pages_ = nullptr;
};

}  // namespace

TEST_CASE("repeated pages: sums of 2^31 numbers in one range, on the host",
          "[large][sum][kokkos]") {
#if defined(__SANITIZE_ADDRESS__) || PORTCOST_WITH_TSAN
  SKIP("what a sanitizer keeps of such an array does take memory");
#endif
  using sum::Word;
  constexpr std::uint64_t n = (std::uint64_t{1} << 31) + 5;
  constexpr Word number = 0x9E3779B1u;
  if (find_cpus().usable() < 2) skip_or_fail("needs 2 processors to be done in seconds");
  const RepeatedPages in(n, number);
  const auto check = [&](const std::string& name, const Launch<sum::Numbers<Word>>& launch) {
    CAPTURE(name);
    Word out = 0;
    launch({in.data(), n, &out, {nullptr, nullptr}, nullptr, 2}, shared_stream(Place::host));
    shared_stream(Place::host).synchronize();
    CHECK(out == static_cast<Word>(n * number));
  };
  for (const auto& [name, launch] : launches_of<sum::Numbers<Word>>("sum", "reduce", Place::host)) {
    check(name, launch);
  }
}

}  // namespace portcost::test
