// SPDX-License-Identifier: Apache-2.0
// The flush is as large as it must be and touches nothing of others.
#include "src/memory/cache_flush.hpp"

#include <cstdlib>

#include "tests/support.hpp"

namespace portcost::test::test_cache_flush {

TEST_CASE("cache flush: the host's last cache has a plausible size", "[cache_flush]") {
  CHECK(last_cache_bytes(Place::host) >= std::size_t{64} << 10);
  CHECK(last_cache_bytes(Place::host) <= std::size_t{16} << 30);
}

TEST_CASE("cache flush: the user's word on the host's last cache counts", "[cache_flush]") {
  const char* const before = std::getenv("PORTCOST_LAST_CACHE_MIB");
  const std::string kept = before == nullptr ? "" : before;

  setenv("PORTCOST_LAST_CACHE_MIB", "7", 1);
  const std::size_t named = last_cache_bytes(Place::host);
  if (before == nullptr) {
    unsetenv("PORTCOST_LAST_CACHE_MIB");
  } else {
    setenv("PORTCOST_LAST_CACHE_MIB", kept.c_str(), 1);
  }

  CHECK(named == std::size_t{7} << 20);
}

TEST_CASE("cache flush: it can be repeated and leaves other memory alone", "[cache_flush][gpu]") {
  at_each_place([](Place place) {
    CHECK(last_cache_bytes(place) >= std::size_t{64} << 10);
    Stream& stream = shared_stream(place);
    const std::vector<unsigned> values(100'000, 0xABCDu);
    Buffer<unsigned> neighbour(values.size(), place);
    neighbour.upload(values, stream);
    CacheFlush flush(place);

    for (int i = 0; i < 3; ++i) flush.enqueue(stream);
    stream.synchronize();

    CHECK(neighbour.download(stream) == values);
  });
}

#if PORTCOST_HAS_CUDA
TEST_CASE("cache flush: on the device the written half is overwritten each time, the read half not",
          "[cache_flush][gpu]") {
  need_device();
  Stream& stream = shared_stream(Place::device);
  constexpr std::size_t count = 1 << 20;
  Buffer<unsigned> written(count, Place::device), read(count, Place::device),
      sink(1, Place::device);
  written.poison(stream);
  read.poison(stream);

  detail::flush_on_device(written.data(), read.data(), sink.data(), count, 7, stream);

  CHECK(written.download(stream) == std::vector<unsigned>(count, 7));
  CHECK(read.download(stream) == std::vector<unsigned>(count, 0xFFFFFFFFu));
}
#endif

}  // namespace portcost::test::test_cache_flush
