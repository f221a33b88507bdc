// SPDX-License-Identifier: Apache-2.0
// What lies past the end of the data is neither added nor overwritten: buffers are longer than
// variants are given, and hold there what would show. On a host, nothing past the ends is read.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/launches.hpp"
#include "tests/support.hpp"
#include "variants/block_vote/problem.hpp"
#include "variants/divergence/problem.hpp"
#include "variants/heat2d/problem.hpp"

namespace portcost::test::test_ends_of_data {

namespace {

constexpr std::size_t margin = 4096;  // elements past the end
constexpr float rubbish = 1e6f;

// How many elements from `first` on are other than `value`.
template <class T>
std::ptrdiff_t overwritten(const std::vector<T>& elements, std::size_t first, T value) {
  return std::count_if(elements.begin() + static_cast<std::ptrdiff_t>(first), elements.end(),
                       [&](T element) { return element != value; });
}

void heat_stays_in_its_rows(Place place) {
  Stream& stream = shared_stream(place);
  for (const auto& [nx, ny] : std::vector<std::pair<int, int>>{{40, 21}, {64, 32}, {31, 1}}) {
    const auto pitch = heat2d::pitch_of<float>(nx);
    const auto grid = static_cast<std::size_t>(pitch * ny);
    Buffer<float> in(grid + margin, place), out(grid + margin, place);
    in.upload(std::vector<float>(grid + margin, 0.5f), stream);
    for (const auto& [name, launch] : launches<heat2d::Step<float>>("heat2d", place)) {
      CAPTURE(name, nx, ny);
      out.upload(std::vector<float>(grid + margin, rubbish), stream);
      launch({in.data(), out.data(), nx, ny, static_cast<std::uint32_t>(pitch), {0.2f, 0.2f}},
             stream);
      CHECK(overwritten(out.download(stream), grid, rubbish) == 0);
    }
  }
}

// So many floats that end where a page begins, or begin where one ends, that ends a program which
// reads it.
class GuardedFloats {
 public:
  GuardedFloats(std::size_t count, bool at_end) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (count * sizeof(float) + page - 1) / page * page;
    bytes_ = inner + 2 * page;
    pages_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages_ != MAP_FAILED);
    std::byte* const first = static_cast<std::byte*>(pages_) + page;
    REQUIRE(mprotect(first, inner, PROT_READ | PROT_WRITE) == 0);
    data_ = reinterpret_cast<float*>(at_end ? first + inner - count * sizeof(float) : first);
    std::fill_n(data_, count, 0.5f);
  }
  ~GuardedFloats() { munmap(pages_, bytes_); }
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;

  const float* data() const { return data_; }

 private:
  std::size_t bytes_ = 0;
  void* pages_ = nullptr;
  float* data_ = nullptr;
};

// The last row but one is the last of full tiles, slides too, which read as far as the last row.
void heat_reads_its_rows_alone() {
  constexpr int nx = 230, ny = 2 * heat2d::tile_y + 1;
  constexpr auto pitch = heat2d::pitch_of<float>(nx);
  const auto grid = static_cast<std::size_t>(pitch * ny);
  Stream& stream = shared_stream(Place::host);
  Buffer<float> out(grid, Place::host);
  for (const bool at_end : {true, false}) {
    const GuardedFloats in(grid, at_end);
    for (const auto& [name, launch] : launches<heat2d::Step<float>>("heat2d", Place::host)) {
      CAPTURE(name, at_end);
      out.upload(std::vector<float>(grid, rubbish), stream);
      launch({in.data(), out.data(), nx, ny, static_cast<std::uint32_t>(pitch), {0.2f, 0.2f}},
             stream);
      CHECK(out.download(stream)[grid - static_cast<std::size_t>(pitch)] == 0.5f);
    }
  }
}

// The numbers of so many tiles, and none of a tile more.
void votes_stay_in_their_tiles(Place place) {
  Stream& stream = shared_stream(place);
  for (const std::size_t tiles : {1, 3, 5, 18}) {
    const std::size_t n = tiles * block_vote::tile_size, numbers = tiles * block_vote::numbers;
    Buffer<float> in(n + margin, place);
    Buffer<int> out(numbers + margin, place);
    in.upload(std::vector<float>(n + margin, 1), stream);
    for (const auto& [name, launch] : launches<block_vote::Field<float>>("block_vote", place)) {
      CAPTURE(name, tiles);
      out.upload(std::vector<int>(numbers + margin, -7), stream);
      launch({in.data(), n, out.data()}, stream);
      const std::vector<int> said = out.download(stream);
      CHECK(said[numbers - 3] == 1024);
      CHECK(overwritten(said, numbers, -7) == 0);
    }
  }
}

void maps_stay_in_their_numbers(Place place) {
  Stream& stream = shared_stream(place);
  for (const std::size_t n : {1, 33, 1023, 1025, 5000}) {
    Buffer<float> in(n + margin, place), out(n + margin, place);
    in.upload(std::vector<float>(n + margin, 0.25f), stream);
    for (const auto& [name, launch] : launches<divergence::Work>("divergence", place)) {
      CAPTURE(name, n);
      out.upload(std::vector<float>(n + margin, rubbish), stream);
      launch({in.data(), out.data(), n, 16, 1}, stream);
      const std::vector<float> left = out.download(stream);
      CHECK(std::abs(left[n - 1]) < 2);
      CHECK(overwritten(left, n, rubbish) == 0);
    }
  }
}

}  // namespace

TEST_CASE("ends: the count of a full tile reaches into no flag", "[block_vote]") {
  using namespace block_vote;
  const unsigned half = ballot_of(half_tile * votes_of(0.5f));

  CHECK(non_zeros(half + half) == 1024);
  CHECK(any_nan(half + half) == 0);
  CHECK(all_in_range(half + half) == 1);
}

TEST_CASE("ends: heat2d writes no row past the last, on the host", "[heat2d][kokkos]") {
  heat_stays_in_its_rows(Place::host);
}
TEST_CASE("ends: heat2d reads no row before the first or past the last, on the host",
          "[heat2d][kokkos]") {
  heat_reads_its_rows_alone();
}
TEST_CASE("ends: block_vote writes no tile past the last, on the host", "[block_vote][kokkos]") {
  votes_stay_in_their_tiles(Place::host);
}
TEST_CASE("ends: divergence writes no number past the last, on the host", "[divergence][kokkos]") {
  maps_stay_in_their_numbers(Place::host);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("ends: heat2d writes no row past the last, on the device", "[heat2d][kokkos][gpu]") {
  need_device();
  heat_stays_in_its_rows(Place::device);
}
TEST_CASE("ends: block_vote writes no tile past the last, on the device",
          "[block_vote][kokkos][gpu]") {
  need_device();
  votes_stay_in_their_tiles(Place::device);
}
TEST_CASE("ends: divergence writes no number past the last, on the device",
          "[divergence][kokkos][gpu]") {
  need_device();
  maps_stay_in_their_numbers(Place::device);
}
#endif

}  // namespace portcost::test::test_ends_of_data
