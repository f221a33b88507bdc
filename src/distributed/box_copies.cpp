// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/box_copies.hpp"

#include <cstring>

#include "src/memory/cuda_check.hpp"

namespace portcost::distributed {

namespace {

void copy_on_host(const BoxCopy& copy, std::size_t element_bytes) {
  const std::size_t row = static_cast<std::size_t>(copy.columns) * element_bytes;
  const std::int64_t rows = copy.planes * copy.rows;
#pragma omp parallel for schedule(static) if (rows * copy.columns > 100000)
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t p = i / copy.rows, r = i % copy.rows;
    std::memcpy(copy.target.data + p * copy.target.plane + r * copy.target.pitch,
                copy.source.data + p * copy.source.plane + r * copy.source.pitch, row);
  }
}

}  // namespace

Strided dense_rows(std::byte* data, const Box& box, std::int64_t element_bytes) {
  const std::int64_t pitch = box.extent(2) * element_bytes;
  return {data, pitch, pitch * box.extent(1)};
}

void copy_box(const BoxCopy& copy, std::size_t element_bytes, const Stream& stream) {
  if (copy.elements() <= 0) return;
  if (stream.place() == Place::host) return copy_on_host(copy, element_bytes);
#if PORTCOST_HAS_CUDA
  for (std::int64_t p = 0; p < copy.planes; ++p) {
    cuda_check(cudaMemcpy2DAsync(
        copy.target.data + p * copy.target.plane, static_cast<std::size_t>(copy.target.pitch),
        copy.source.data + p * copy.source.plane, static_cast<std::size_t>(copy.source.pitch),
        static_cast<std::size_t>(copy.columns) * element_bytes, static_cast<std::size_t>(copy.rows),
        cudaMemcpyDefault, stream.native()));
  }
  stream.synchronize();
#endif
}

detail::Words detail::widen(std::span<BoxCopy* const> copies, std::size_t element_bytes) {
  std::uintptr_t all = 16;  // its lowest bit is what all are multiples of
  for (const BoxCopy* const copy : copies) {
    all |= static_cast<std::uintptr_t>(copy->columns) * element_bytes;
    for (const Strided& end : {copy->target, copy->source}) {
      all |= reinterpret_cast<std::uintptr_t>(end.data);
      if (copy->rows > 1) all |= static_cast<std::uintptr_t>(end.pitch);
      if (copy->planes > 1) all |= static_cast<std::uintptr_t>(end.plane);
    }
  }
  Words result{all & (~all + 1)};
  const auto joined = static_cast<std::int64_t>(result.bytes / element_bytes);
  for (BoxCopy* const copy : copies) {
    copy->columns /= joined;
    result.largest = std::max(result.largest, copy->elements());
  }
  return result;
}

BoxCopies::BoxCopies(std::vector<BoxCopy> copies, std::size_t element_bytes, const Stream& stream)
    : copies_(std::move(copies)), words_{element_bytes} {
  if (stream.place() == Place::host || copies_.empty()) return;
  std::vector<BoxCopy*> all;
  for (BoxCopy& copy : copies_) all.push_back(&copy);
  words_ = detail::widen(all, element_bytes);
  on_device_ = Buffer<BoxCopy>(copies_.size(), Place::device);
  on_device_.upload(copies_, stream);
}

void BoxCopies::run(const Stream& stream) const {
  if (copies_.empty()) return;
  if (stream.place() == Place::host) {
    for (const BoxCopy& copy : copies_) copy_on_host(copy, words_.bytes);
    return;
  }
  if constexpr (PORTCOST_HAS_CUDA) detail::enqueue_box_copies(on_device_.span(), words_, stream);
}

}  // namespace portcost::distributed
