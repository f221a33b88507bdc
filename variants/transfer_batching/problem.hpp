// SPDX-License-Identifier: Apache-2.0
// transfer_batching: many small arrays, or a section of a matrix with a pitch, copied to where the
// work runs: one by one, in one call, or packed. Plain C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "src/contract/rung.hpp"
#include "src/support/error.hpp"
#include "variants/shared/numbers.hpp"
#include "variants/shared/waiting.hpp"

namespace portcost::transfer_batching {

/// Where an array lies. A View's element, which a pointer cannot be: View<T**> has two dimensions.
template <class T>
struct Source {
  const T* first;
};

/// The problem as every variant receives it. All of the host's memory is pinned where work runs on
/// a device, unless that was refused: then it is pageable, and kernels do not reach it.
///
/// Row i of the target is `target + at(i)`, of `n` elements. On return it has what array i and row
/// i of the section have, which are equal; elements between rows stay as they are.
template <class T>
struct Batch {
  T* target;
  const T* section;             // on the host; row i at at(i)
  const T* section_in_kernels;  // the same as a kernel reaches it; null where none does
  const T* const* arrays;       // on the host: array i, of n elements each, in no order
  const Source<T>*
      sources_in_kernels;        // on the host: array i as a kernel reaches it; null as above
  Source<T>* sources_on_device;  // on the device: room for that list
  const char* section_refused;   // why no kernel reaches the section; null: one does
  const char* arrays_refused;    // the same of the arrays
  T* packed;                     // on the host: room for count * n elements; null within a host
  T* packed_on_device;           // the same on the device
  void** targets;                // on the host, as a batched copy takes them: row i of the target,
  void** sources;                // array i,
  const std::size_t* sizes;      // and its bytes
  std::int64_t count, n, pitch;
  std::int64_t rows;  // of a plane; behind each plane but the last lies one more

  std::int64_t at(std::int64_t i) const { return (i + i / rows) * pitch; }
  std::size_t row_bytes() const { return static_cast<std::size_t>(n) * sizeof(T); }
  std::size_t pitch_bytes() const { return static_cast<std::size_t>(pitch) * sizeof(T); }
};

/// What is copied, and where row i of it begins on the host.
enum class From { arrays, section };
template <From from, class T>
const T* row_of(const Batch<T>& s, std::int64_t i) {
  return from == From::arrays ? s.arrays[i] : s.section + s.at(i);
}

/// Elements of all rows and of what lies between them: a launch has fewer than 2^31 blocks.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 38;

/// Kernels: one element a thread, in blocks of so many threads.
inline constexpr int kernel_threads = 256;

/// Copies element i of all rows, counted row by row, between rows that are `from_pitch` and
/// `to_pitch` elements apart.
template <class T>
struct Rows {
  T* to;
  const T* from;
  std::int64_t to_pitch, from_pitch, count, n;

  PORTCOST_HOST_DEVICE std::int64_t elements() const { return count * n; }
  PORTCOST_HOST_DEVICE void move(std::int64_t i) const {
    const std::int64_t row = i / n, column = i - row * n;
    to[row * to_pitch + column] = from[row * from_pitch + column];
  }
};
/// The same of arrays that lie anywhere. `from` is a list on the device.
template <class T>
struct Arrays {
  T* to;
  const Source<T>* from;
  std::int64_t to_pitch, count, n;

  PORTCOST_HOST_DEVICE std::int64_t elements() const { return count * n; }
  PORTCOST_HOST_DEVICE void move(std::int64_t i) const {
    const std::int64_t row = i / n, column = i - row * n;
    to[row * to_pitch + column] = from[row].first[column];
  }
};
/// From the packed rows on the device to the target.
template <class T>
Rows<T> unpacked(const Batch<T>& s) {
  return {s.target, s.packed_on_device, s.pitch, s.n, s.count, s.n};
}
/// Throws Failure with the reason where a kernel does not reach the host's memory.
inline void need_link(const char* refused) {
  if (refused != nullptr) throw Failure(refused);
}
/// From the section, which a kernel reads over the link, to the target.
template <class T>
Rows<T> over_link(const Batch<T>& s) {
  need_link(s.section_refused);
  return {s.target, s.section_in_kernels, s.pitch, s.pitch, s.count, s.n};
}
/// From the arrays, which a kernel reads over the link, to the target; their list must be copied to
/// the device before.
template <class T>
Arrays<T> arrays_over_link(const Batch<T>& s) {
  need_link(s.arrays_refused);
  return {s.target, s.sources_on_device, s.pitch, s.count, s.n};
}

/// The input: element `column` of row `row`, in [0, 1).
template <class T>
constexpr T element(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  return in_unit<T>(
      random_bits(seed + static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column)));
}

/// Rows of the target: those of `count` and one between planes.
inline std::int64_t all_rows(const Problem& p) {
  return p.size.at("count") + p.parameters.whole("planes") - 1;
}
/// The steps, some of which take one plane.
inline Rungs of_planes(Rungs rungs) {
  for (Rung& one : rungs) {
    if (one.step.find("packed") == one.step.npos && one.step.find("link") == one.step.npos)
      continue;
    one.unfit = [](const Problem& p) -> std::string_view {
      return p.parameters.whole("planes") > 1 ? "it moves one plane: planes=1" : "";
    };
  }
  return rungs;
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Batch<float>, Batch<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::transfer_batching
