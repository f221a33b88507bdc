// SPDX-License-Identifier: Apache-2.0
// CUB's histogram over the whole device. It zeroes the counts itself.
#include <cstddef>
#include <cub/device/device_histogram.cuh>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::histogram {

namespace {

void count(void* memory, std::size_t& bytes, const Keys& s, const Stream& stream) {
  cuda_check(cub::DeviceHistogram::HistogramEven(memory, bytes, s.in, s.out,
                                                 static_cast<int>(s.bins) + 1, 0u, s.bins,
                                                 static_cast<int>(s.n), stream.native()));
}

class Cub final : public Execution {
 public:
  Cub(const Keys& keys, const Stream& stream) : keys_(keys), stream_(stream) {
    std::size_t bytes = 0;
    count(nullptr, bytes, keys_, stream_);
    memory_ = Buffer<std::byte>(std::max<std::size_t>(bytes, 1), Place::device);
  }
  void run(int) override {
    if (keys_.n == 0) {  // CUB promises nothing for no samples
      cuda_check(cudaMemsetAsync(keys_.out, 0, keys_.bins * sizeof(unsigned), stream_.native()));
      return;
    }
    std::size_t bytes = memory_.bytes();
    count(memory_.data(), bytes, keys_, stream_);
  }

 private:
  Keys keys_;
  const Stream& stream_;
  Buffer<std::byte> memory_;
};

}  // namespace

Rungs library_cub_rungs() {
  return {rung(works, "cub", [](const Keys& s, const Stream& on) -> std::unique_ptr<Execution> {
    return std::make_unique<Cub>(s, on);
  })};
}

}  // namespace portcost::histogram
