// SPDX-License-Identifier: Apache-2.0
// Bitwise comparison of two answers on the device.
#include <algorithm>

#include "src/contract/agreement.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost {

namespace {

template <class Word>
__global__ void compare(const Word* left, const Word* right, std::size_t count,
                        detail::WordDifference* result) {
  unsigned long long unequal = 0, first = count;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (left[i] != right[i]) {
      ++unequal;
      if (i < first) first = i;
    }
  }
  if (unequal != 0) {
    atomicAdd(&result->unequal, unequal);
    atomicMin(&result->first, first);
  }
}

}  // namespace

detail::WordDifference detail::compare_words_on_device(const void* left, const void* right,
                                                       std::size_t count, std::size_t word_bytes,
                                                       const Stream& stream) {
  Buffer<WordDifference> result(1, Place::device);
  const WordDifference equal{0, count};
  result.upload({&equal, 1}, stream);
  constexpr unsigned threads = 256;
  const auto blocks =
      static_cast<unsigned>(std::min<std::size_t>((count + threads - 1) / threads, 4096));
  if (count != 0) {
    const auto launch = [&](auto word) {
      using Word = const decltype(word)*;
      compare<<<blocks, threads, 0, stream.native()>>>(
          static_cast<Word>(left), static_cast<Word>(right), count, result.data());
    };
    word_bytes == 8 ? launch(std::uint64_t{}) : launch(std::uint32_t{});
    cuda_check(cudaGetLastError());
  }
  return result.download(stream)[0];
}

}  // namespace portcost
