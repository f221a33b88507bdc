// SPDX-License-Identifier: Apache-2.0
// Native CPU variant: every thread copies the pages that it was the first to touch, so those of its
// own NUMA node, by memcpy, which writes past the caches where that is worth it.
#include <omp.h>

#include <cstring>

#include "variants/transfer_bandwidth/problem.hpp"

namespace portcost::transfer_bandwidth {

namespace {

void copy(const Ends& ends, std::size_t bytes) {
  if (bytes <= one_thread_bytes) {
    std::memcpy(ends.target, ends.source, bytes);
    return;
  }
#pragma omp parallel
  {
    const auto [begin, end] = page_part(bytes, omp_get_thread_num(), omp_get_num_threads());
    if (begin < end) std::memcpy(ends.target + begin, ends.source + begin, end - begin);
  }
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "within_host", [](const Transfer& t, const Stream&) {
    return moving(t, HostKind::pageable, Direction::within_host, true,
                  [&](const Ends& ends) { return [ends, bytes = t.bytes] { copy(ends, bytes); }; });
  })};
}

}  // namespace portcost::transfer_bandwidth
