// SPDX-License-Identifier: Apache-2.0
// For peers of CUB: a call that works on the whole device, with the memory that it asks for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "src/contract/algorithm.hpp"
#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost {

template <class Call>
class CubCall final : public Execution {
 public:
  CubCall(const Stream& stream, Call call) : stream_(stream), call_(std::move(call)) {
    std::size_t bytes = 0;
    cuda_check(call_(nullptr, bytes, stream_.native()));
    memory_ = Buffer<std::byte>(std::max<std::size_t>(bytes, 1), Place::device);
  }
  void run(int) override {
    std::size_t bytes = memory_.bytes();
    cuda_check(call_(memory_.data(), bytes, stream_.native()));
  }

 private:
  const Stream& stream_;
  Call call_;
  Buffer<std::byte> memory_;
};

/// call(memory, bytes, stream) is CUB's function, which sets `bytes` where there is no memory.
template <class Call>
std::unique_ptr<Execution> cub_call(const Stream& stream, Call call) {
  return std::make_unique<CubCall<Call>>(stream, std::move(call));
}

/// f(n): CUB counts in the type of n, in 32 bits where they are enough.
template <class F>
cudaError_t with_count(std::uint64_t n, const F& f) {
  if (n <= std::numeric_limits<int>::max()) return f(static_cast<int>(n));
  return f(static_cast<std::int64_t>(n));
}

}  // namespace portcost
