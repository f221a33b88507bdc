// SPDX-License-Identifier: Apache-2.0
// Typed memory of one place: move-only, freed with its owner, accessed as spans.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "src/memory/stream.hpp"

namespace portcost {

namespace detail {
void* allocate_bytes(std::size_t bytes, Place place);
void release_bytes(void* memory, Place place) noexcept;
}  // namespace detail

/// Copies `bytes` from `source` (in `from`) to `target` (in `to`), ordered on `stream`. Copies to
/// or from pageable host memory are complete on return; device-to-device copies are only enqueued.
void copy_bytes(void* target, Place to, const void* source, Place from, std::size_t bytes,
                const Stream& stream);

/// copy_bytes without waiting. The host's memory must be page-locked.
void enqueue_copy(void* target, const void* source, std::size_t bytes, const Stream& stream);

/// Copies `rows` rows of `row_bytes` between arrays that the stream's place reaches, whose rows
/// start `target_pitch` and `source_pitch` bytes apart; enqueued on `stream`.
void copy_rows(void* target, std::size_t target_pitch, const void* source, std::size_t source_pitch,
               std::size_t row_bytes, std::size_t rows, const Stream& stream);

/// Sets every byte to 0xFF, enqueued on `stream`: NaN in floating point, -1 in integers. What a run
/// leaves unwritten then shows in the answer.
void poison_bytes(void* target, std::size_t bytes, const Stream& stream);

/// `count` elements of T in one place, aligned to at least 256 bytes. Contents are undefined until
/// written. Throws Failure naming the bytes when there is not that much memory.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(std::size_t count, Place place) : count_(count), place_(place) {
    require(count <= std::numeric_limits<std::size_t>::max() / sizeof(T), "buffer size overflows");
    data_ = static_cast<T*>(detail::allocate_bytes(count * sizeof(T), place));
  }
  ~Buffer() { detail::release_bytes(data_, place_); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  Place place() const { return place_; }
  std::span<T> span() const { return {data_, count_}; }

  void upload(std::span<const T> source, const Stream& stream) {
    require(source.size() == count_, "upload of a different size");
    copy_bytes(data_, place_, source.data(), Place::host, bytes(), stream);
    stream.synchronize();
  }
  std::vector<T> download(const Stream& stream) const {
    std::vector<T> result(count_);
    copy_bytes(result.data(), Place::host, data_, place_, bytes(), stream);
    stream.synchronize();
    return result;
  }
  void copy_from(const Buffer& source, const Stream& stream) {
    require(source.size() == count_, "copy of a different size");
    copy_bytes(data_, place_, source.data_, source.place_, bytes(), stream);
  }
  void poison(const Stream& stream) { poison_bytes(data_, bytes(), stream); }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(place_, other.place_);
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
  Place place_ = Place::host;
};

}  // namespace portcost
