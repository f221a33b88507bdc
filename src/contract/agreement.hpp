// SPDX-License-Identifier: Apache-2.0
// Answers and whether two of them agree. Compared where they lie, so that gigabytes need not cross
// to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/contract/element_type.hpp"
#include "src/memory/buffer.hpp"

namespace portcost {

/// A dense copy of what a run computed: `count` elements of `type`, rows of `row` elements (for
/// naming a place in 2D; 0 when the answer has no rows).
struct Answer {
  ElementType type = ElementType::f32;
  std::size_t count = 0;
  std::size_t row = 0;
  Buffer<std::byte> bytes;
};

/// How two answers differ. `unequal` counts elements outside the rule of agreement; the rest
/// describes the first of them.
struct Disagreement {
  std::uint64_t unequal = 0;
  std::uint64_t first = 0;
  double left = 0;
  double right = 0;
  std::string text;  // one line for people; empty when the answers agree

  bool agrees() const { return unequal == 0 && text.empty(); }
};

/// Bit-for-bit comparison (NaN equals only the same NaN; -0 differs from +0). Both answers must be
/// complete; answers of different type or count disagree. Answers that lie in different places are
/// compared on the host.
Disagreement compare_exact(const Answer& left, const Answer& right, const Stream& stream);

namespace detail {
/// Counts unequal 4- or 8-byte words and finds the first; `first` is `count` when all are equal.
struct WordDifference {
  unsigned long long unequal;
  unsigned long long first;
};
WordDifference compare_words_on_device(const void* left, const void* right, std::size_t count,
                                       std::size_t word_bytes, const Stream& stream);
}  // namespace detail

}  // namespace portcost
