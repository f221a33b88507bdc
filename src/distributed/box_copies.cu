// SPDX-License-Identifier: Apache-2.0
// Boxes packed and unpacked by one kernel for all of them: a launch takes longer than a halo.
#include <cuda_runtime.h>

#include <algorithm>

#include "src/distributed/box_copies.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"

namespace portcost::distributed {

namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 1024;

// A box for each number in y; the threads of x take its elements in turn, neighbours along a row.
template <class Word>
__global__ void copy_boxes(const BoxCopy* copies) {
  const BoxCopy copy = copies[blockIdx.y];
  const std::int64_t columns = copy.columns, rows = copy.rows;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  for (const std::int64_t end = copy.planes * rows * columns; i < end; i += step) {
    const std::int64_t c = i % columns, r = i / columns % rows, p = i / columns / rows;
    const auto from = copy.source.data + p * copy.source.plane + r * copy.source.pitch;
    const auto to = copy.target.data + p * copy.target.plane + r * copy.target.pitch;
    reinterpret_cast<Word*>(to)[c] = reinterpret_cast<const Word*>(from)[c];
  }
}

}  // namespace

void detail::enqueue_box_copies(std::span<const BoxCopy> on_device, const Words& words,
                                const Stream& stream) {
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>((words.largest + threads - 1) / threads, 1, most_blocks));
  const auto launch = [&](auto word) {
    using Word = decltype(word);
    // What is numbered in y is at most 65535.
    for (std::size_t first = 0; first < on_device.size(); first += 65535) {
      const auto count =
          static_cast<unsigned>(std::min<std::size_t>(65535, on_device.size() - first));
      copy_boxes<Word>
          <<<dim3(blocks, count), threads, 0, stream.native()>>>(on_device.data() + first);
      cuda_check(cudaGetLastError());
    }
  };
  switch (words.bytes) {
    case 1:
      return launch(char());
    case 2:
      return launch(short());
    case 4:
      return launch(int());
    case 8:
      return launch(long());
    case 16:
      return launch(int4());
    default:
      throw Failure("a device copies elements of 1, 2, 4, 8 or 16 bytes");
  }
}

}  // namespace portcost::distributed
