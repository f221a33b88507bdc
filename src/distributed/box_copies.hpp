// SPDX-License-Identifier: Apache-2.0
// Boxes copied between arrays with rows and planes of different pitch: packing, unpacking, and what
// stays with one rank.
#pragma once

#include "src/distributed/distribution.hpp"
#include "src/memory/buffer.hpp"

namespace portcost::distributed {

/// A box's first element, and bytes from a row to the next and from a plane to the next.
struct Strided {
  std::byte* data = nullptr;
  std::int64_t pitch = 0, plane = 0;
};

struct BoxCopy {
  std::int64_t planes = 0, rows = 0, columns = 0;
  Strided target, source;

  std::int64_t elements() const { return planes * rows * columns; }
};

inline BoxCopy copy_of(const Box& box, const Strided& target, const Strided& source) {
  return {box.extent(0), box.extent(1), box.extent(2), target, source};
}

/// The rows of a dense copy of a box at `data`.
Strided dense_rows(std::byte* data, const Box& box, std::int64_t element_bytes);

/// Copies one box between the places of the stream and the host; complete on return.
void copy_box(const BoxCopy& copy, std::size_t element_bytes, const Stream& stream);

namespace detail {
/// How a list of copies is carried out by one kernel.
struct Words {
  std::size_t bytes = 1;     // 1, 2, 4, 8 or 16
  std::int64_t largest = 0;  // of the largest box
};
/// Makes the same copies of wider elements, the widest of up to 16 bytes that all addresses,
/// distances and rows allow.
Words widen(std::span<BoxCopy* const> copies, std::size_t element_bytes);
void enqueue_box_copies(std::span<const BoxCopy> on_device, const Words& words,
                        const Stream& stream);
}  // namespace detail

/// The same boxes copied time after time by one place: on a device by one kernel, which is enqueued
/// and must be able to reach all of their memory; on the host at once.
class BoxCopies {
 public:
  BoxCopies() = default;
  /// Elements have 1, 2, 4, 8 or 16 bytes, and lie at multiples of these.
  BoxCopies(std::vector<BoxCopy> copies, std::size_t element_bytes, const Stream& stream);
  void run(const Stream& stream) const;
  bool empty() const { return copies_.empty(); }

 private:
  std::vector<BoxCopy> copies_;
  detail::Words words_ = {};  // on the host elements
  Buffer<BoxCopy> on_device_ = {};
};

}  // namespace portcost::distributed
