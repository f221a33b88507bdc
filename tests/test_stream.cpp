// SPDX-License-Identifier: Apache-2.0
// Queues beside a stream, processes (played by threads) that work together, and tiles of a grid.
#include <barrier>
#include <chrono>
#include <thread>

#include "src/memory/buffer.hpp"
#include "tests/compiled_apart.hpp"
#include "tests/sampler_fakes.hpp"

namespace portcost::test::test_stream {

constexpr int ranks_in_all = 2;

// What all ranks share.
struct Meeting {
  std::barrier<> all{ranks_in_all};
  std::array<double, ranks_in_all> values{};
};

class Played final : public Ranks {
 public:
  Played(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return ranks_in_all; }
  void barrier() const override {
    meeting_.all.arrive_and_wait();
    ++barriers;
  }
  double slowest(double seconds) const override {
    const std::vector<double> all = gathered(seconds);
    return *std::max_element(all.begin(), all.end());
  }
  using Ranks::gathered;
  std::vector<double> gathered(double value) const override {
    meeting_.values[rank_] = value;
    meeting_.all.arrive_and_wait();
    const std::vector<double> result(meeting_.values.begin(), meeting_.values.end());
    meeting_.all.arrive_and_wait();
    return result;
  }

  mutable int barriers = 0;

 private:
  Meeting& meeting_;
  int rank_;
};

// Takes so long.
class Sleep final : public Execution {
 public:
  explicit Sleep(std::chrono::milliseconds length) : length_(length) {}
  void run(int) override { std::this_thread::sleep_for(length_); }

 private:
  std::chrono::milliseconds length_;
};

TEST_CASE("ranks: processes begin together and take what the slowest takes", "[ranks]") {
  constexpr int lengths_ms[ranks_in_all]{1, 300};
  Meeting meeting;
  std::array<Timing, ranks_in_all> timings;
  std::array<int, ranks_in_all> barriers{};
  const auto one = [&](int rank) {
    const auto number = static_cast<std::size_t>(rank);
    const Played ranks(meeting, rank);
    Stream stream(Place::host, ranks);
    FakeInstance instance(stream, true);
    Sleep execution{std::chrono::milliseconds(lengths_ms[rank])};
    timings[number] =
        make_stopwatch(stream)->time({&instance, &execution, Sync::end}, Regime::hot, 1);
    barriers[number] = ranks.barriers;
  };
  std::thread other(one, 1);
  one(0);
  other.join();

  CHECK(timings[0].wall_s >= 300e-3);
  CHECK(timings[0].wall_s == timings[1].wall_s);
  CHECK(timings[0].device_s == timings[1].device_s);
  // Each one's own is kept.
  CHECK(timings[0].ranks_s == timings[1].ranks_s);
  REQUIRE(timings[0].ranks_s.size() == ranks_in_all);
  CHECK(timings[0].ranks_s[0] < timings[0].ranks_s[1]);
  CHECK(timings[0].ranks_s[1] == timings[0].device_s);
  CHECK(barriers == std::array<int, ranks_in_all>{1, 1});
}

TEST_CASE("queues: the first is the stream, and there is no other than asked for", "[queues]") {
  const Stream stream(Place::host);
  const Queues queues(stream, 3);

  CHECK(queues.size() == 3);
  CHECK(&queues[0] == &stream);
  CHECK(queues[2].place() == Place::host);
  CHECK_THROWS_AS(queues[3], Failure);
  CHECK_THROWS_AS(queues[-1], Failure);
  CHECK_THROWS_AS(Queues(stream, 0), Failure);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("queues: work on others lies between fork and join", "[queues][gpu]") {
  need_device();
  constexpr std::size_t count = std::size_t{1} << 20;
  constexpr unsigned late = 5'000'000;  // nanoseconds; a copy takes a few thousand
  const Stream stream(Place::device);
  const Queues queues(stream, 2);
  Buffer<int> first(count, Place::device), second(count, Place::device);
  Buffer<int> third(count, Place::device);
  const std::vector<int> ones(count, 1);
  first.poison(stream);
  second.upload(ones, stream);
  third.upload(ones, stream);
  for (int turn = 0; turn < 3; ++turn) {
    // Each copy takes what another queue's has left, and starts late: who does not wait is ahead.
    detail::enqueue_delay(late, stream);
    second.copy_from(first, stream);
    queues.fork();
    detail::enqueue_delay(late, queues[1]);
    third.copy_from(second, queues[1]);
    queues.join();
    first.copy_from(third, stream);
    CHECK(first.download(stream) == std::vector<int>(count, -1));
    first.upload(ones, stream);
    second.upload(ones, stream);
    first.poison(stream);
  }
}
#endif

constexpr int most = std::numeric_limits<int>::max();

TEST_CASE("tile grid: rows and columns are exact", "[tile_grid]") {
  for (int columns = 1; columns <= 300; ++columns) {
    CAPTURE(columns);
    CHECK(first_misplaced_tile(columns, most / columns) == -1);
  }
  for (int power = 9; power <= 30; ++power) {
    for (const int change : {-1, 0, 1}) {
      const int columns = (1 << power) + change;
      CAPTURE(columns);
      CHECK(first_misplaced_tile(columns, most / columns) == -1);
    }
  }
  CHECK(first_misplaced_tile(most, 1) == -1);
  CHECK(first_misplaced_tile(1, most) == -1);
  CHECK(first_misplaced_tile(1, 1) == -1);
}

TEST_CASE("kokkos: streams used in turns keep an execution space each", "[kokkos_space][kokkos]") {
  if (kokkos_place() == Place::device) need_device();
  CHECK(streams_keep_their_spaces());
}

}  // namespace portcost::test::test_stream
