// SPDX-License-Identifier: Apache-2.0
// CUB's inclusive scan over the whole device.
#include <cstddef>
#include <cub/device/device_scan.cuh>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "variants/scan/problem.hpp"

namespace portcost::scan {

namespace {

// CUB counts in the type of n: in 32 bits where they are enough.
template <class T>
void scan_all(void* memory, std::size_t& bytes, const Sequence<T>& s, const Stream& stream) {
  if (s.n <= std::numeric_limits<int>::max()) {
    cuda_check(cub::DeviceScan::InclusiveSum(memory, bytes, s.in, s.out, static_cast<int>(s.n),
                                             stream.native()));
  } else {
    cuda_check(cub::DeviceScan::InclusiveSum(memory, bytes, s.in, s.out,
                                             static_cast<std::int64_t>(s.n), stream.native()));
  }
}

template <class T>
class Cub final : public Execution {
 public:
  Cub(const Sequence<T>& numbers, const Stream& stream) : numbers_(numbers), stream_(stream) {
    std::size_t bytes = 0;
    scan_all(nullptr, bytes, numbers_, stream_);
    memory_ = Buffer<std::byte>(std::max<std::size_t>(bytes, 1), Place::device);
  }
  void run(int) override {
    std::size_t bytes = memory_.bytes();
    scan_all(memory_.data(), bytes, numbers_, stream_);
  }

 private:
  Sequence<T> numbers_;
  const Stream& stream_;
  Buffer<std::byte> memory_;
};

}  // namespace

Rungs library_cub_rungs() {
  return {rung(works, "cub",
               []<class T>(const Sequence<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<Cub<T>>(s, on);
               })};
}

}  // namespace portcost::scan
