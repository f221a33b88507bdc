// SPDX-License-Identifier: Apache-2.0
// Arrays whose offsets pass 2^32 bytes, and on a device 2^32 elements: what 32 bits would wrap
// around lies where other data are. Run where memory allows.
#include <sys/mman.h>
#include <unistd.h>

#include <span>

#include "src/machine/machine.hpp"
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/divergence/problem.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::test::test_large_arrays {

// So many words of 4 bytes take 2^32 bytes.
[[maybe_unused]] constexpr std::uint64_t two_30 = std::uint64_t{1} << 30;

// Goes on only where the place is there, with so much memory.
void need_memory(Place place, double bytes) {
  if (place == Place::device) need_device();
  const double available = available_bytes(place);
  if (bytes < 0.9 * available) return;
  skip_or_fail(fmt::format("needs {:.1f} GB of memory on the {}, and {:.1f} GB are available",
                           bytes / 1e9, name(place), available / 1e9));
}

// On a host these take about 10 s of two processors; with a sanitizer, minutes.
void need_processors(int wanted) {
#if defined(__SANITIZE_ADDRESS__)
  SKIP("takes minutes with a sanitizer");
#endif
  const int there = find_cpus().usable();
  if (there >= wanted) return;
  skip_or_fail(
      fmt::format("needs {} processors to be done in seconds, {} may be used", wanted, there));
}

bool no_peer(const Variant& variant) { return variant.model != Model::library; }

// The slides' steps, millions of teams of one thread there, would take a host half a minute.
bool cheap_sum(const Variant& variant) {
  static const std::set<std::string_view> steps{"stretches", "reduce", "wide_loads", "single_pass"};
  return variant.model == Model::openmp || (no_peer(variant) && steps.contains(variant.step));
}
bool cheap_histogram(const Variant& variant) {
  static const std::set<std::string_view> steps{"wide_loads", "lane_striped", "lane_private"};
  return no_peer(variant) && steps.contains(variant.step);
}
bool is_blocked(const Variant& variant) { return variant.step == "blocked"; }

struct Large {
  const char* algorithm;
  const char* sizes;  // as the catalogue lists them
  Wanted wanted = every;
  int processors = 0;  // that a host needs
};

// Every variant of a place that is wanted against the algorithm's truth, which draws elements
// anywhere: many of them lie past 2^32 bytes, or the last past 2^32.
void check_judged(const Large& row, Place place) {
  Algorithm algorithm = algorithm_called(row.algorithm);
  algorithm.checked = row.sizes;
  if (place == Place::host) need_processors(row.processors);
  for (const Size& size : algorithm.check_sizes()) {
    const Problem problem{size, parse_parameters("", algorithm.parameter_keys), algorithm.types[0],
                          1};
    need_memory(place, algorithm.footprint(problem));
    if (place == Place::device) need_memory(Place::host, algorithm.footprint(problem) / 2);
    const auto instance = algorithm.make(problem, shared_stream(place));
    CAPTURE(size.text());
    const auto check = [&](const Variant& variant, const Answer& answer) {
      CHECK(algorithm.judge(problem, variant.step, answer, *instance).fault.empty());
    };
    for_answers(algorithm, place, problem, *instance, check, row.wanted);
  }
}

// Registers a test of each row.
struct OfRows {
  OfRows(Place place, const std::vector<Large>& rows) {
    const std::string tags = place == Place::device ? "[gpu]" : "";
    for (const Large& row : rows) {
      register_test(CATCH_INTERNAL_LINEINFO,
                    fmt::format("large arrays: {} {}", name(place), row.algorithm),
                    fmt::format("[large][{}][kokkos][slow]{}", row.algorithm, tags),
                    [=] { check_judged(row, place); });
    }
  }
};

// Numbers that are all the same, in address space that shows one file's pages many times.
template <class T>
class RepeatedPages : Uncopied {
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

  T* data() const { return static_cast<T*>(pages_); }
  // Those that are there; all others are the same.
  std::span<const T> numbers() const { return {data(), piece / sizeof(T)}; }

 private:
  static constexpr std::uint64_t piece = 4 << 20;
  std::uint64_t bytes_;
  void* pages_ = nullptr;
};

const OfRows of_hosts(Place::host, {{"sum", "1073841827", cheap_sum, 2},
                                    {"histogram", "1073841827,256", cheap_histogram, 4},
                                    {"heat2d", "16300,66000,1", is_blocked, 4}});

#if PORTCOST_HAS_CUDA
// A buffer that repeats `pattern`.
template <class T>
Buffer<T> repeated(const std::vector<T>& pattern, std::uint64_t count, const Stream& stream) {
  const Place place = stream.place();
  Buffer<T> buffer(count, place);
  copy_bytes(buffer.data(), place, pattern.data(), Place::host, pattern.size() * sizeof(T), stream);
  for (std::uint64_t filled = pattern.size(); filled < count; filled *= 2) {
    copy_bytes(buffer.data() + filled, place, buffer.data(), place,
               std::min(filled, count - filled) * sizeof(T), stream);
  }
  return buffer;
}

template <class T>
T get(const Buffer<T>& buffer, std::uint64_t at, const Stream& stream) {
  T value;
  copy_bytes(&value, Place::host, buffer.data() + at, stream.place(), sizeof(T), stream);
  stream.synchronize();
  return value;
}

// Elements that are made others: the ends, those beside `wrap`, and those where they would be found
// if offsets wrapped there.
std::vector<std::uint64_t> special(std::uint64_t count, std::uint64_t wrap) {
  return {0, 1, count - 1 - wrap, wrap - 1, wrap, wrap + 1, count - 1};
}

const OfRows of_devices(Place::device, {{"sum", "1073841827 4295067299", no_peer},
                                        {"scan", "1342177280 4295067299"},
                                        {"histogram", "1073841827,256", no_peer},
                                        {"heat2d", "16300,66000,1 65500,65700,1"},
                                        {"block_vote", "1342177280"},
                                        {"divergence", "1342177280,16,1"},
                                        // Of the last systems the truth looks at two at least.
                                        {"gauss_batched", "64,1049579"},
                                        {"transpose", "36641,36643,1 65600,65600,1"},
                                        {"strides", "67109867,33,64,1023"},
                                        {"in_flight", "2^31,2048"}});

TEST_CASE("large arrays: device atomics past 2^32", "[large][atomics][kokkos][gpu][slow]") {
  using namespace atomics;
  constexpr std::uint64_t words = two_30 + 4096, n = words * item_operations;
  need_memory(Place::device, 12.0 * static_cast<double>(words));
  const Stream& stream = shared_stream(Place::device);
  for (const auto& [model, run] : models_of_atomics<std::uint32_t>(Place::device)) {
    const auto global = repeated(std::vector<std::uint32_t>(1024, 7), words, stream);
    Buffer<std::uint32_t> sums(words, Place::device);
    run(Operation::add, Memory::global,
        {global.data(), global.data(), nullptr, sums.data(), n, words}, stream);
    for (const std::uint64_t word : special(words, two_30)) {
      CAPTURE(model, word);
      std::uint32_t expected = 7;
      for (unsigned k = 0; k < item_operations; ++k) {
        expected += operand<Operation::add, std::uint32_t>(word * item_operations + k, word);
      }
      CHECK(get(global, word, stream) == expected);
    }
  }
}
#endif

TEST_CASE("repeated pages: host sums of 2^31 numbers in a range", "[large][sum][kokkos][slow]") {
  if (sanitized) SKIP("what a sanitizer keeps of such an array does take memory");
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
TEST_CASE("repeated pages: host divergence of 2^31 in a range", "[large][divergence][kokkos]") {
  if (sanitized) SKIP("what a sanitizer keeps of such an array does take memory");
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

}  // namespace portcost::test::test_large_arrays
