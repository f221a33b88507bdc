// SPDX-License-Identifier: Apache-2.0
// What lies past the end of the data is neither added nor overwritten nor, on a host, read.
#include <sys/mman.h>
#include <unistd.h>

#include "tests/launches.hpp"
#include "variants/block_vote/problem.hpp"
#include "variants/divergence/problem.hpp"
#include "variants/heat2d/problem.hpp"

namespace portcost::test::test_ends_of_data {

constexpr std::ptrdiff_t margin = 4096;  // elements past the end
constexpr int rubbish = 1'000'000;

// Every function of an algorithm writes no more than `written` elements, which right() looks at.
template <class Work, class Out, class Make, class Check>
void check_ends(std::string_view algorithm, Place place, std::size_t read, float given,
                std::size_t written, const Make& work, const Check& right) {
  Stream& stream = shared_stream(place);
  Buffer<float> in(read + margin, place);
  Buffer<Out> out(written + margin, place);
  in.upload(std::vector<float>(read + margin, given), stream);
  for (const auto& [name, launch] : launches<Work>(algorithm, place)) {
    CAPTURE(name, written);
    out.upload(std::vector<Out>(written + margin, Out(rubbish)), stream);
    launch(work(in.data(), out.data()), stream);
    const std::vector<Out> left = out.download(stream);
    CHECK(right(left));
    CHECK(std::count(left.end() - margin, left.end(), Out(rubbish)) == margin);
  }
}

heat2d::Step<float> step_of(const float* in, float* out, int nx, int ny) {
  return {in, out, nx, ny, static_cast<std::uint32_t>(heat_pitch<float>(nx)), {0.2f, 0.2f}};
}

// So many floats at the end or the begin of pages; a program that reads beyond them ends.
class GuardedFloats : Uncopied {
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

  const float* data() const { return data_; }

 private:
  std::size_t bytes_ = 0;
  void* pages_ = nullptr;
  float* data_ = nullptr;
};

TEST_CASE("ends: the count of a full tile reaches into no flag", "[block_vote]") {
  using namespace block_vote;
  const unsigned half = ballot_of(half_tile * votes_of(0.5f));

  CHECK(non_zeros(half + half) == 1024);
  CHECK(any_nan(half + half) == 0);
  CHECK(all_in_range(half + half) == 1);
}

TEST_CASE_IN_PLACES("ends: heat2d writes no row past the last, on the {}", "[heat2d][kokkos]") {
  for (const auto& [nx, ny] : std::vector<std::pair<int, int>>{{40, 21}, {64, 32}, {31, 1}}) {
    const auto pitch = static_cast<std::size_t>(heat_pitch<float>(nx));
    const auto nodes = pitch * static_cast<std::size_t>(ny);
    check_ends<heat2d::Step<float>, float>(
        "heat2d", place, nodes, 0.5f, nodes,
        [&](const float* in, float* out) { return step_of(in, out, nx, ny); },
        [&](const std::vector<float>& left) { return left[nodes - pitch] == 0.5f; });
  }
}

// The last row but one is the last of full tiles, slides too, which read as far as the last row.
TEST_CASE("ends: heat2d reads no row before or past its own, on the host", "[heat2d][kokkos]") {
  constexpr int nx = 230, ny = 2 * heat2d::tile_y + 1;
  constexpr std::size_t pitch = heat_pitch<float>(nx), nodes = pitch * ny;
  Stream& stream = shared_stream(Place::host);
  Buffer<float> out(nodes, Place::host);
  for (const bool at_end : {true, false}) {
    const GuardedFloats in(nodes, at_end);
    for (const auto& [name, launch] : launches<heat2d::Step<float>>("heat2d", Place::host)) {
      CAPTURE(name, at_end);
      out.poison(stream);
      launch(step_of(in.data(), out.data(), nx, ny), stream);
      CHECK(out.download(stream)[nodes - pitch] == 0.5f);
    }
  }
}

TEST_CASE_IN_PLACES("ends: block_vote writes no tile too many, on the {}", "[block_vote][kokkos]") {
  for (const std::size_t tiles : {1, 3, 5, 18}) {
    const std::size_t n = tiles * block_vote::tile_size, numbers = tiles * block_vote::numbers;
    check_ends<block_vote::Field<float>, int>(
        "block_vote", place, n, 1.0f, numbers,
        [&](const float* in, int* out) {
          return block_vote::Field<float>{in, n, out};
        },
        [&](const std::vector<int>& left) { return left[numbers - 3] == 1024; });
  }
}

TEST_CASE_IN_PLACES("ends: divergence writes no number more, on the {}", "[divergence][kokkos]") {
  for (const std::size_t n : {1, 33, 1023, 1025, 5000}) {
    check_ends<divergence::Work, float>(
        "divergence", place, n, 0.25f, n,
        [&](const float* in, float* out) {
          return divergence::Work{in, out, n, 16, 1};
        },
        [&](const std::vector<float>& left) { return std::abs(left[n - 1]) < 2; });
  }
}

}  // namespace portcost::test::test_ends_of_data
