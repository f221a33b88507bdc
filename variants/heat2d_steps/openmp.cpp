// SPDX-License-Identifier: Apache-2.0
// Native CPU variants.
#include "variants/heat2d_steps/host_bodies.hpp"

namespace portcost::heat2d_steps {

namespace {

constexpr auto stream_y = []<class T>(const Run<T>& run, const Stream& stream) {
  for_host_passes(run, stream, [](const HostTiles<T>& tiles) {
    const std::int64_t count = tiles.count();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) tiles.advance(i);
  });
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "one_step", of_single_steps(stream_y)), rung(works, "stream_y", stream_y)};
}

}  // namespace portcost::heat2d_steps
