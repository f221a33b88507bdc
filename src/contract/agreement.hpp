// SPDX-License-Identifier: Apache-2.0
// Answers and whether two of them agree. Compared where they lie, so that gigabytes need not cross
// to the host.
#pragma once

#include "src/contract/element_type.hpp"
#include "src/memory/buffer.hpp"

namespace portcost {

/// One array of an answer, dense: elements of `type`, extents from the slowest to the fastest.
struct Array {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::size_t> shape;
  Buffer<std::byte> bytes;

  std::size_t count() const;
  /// "[3][7]" of element `index`.
  std::string index_text(std::uint64_t index) const;
};

/// A copy of what a run computed: named arrays, in an order that all answers to a problem share.
struct Answer {
  std::vector<Array> arrays;

  /// The array called `name`; throws Failure when there is none.
  const Array& at(std::string_view name) const;
};

/// How two answers differ. `unequal` counts elements outside the rule of agreement; the rest
/// describes the first of them.
struct Disagreement {
  std::uint64_t unequal = 0;
  std::string array;        // its array
  std::uint64_t first = 0;  // its index in it
  double left = 0;
  double right = 0;
  std::string text;  // one line for people; empty when the answers agree

  bool agrees() const { return unequal == 0 && text.empty(); }
};

/// Bit-for-bit comparison (NaN equals only the same NaN; -0 differs from +0). Answers whose arrays
/// differ in name, type or shape disagree. Arrays that lie in different places are compared on the
/// host. `of`: the names of the arrays whose elements are compared; empty: all.
Disagreement compare_exact(const Answer& left, const Answer& right, const Stream& stream,
                           const std::vector<std::string_view>& of = {});

/// True where two numbers are the same to the bit, or differ by at most so many roundings of the
/// greater.
bool equal_within(int roundings, float left, float right);
bool equal_within(int roundings, double left, double right);

/// Like compare_exact, but elements of floating point need only be equal within so many roundings:
/// for rules that call exp, hypot, ..., which libraries round differently.
Disagreement compare_within(int roundings, const Answer& left, const Answer& right,
                            const Stream& stream);

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
