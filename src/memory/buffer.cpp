// SPDX-License-Identifier: Apache-2.0
// Memory of both places. Host copies and fills use all threads, so that pages are first touched by
// the threads that will work on them.
#include "src/memory/buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "src/memory/cuda_check.hpp"

namespace portcost {

namespace {

constexpr std::size_t alignment = 4096;

// Calls f(begin, end) on contiguous parts of [0, bytes), one part a thread.
template <class F>
void for_parts(std::size_t bytes, const F& f) {
  constexpr std::size_t grain = 1 << 20;
  const auto parts = static_cast<std::ptrdiff_t>((bytes + grain - 1) / grain);
#pragma omp parallel for schedule(static) if (parts > 4)
  for (std::ptrdiff_t part = 0; part < parts; ++part) {
    const std::size_t begin = static_cast<std::size_t>(part) * grain;
    f(begin, std::min(bytes, begin + grain));
  }
}

void host_copy(void* target, const void* source, std::size_t bytes) {
  for_parts(bytes, [=](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<char*>(target) + begin, static_cast<const char*>(source) + begin,
                end - begin);
  });
}

}  // namespace

void* detail::allocate_bytes(std::size_t bytes, Place place) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  if (place == Place::host) {
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    memory = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
  } else {
#if PORTCOST_HAS_CUDA
    if (cudaMalloc(&memory, bytes) != cudaSuccess) {
      cudaGetLastError();
      memory = nullptr;
    }
#else
    no_device();
#endif
  }
  require(memory != nullptr, fmt::format("cannot allocate {} bytes of {} memory ({:.0f} available)",
                                         bytes, name(place), available_bytes(place)));
  return memory;
}

void detail::release_bytes(void* memory, Place place) noexcept {
  if (place == Place::host) {
    std::free(memory);
  } else {
#if PORTCOST_HAS_CUDA
    cudaFree(memory);
#endif
  }
}

void copy_bytes(void* target, Place to, const void* source, Place from, std::size_t bytes,
                const Stream& stream) {
  if (bytes == 0) return;
  if (to == Place::host && from == Place::host) {
    host_copy(target, source, bytes);
    return;
  }
#if PORTCOST_HAS_CUDA
  cuda_check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream.native()));
  if (to != from) stream.synchronize();
#else
  static_cast<void>(stream);
  no_device();
#endif
}

void enqueue_copy(void* target, const void* source, std::size_t bytes, const Stream& stream) {
#if PORTCOST_HAS_CUDA
  if (stream.place() == Place::device) {
    cuda_check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream.native()));
    return;
  }
#endif
  copy_bytes(target, Place::host, source, Place::host, bytes, stream);
}

void copy_rows(void* target, std::size_t target_pitch, const void* source, std::size_t source_pitch,
               std::size_t row_bytes, std::size_t rows, const Stream& stream) {
  if (row_bytes == 0 || rows == 0) return;
  if (stream.place() == Place::host) {
    const auto count = static_cast<std::ptrdiff_t>(rows);
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t row = 0; row < count; ++row) {
      const auto r = static_cast<std::size_t>(row);
      std::memcpy(static_cast<char*>(target) + r * target_pitch,
                  static_cast<const char*>(source) + r * source_pitch, row_bytes);
    }
    return;
  }
#if PORTCOST_HAS_CUDA
  cuda_check(cudaMemcpy2DAsync(target, target_pitch, source, source_pitch, row_bytes, rows,
                               cudaMemcpyDefault, stream.native()));
#endif
}

void poison_bytes(void* target, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  if (stream.place() == Place::host) {
    for_parts(bytes, [=](std::size_t begin, std::size_t end) {
      std::memset(static_cast<char*>(target) + begin, 0xFF, end - begin);
    });
    return;
  }
#if PORTCOST_HAS_CUDA
  cuda_check(cudaMemsetAsync(target, 0xFF, bytes, stream.native()));
#endif
}

}  // namespace portcost
