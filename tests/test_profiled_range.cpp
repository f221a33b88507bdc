// SPDX-License-Identifier: Apache-2.0
// The profiler's range does the work once and waits for it.
#include "src/timing/profiled_range.hpp"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

#include "src/memory/buffer.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_profiled_range {

TEST_CASE("profiled range: the work is done once", "[profiled_range]") {
  int done = 0;

  profiled(shared_stream(Place::host), [&] { ++done; });

  CHECK(done == 1);
}

TEST_CASE("profiled range: what the work throws is passed on", "[profiled_range]") {
  CHECK_THROWS_AS(profiled(shared_stream(Place::host), [] { throw std::runtime_error("no"); }),
                  std::runtime_error);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("profiled range: on the device it can be entered again and again",
          "[profiled_range][gpu]") {
  need_device();
  Stream& stream = shared_stream(Place::device);
  const std::vector<unsigned> values(1000, 7u);
  Buffer<unsigned> buffer(values.size(), Place::device);

  for (int i = 0; i < 3; ++i) profiled(stream, [&] { buffer.upload(values, stream); });

  CHECK(buffer.download(stream) == values);
}
#endif

}  // namespace portcost::test::test_profiled_range
