// SPDX-License-Identifier: Apache-2.0
#include "src/contract/agreement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "src/contract/truth.hpp"

namespace portcost {

namespace {

using detail::WordDifference;

template <class T, class Equal>
WordDifference compare_on_host(const void* left, const void* right, std::size_t count,
                               const Equal& equal) {
  const T *const a = static_cast<const T*>(left), *const b = static_cast<const T*>(right);
  unsigned long long unequal = 0, first = count;
#pragma omp parallel for schedule(static) reduction(+ : unequal) reduction(min : first)
  for (std::size_t i = 0; i < count; ++i) {
    if (equal(a[i], b[i])) continue;
    ++unequal;
    first = std::min<unsigned long long>(first, i);
  }
  return {unequal, first};
}

WordDifference compare_words_on_host(const void* left, const void* right, std::size_t count,
                                     std::size_t word_bytes) {
  return word_bytes == 8 ? compare_on_host<std::uint64_t>(left, right, count, std::equal_to<>())
                         : compare_on_host<std::uint32_t>(left, right, count, std::equal_to<>());
}

double element(const Array& array, std::uint64_t index, const Stream& stream) {
  const std::size_t width = bytes(array.type);
  std::byte raw[8];
  copy_bytes(raw, Place::host, array.bytes.data() + index * width, array.bytes.place(), width,
             stream);
  stream.synchronize();
  return with_type(array.type, [&](auto value) {
    std::memcpy(&value, raw, sizeof value);
    return static_cast<double>(value);
  });
}

Buffer<std::byte> on_host(const Array& array, const Stream& stream) {
  Buffer<std::byte> result(array.bytes.size(), Place::host);
  result.copy_from(array.bytes, stream);
  return result;
}

WordDifference difference(const Array& left, const Array& right, const Stream& stream) {
  const std::size_t width = bytes(left.type), count = left.count();
  if constexpr (PORTCOST_HAS_CUDA) {
    if (left.bytes.place() == Place::device && right.bytes.place() == Place::device) {
      return detail::compare_words_on_device(left.bytes.data(), right.bytes.data(), count, width,
                                             stream);
    }
  }
  if (left.bytes.place() == Place::host && right.bytes.place() == Place::host) {
    return compare_words_on_host(left.bytes.data(), right.bytes.data(), count, width);
  }
  return compare_words_on_host(on_host(left, stream).data(), on_host(right, stream).data(), count,
                               width);
}

template <class T>
bool within(int roundings, T left, T right) {
  if (std::memcmp(&left, &right, sizeof(T)) == 0) return true;
  const T allowed = static_cast<T>(roundings) * std::numeric_limits<T>::epsilon() *
                    std::max(std::abs(left), std::abs(right));
  return roundings > 0 && std::isfinite(allowed) && std::abs(left - right) <= allowed;
}

WordDifference difference(int roundings, const Array& left, const Array& right,
                          const Stream& stream) {
  const WordDifference exact = difference(left, right, stream);
  if (roundings == 0 || exact.unequal == 0 || left.type == ElementType::i32) return exact;
  const auto compared = [&]<class T>(T) {
    return compare_on_host<T>(on_host(left, stream).data(), on_host(right, stream).data(),
                              left.count(), [=](T a, T b) { return within(roundings, a, b); });
  };
  return left.type == ElementType::f32 ? compared(float{}) : compared(double{});
}

std::string shape_text(const Answer& answer) {
  return joined(answer.arrays, ", ", [](const Array& array) {
    return fmt::format("{} {} {}", array.name, fmt::join(array.shape, " x "), name(array.type));
  });
}

// Arrays of which `of` has the name; all, where it is empty.
Disagreement compared(int roundings, const Answer& left, const Answer& right, const Stream& stream,
                      const std::vector<std::string_view>& of) {
  Disagreement result;
  const bool alike =
      std::ranges::equal(left.arrays, right.arrays, [](const Array& a, const Array& b) {
        return a.name == b.name && a.type == b.type && a.shape == b.shape;
      });
  if (!alike) {
    result.text = fmt::format("answers of different shape: {} against {}", shape_text(left),
                              shape_text(right));
    return result;
  }
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < left.arrays.size(); ++i) {
    const Array &a = left.arrays[i], &b = right.arrays[i];
    if (!of.empty() && std::ranges::count(of, a.name) == 0) continue;
    all += a.count();
    const WordDifference words = difference(roundings, a, b, stream);
    if (words.unequal > 0 && result.unequal == 0) {
      result.array = a.name;
      result.first = words.first;
      result.left = element(a, words.first, stream);
      result.right = element(b, words.first, stream);
      result.text = a.name + a.index_text(words.first);
    }
    result.unequal += words.unequal;
  }
  if (result.unequal == 0) return result;
  result.text =
      fmt::format("{} of {} elements differ; first {}: {:.17g} against {:.17g} (rule: {})",
                  result.unequal, all, result.text, result.left, result.right,
                  roundings == 0 ? "bit for bit" : fmt::format("within {} roundings", roundings));
  return result;
}

}  // namespace

std::size_t Array::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::string Array::index_text(std::uint64_t index) const {
  std::string result;
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    const std::uint64_t here = extent + 1 == shape.rend() ? index : index % *extent;
    result = fmt::format("[{}]{}", here, result);
    index /= std::max<std::size_t>(*extent, 1);
  }
  return result;
}

const Array& Answer::at(std::string_view wanted) const {
  const auto found = std::ranges::find(arrays, wanted, &Array::name);
  require(found != arrays.end(), fmt::format("an answer has no array '{}'", wanted));
  return *found;
}

bool equal_within(int roundings, float left, float right) { return within(roundings, left, right); }
bool equal_within(int roundings, double left, double right) {
  return within(roundings, left, right);
}

Disagreement compare_exact(const Answer& left, const Answer& right, const Stream& stream,
                           const std::vector<std::string_view>& of) {
  return compared(0, left, right, stream, of);
}

Disagreement compare_within(int roundings, const Answer& left, const Answer& right,
                            const Stream& stream) {
  return compared(roundings, left, right, stream, {});
}

std::vector<std::uint64_t> drawn(std::uint64_t count, std::size_t most, std::uint64_t seed) {
  std::vector<std::uint64_t> result;
  if (count <= most) {
    result.resize(count);
    std::iota(result.begin(), result.end(), std::uint64_t{0});
    return result;
  }
  if (most >= 4) result = {0, 1, count - 2, count - 1};
  std::mt19937_64 random(seed);
  while (result.size() < most) result.push_back(random() % count);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::string shape_fault(const Array& array, ElementType type, std::uint64_t count) {
  if (array.type == type && array.count() == count) return {};
  return fmt::format("{} has {} {}, where {} {} are expected", array.name, array.count(),
                     name(array.type), count, name(type));
}

std::string wrong_element(const Array& array, std::uint64_t index, const std::string& found,
                          const std::string& right) {
  return fmt::format("{}{} is {}, where {} is right", array.name, array.index_text(index), found,
                     right);
}

}  // namespace portcost
