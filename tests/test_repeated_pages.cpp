// SPDX-License-Identifier: Apache-2.0
// More numbers than 31 bits count, on a host: the same few pages again and again, which take no
// memory worth the name.
#include <sys/mman.h>
#include <unistd.h>

#include <span>

#include "src/machine/cpus.hpp"
#include "tests/launches.hpp"
#include "variants/divergence/problem.hpp"
#include "variants/sum/problem.hpp"

#ifdef __has_feature  // clang's, whose ThreadSanitizer is used
#define PORTCOST_WITH_TSAN __has_feature(thread_sanitizer)
#else
#define PORTCOST_WITH_TSAN 0
#endif

namespace portcost::test {

namespace {

// Numbers that are all the same, in address space that shows one file's pages many times.
template <class T>
class RepeatedPages {
 public:
  RepeatedPages(std::uint64_t count, T number)
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
    std::fill_n(data(), piece / sizeof number, number);
  }
  ~RepeatedPages() { munmap(pages_, bytes_); }
  RepeatedPages(const RepeatedPages&) = delete;
  RepeatedPages& operator=(const RepeatedPages&) = delete;

  T* data() const { return static_cast<T*>(pages_); }
  // Those that are there; all others are the same.
  std::span<const T> numbers() const { return {data(), piece / sizeof(T)}; }

 private:
  static constexpr std::uint64_t piece = 4 << 20;
  std::uint64_t bytes_;
  void* pages_ = nullptr;
};

void need_processors(int wanted) {
#if defined(__SANITIZE_ADDRESS__) || PORTCOST_WITH_TSAN
  SKIP("what a sanitizer keeps of such an array does take memory");
#endif
  if (find_cpus().usable() >= wanted) return;
  skip_or_fail("needs " + std::to_string(wanted) + " processors to be done in seconds");
}

}  // namespace

TEST_CASE("repeated pages: sums of 2^31 numbers in one range, on the host",
          "[large][sum][kokkos][slow]") {
  need_processors(2);
  using sum::Word;
  constexpr std::uint64_t n = (std::uint64_t{1} << 31) + 5;
  constexpr Word number = 0x9E3779B1u;
  const RepeatedPages<Word> in(n, number);
  for (const auto& [name, launch] : launches_of<sum::Numbers<Word>>("sum", "reduce", Place::host)) {
    CAPTURE(name);
    Word out = 0;
    launch({in.data(), n, &out, {nullptr, nullptr}, nullptr, 2}, shared_stream(Place::host));
    shared_stream(Place::host).synchronize();
    CHECK(out == static_cast<Word>(n * number));
  }
}

#if !PORTCOST_HAS_CUDA  // else Kokkos, and with it the usual form, is where the GPU is
TEST_CASE("repeated pages: 2^31 numbers in one range of divergence, on the host",
          "[large][divergence][kokkos]") {
  need_processors(8);
  using namespace divergence;
  constexpr std::uint64_t n = (std::uint64_t{1} << 31) + 5;
  constexpr unsigned trip = 1;
  const RepeatedPages<float> in(n, 0.25f), out(n, 0.0f);
  const auto found = launches<Work>("divergence", Place::host, [](const Variant& v) {
    return v.way == Way::usual && v.dials.empty();
  });
  REQUIRE(!found.empty());
  found.front().launch({in.data(), out.data(), n, 0, trip}, shared_stream(Place::host));
  shared_stream(Place::host).synchronize();
  float wanted = 0.25f;
  for (unsigned k = 0; k < most_trips; ++k) wanted = then_stretch(wanted);
  const auto written = out.numbers();
  CHECK(std::all_of(written.begin(), written.end(), [=](float x) { return x == wanted; }));
}
#endif

}  // namespace portcost::test
