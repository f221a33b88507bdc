// SPDX-License-Identifier: Apache-2.0
#include "src/memory/cache_flush.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "src/memory/cuda_check.hpp"

namespace portcost {

namespace {

// The user's word, in MiB; 0 where there is none. The command refuses what is no number.
std::size_t named_last_cache_bytes() {
  const char* const text = std::getenv("PORTCOST_LAST_CACHE_MIB");
  if (text == nullptr) return 0;
  const std::string_view digits(text);
  std::size_t size = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), size);
  return std::min<std::size_t>(size, std::size_t{1} << 14) << 20;
}

// Linux describes each level under index0, index1, ...; sizes read like "32768K".
std::size_t host_last_cache_bytes() {
  if (const std::size_t named = named_last_cache_bytes(); named > 0) return named;
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    std::size_t size = 0;
    char unit = 0;
    if (!(file >> size)) break;
    file >> unit;
    largest = std::max(largest, size << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0));
  }
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (largest == 0)
    largest = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
#endif
  return largest == 0 ? std::size_t{32} << 20 : largest;
}

void flush_on_host(unsigned* written, const unsigned* read, unsigned* sink, std::size_t count,
                   unsigned round) {
  const auto n = static_cast<std::ptrdiff_t>(count);
  unsigned sum = 0;
  // Every thread sweeps its part, so that private caches are emptied too.
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i) written[i] = round;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < n; ++i) sum += read[i];
  *sink = sum;
}

}  // namespace

std::size_t last_cache_bytes(Place place) {
  if (place == Place::host) return host_last_cache_bytes();
#if PORTCOST_HAS_CUDA
  return static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize));
#else
  return 0;
#endif
}

CacheFlush::CacheFlush(Place place)
    : written_((place == Place::host ? 1 : 2) * last_cache_bytes(place) / sizeof(unsigned), place),
      read_(written_.size(), place),
      sink_(1, place) {
  const Stream stream(place);
  written_.poison(stream);
  read_.poison(stream);
  stream.synchronize();
}

void CacheFlush::enqueue(const Stream& stream) {
  ++round_;
  if (stream.place() == Place::host) {
    flush_on_host(written_.data(), read_.data(), sink_.data(), written_.size(), round_);
    return;
  }
#if PORTCOST_HAS_CUDA
  detail::flush_on_device(written_.data(), read_.data(), sink_.data(), written_.size(), round_,
                          stream);
#endif
}

}  // namespace portcost
