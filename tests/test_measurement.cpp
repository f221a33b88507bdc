// SPDX-License-Identifier: Apache-2.0
// Measurements of the same subjects are joined into one.
#include <catch2/catch_test_macros.hpp>

#include "src/paired_sampler.hpp"

namespace portcost::test {

namespace {

// `blocks` kept blocks of two sides; side 0 takes `seconds`, side 1 twice that.
Measurement made_up(int blocks, double seconds, Stop stop) {
  Measurement result;
  for (int block = 0; block < blocks; ++block) {
    for (int side = 0; side < 2; ++side) {
      const double takes = seconds * (side + 1);
      result.samples.push_back({block, side, side, {takes, takes}, 0, true});
    }
  }
  result.first_run_s = {10 * seconds, 20 * seconds};
  result.blocks = blocks;
  result.stop = stop;
  return result;
}

}  // namespace

TEST_CASE("measurement: joined blocks are numbered on, and none is lost", "[paired_sampler]") {
  Measurement all = made_up(3, 1, Stop::precise);

  all.append(made_up(2, 5, Stop::precise));

  CHECK(all.blocks == 5);
  CHECK(all.device_s(0) == std::vector<double>{1, 1, 1, 5, 5});
  CHECK(all.wall_s(1) == std::vector<double>{2, 2, 2, 10, 10});
  for (std::size_t i = 0; i < all.samples.size(); ++i) {
    CHECK(all.samples[i].block == static_cast<int>(i / 2));
  }
}

TEST_CASE("measurement: joined ones keep the first's first runs and the worse reason to stop",
          "[paired_sampler]") {
  Measurement all = made_up(3, 1, Stop::time);
  all.append(made_up(3, 1, Stop::precise));

  CHECK(all.stop == Stop::time);
  CHECK(all.first_run_s == std::vector<double>{10, 20});

  all.append(made_up(3, 1, Stop::throttled));
  CHECK(all.stop == Stop::throttled);
}

TEST_CASE("measurement: joined to none, it is itself", "[paired_sampler]") {
  Measurement all;

  all.append(made_up(2, 3, Stop::blocks));

  CHECK(all.blocks == 2);
  CHECK(all.stop == Stop::blocks);
  CHECK(all.first_run_s == std::vector<double>{30, 60});
  CHECK(all.device_s(0) == std::vector<double>{3, 3});
}

TEST_CASE("measurement: dropped blocks are counted and their samples kept apart",
          "[paired_sampler]") {
  Measurement all = made_up(2, 1, Stop::blocks), other = made_up(1, 9, Stop::blocks);
  other.blocks = 0;
  other.dropped = 1;
  for (Sample& sample : other.samples) sample.kept = false;

  all.append(other);

  CHECK(all.dropped == 1);
  CHECK(all.samples.size() == 6);
  CHECK(all.device_s(0) == std::vector<double>{1, 1});
}

}  // namespace portcost::test
