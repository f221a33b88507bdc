// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the runtime's copies on the harness's stream and those that wait, and a
// kernel that reads or writes the host's memory itself.
#include <algorithm>

#include "src/memory/cuda_check.hpp"
#include "variants/transfer_bandwidth/problem.hpp"

namespace portcost::transfer_bandwidth {

namespace {

cudaMemcpyKind kind_of(const Route& route) {
  if (route.kind == HostKind::managed) return cudaMemcpyDefault;
  return route.direction == Direction::to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
}

auto by_call(const Route& route) {
  return [route](const Transfer& t, const Stream& on) {
    return moving(t, route.kind, route.direction, route.waits, [&](const Ends& ends) {
      return [ends, route, bytes = t.bytes, stream = on.native()] {
        if (route.waits) {
          cuda_check(cudaMemcpy(ends.target, ends.source, bytes, kind_of(route)));
          // Pageable bytes may only be staged by then, and no other stream waits for this one.
          if (ends.kind == HostKind::pageable && route.direction == Direction::to_device) {
            cuda_check(cudaStreamSynchronize(cudaStreamLegacy));
          }
        } else {
          cuda_check(cudaMemcpyAsync(ends.target, ends.source, bytes, kind_of(route), stream));
        }
      };
    });
  };
}

__global__ __launch_bounds__(pack_threads) void copy_kernel(KernelEnds ends, std::int64_t packs) {
  const std::int64_t i = std::int64_t{blockIdx.x} * pack_threads + threadIdx.x;
  if (i < packs) ends.move(i);
}

// A grid has fewer than 2^31 blocks, 2^43 bytes.
void launch(const KernelEnds& ends, CUstream_st* stream) {
  const std::int64_t blocks = ceil_div(ends.packs(), std::int64_t{pack_threads});
  copy_kernel<<<static_cast<unsigned>(blocks), pack_threads, 0, stream>>>(ends, ends.packs());
  cuda_check(cudaGetLastError());
}

auto by_kernel(const Route& route) {
  return [route](const Transfer& t, const Stream& on) {
    return moving(t, route.kind, route.direction, false, [&](const Ends& ends) {
      return [in_kernel = kernel_ends(t, ends, route.direction), stream = on.native()] {
        launch(in_kernel, stream);
      };
    });
  };
}

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "pageable_to_device", by_call(pageable_to_device)),
          rung(works, "pageable_to_host", by_call(pageable_to_host)),
          rung(works, "pageable_to_device_waiting", by_call(pageable_to_device_waiting)),
          rung(works, "pageable_to_host_waiting", by_call(pageable_to_host_waiting)),
          rung(works, "pinned_to_device", by_call(pinned_to_device)),
          rung(works, "pinned_to_host", by_call(pinned_to_host)),
          rung(works, "pinned_to_device_waiting", by_call(pinned_to_device_waiting)),
          rung(works, "pinned_to_host_waiting", by_call(pinned_to_host_waiting)),
          rung(works, "managed_to_device", by_call(managed_to_device)),
          rung(works, "managed_to_host", by_call(managed_to_host)),
          rung(works, "write_combined_to_device", by_call(write_combined_to_device)),
          rung(works, "write_combined_to_host", by_call(write_combined_to_host)),
          rung(works, "mapped_to_device", by_kernel(mapped_to_device)),
          rung(works, "mapped_to_host", by_kernel(mapped_to_host))};
}

}  // namespace portcost::transfer_bandwidth
