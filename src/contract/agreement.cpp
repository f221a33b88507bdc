// SPDX-License-Identifier: Apache-2.0
#include "src/contract/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace portcost {

namespace {

using detail::WordDifference;

template <class Word>
WordDifference compare_words(const void* left, const void* right, std::size_t count) {
  const Word* a = static_cast<const Word*>(left);
  const Word* b = static_cast<const Word*>(right);
  unsigned long long unequal = 0, first = count;
#pragma omp parallel for schedule(static) reduction(+ : unequal) reduction(min : first)
  for (std::size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) {
      ++unequal;
      first = std::min<unsigned long long>(first, i);
    }
  }
  return {unequal, first};
}

WordDifference compare_words_on_host(const void* left, const void* right, std::size_t count,
                                     std::size_t word_bytes) {
  return word_bytes == 8 ? compare_words<std::uint64_t>(left, right, count)
                         : compare_words<std::uint32_t>(left, right, count);
}

double element(const Answer& answer, std::uint64_t index, const Stream& stream) {
  const std::size_t width = bytes(answer.type);
  std::byte raw[8];
  copy_bytes(raw, Place::host, answer.bytes.data() + index * width, answer.bytes.place(), width,
             stream);
  stream.synchronize();
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, raw, sizeof value);
    return static_cast<double>(value);
  };
  switch (answer.type) {
    case ElementType::i32:
      return as(std::int32_t{});
    case ElementType::f32:
      return as(float{});
    case ElementType::f64:
      return as(double{});
  }
  return 0;
}

std::string where(const Answer& answer, std::uint64_t index) {
  if (answer.row == 0) return fmt::format("[{}]", index);
  return fmt::format("[{}][{}]", index / answer.row, index % answer.row);
}

WordDifference difference(const Answer& left, const Answer& right, const Stream& stream) {
  const std::size_t width = bytes(left.type);
  if (left.bytes.place() == Place::device && right.bytes.place() == Place::device) {
    return detail::compare_words_on_device(left.bytes.data(), right.bytes.data(), left.count, width,
                                           stream);
  }
  if (left.bytes.place() == Place::host && right.bytes.place() == Place::host) {
    return compare_words_on_host(left.bytes.data(), right.bytes.data(), left.count, width);
  }
  Buffer<std::byte> a(left.bytes.size(), Place::host), b(right.bytes.size(), Place::host);
  a.copy_from(left.bytes, stream);
  b.copy_from(right.bytes, stream);
  return compare_words_on_host(a.data(), b.data(), left.count, width);
}

}  // namespace

Disagreement compare_exact(const Answer& left, const Answer& right, const Stream& stream) {
  Disagreement result;
  if (left.type != right.type || left.count != right.count) {
    result.text = fmt::format("answers of different shape: {} {} against {} {}", left.count,
                              name(left.type), right.count, name(right.type));
    return result;
  }
  const WordDifference words = difference(left, right, stream);
  result.unequal = words.unequal;
  if (words.unequal == 0) return result;
  result.first = words.first;
  result.left = element(left, words.first, stream);
  result.right = element(right, words.first, stream);
  result.text = fmt::format(
      "{} of {} elements differ; first at {}: {:.17g} against {:.17g} (rule: bit for bit)",
      words.unequal, left.count, where(left, words.first), result.left, result.right);
  return result;
}

#if !PORTCOST_HAS_CUDA
WordDifference detail::compare_words_on_device(const void*, const void*, std::size_t, std::size_t,
                                               const Stream&) {
  throw Failure("this build has no CUDA");
}
#endif

}  // namespace portcost
