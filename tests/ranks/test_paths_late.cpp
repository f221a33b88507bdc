// SPDX-License-Identifier: Apache-2.0
// Ways from GPU to GPU where one GPU is late: nobody reads or overwrites too early.
#include "src/distributed/mapped_parts.hpp"
#include "tests/ranks/path_checks.hpp"

namespace portcost::test::paths {

// Exchanges that follow each other on the stream, by arrays in turns and by one twice, each changed
// at once before and after; the host waits for none.
void check_rounds(const Processors& processors, const Shape& shape, Path path, int late) {
  const Stream& stream = *device_stream();
  Rounds values(processors, shape), found(processors, shape, false);
  Array<double> one(processors, shape, &stream), two(processors, shape, &stream);
  HaloExchange exchange(one, path, {true, 60});
  for (Array<double>* array : {&one, &two}) exchange.run(*array);
  for (int round = 0; round < Rounds::count; ++round) {
    Array<double>& array = round % 3 == 1 ? two : one;
    if (all_ranks().rank() == late) keep_busy(stream);
    copy_parts(array, values[round], stream);
    exchange.run(array);
    copy_parts(found[round], array, stream);
    poison(array, stream);
  }
  stream.synchronize();
  found.check(true);
}

TEST_CASE("paths: a GPU that is late is waited for, before and after", "[paths][gpu][late]") {
  SKIP_WITHOUT_GPU();
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  for (const Path path : paths_between()) {
    for (int late = 0; late < all_ranks().size(); ++late) {
      INFO(name(path) << ", late is rank " << late);
      check_rounds(processors, rows_of_all(2, BoundaryType::periodic), path, late);
    }
  }
}

// Exchanges in both directions keep two GPUs in step; in one direction only the waits do.
TEST_CASE("paths: a rank that only receives is waited for", "[paths][gpu][late]") {
  SKIP_WITHOUT_GPU();
  const int ranks = all_ranks().size();
  if (ranks < 2) SKIP("one rank has nobody to send to");
  const Stream& stream = *device_stream();
  // Each rank gives rows to the next, which has a greater share of them.
  const Processors here(all_ranks(), Processor{Place::device, 1});
  const Processors there(all_ranks(), Processor{Place::device, 1.0 + all_ranks().rank()});
  const Distribution::Settings shares{{1, ranks, 1}, Sharing::even, there.weights()};
  const Shape even = rows_of_all(0), uneven{Distribution({1, 8 * ranks, 37}, ranks, shares)};
  Rounds values(here, even), found(there, uneven, false);
  Array<double> from(here, even, &stream), to(there, uneven, &stream);
  for (const Path path : paths_between()) {
    Redistribution exchange(from, to, path, {}, {true, 60});
    for (int late = 0; late < ranks; ++late) {
      INFO(name(path) << ", late is rank " << late);
      for (int round = 0; round < Rounds::count; ++round) {
        if (all_ranks().rank() == late) keep_busy(stream);
        copy_parts(from, values[round], stream);
        exchange.run(from, to);
        copy_parts(found[round], to, stream);
        poison(from, stream);
      }
      stream.synchronize();
      found.check(false);
    }
  }
}

TEST_CASE("paths: others' parts are read where they lie, between meetings", "[paths][gpu][late]") {
  SKIP_WITHOUT_GPU();
  const Stream& stream = *device_stream();
  const Processors processors(all_ranks(), Processor{Place::device, 1});
  const int ranks = all_ranks().size(), rank = all_ranks().rank();
  Rounds values(processors, rows_of_all(0));
  Array<double> array(processors, rows_of_all(0), &stream);
  MappedParts parts(array);
  const std::size_t count = array.span(array.parts()[0]).size();
  for (int late = 0; late < ranks; ++late) {
    // What each rank has, of each round.
    Buffer<double> found(count * static_cast<std::size_t>(ranks * Rounds::count), Place::device);
    for (int round = 0; round < Rounds::count; ++round) {
      if (rank == late) keep_busy(stream);
      copy_parts(array, values[round], stream);
      parts.meet(stream);
      for (int other = 0; other < ranks; ++other) {
        copy_bytes(found.data() + count * static_cast<std::size_t>(round * ranks + other),
                   Place::device, parts.part((rank + other) % ranks).data, Place::device,
                   count * sizeof(double), stream);
      }
      parts.meet(stream);
      poison(array, stream);
    }
    const std::vector<double> all = found.download(stream);
    bool right = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto piece = static_cast<int>(i / count), at = static_cast<int>(i % count);
      const Part& part = parts.part((rank + piece % ranks) % ranks);
      const Index point{0, part.layout.corners.begin[1] + at / 37, at % 37};
      right = right && all[i] == number_of(point) + 1e7 * (piece / ranks);
    }
    CHECK_ON_ALL(right);
  }
}

}  // namespace portcost::test::paths
