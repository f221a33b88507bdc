// SPDX-License-Identifier: Apache-2.0
// Common to the algorithms' judgements of an answer: which elements are drawn, how they are read,
// and keeping what was recomputed for the last problem.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "src/contract/algorithm.hpp"

namespace portcost {

/// Up to `most` of the numbers below `count`, rising: all of them where there are no more, else the
/// first two, the last two and drawn ones; the same for the same seed.
std::vector<std::uint64_t> drawn(std::uint64_t count, std::size_t most, std::uint64_t seed);

/// A fault in one line unless the array is `count` elements of `type`; else empty.
std::string shape_fault(const Array& array, ElementType type, std::uint64_t count);

/// Calls action(T{}) of the problem's type, f32 or f64.
template <class Action>
auto typed(const Problem& problem, const Action& action) {
  return problem.type == ElementType::f64 ? action(double{}) : action(float{});
}

/// What the first of `checks` that finds a fault says of it; those behind it are not made.
template <class... Checks>
std::string first_fault(const Checks&... checks) {
  std::string fault;
  static_cast<void>(((fault = checks(), !fault.empty()) || ...));
  return fault;
}

/// Holds an array of `count` elements of the problem's type, f32 or f64, against `truth`:
/// fault(T{}) says what is wrong with the elements.
template <class Fault>
Judgement held(const Problem& problem, std::string truth, const Array& array, std::uint64_t count,
               const Fault& fault) {
  return {std::move(truth), first_fault([&] { return shape_fault(array, problem.type, count); },
                                        [&] { return typed(problem, fault); })};
}

/// "out[7] is 3, where 4 is right"
std::string wrong_element(const Array& array, std::uint64_t index, const std::string& found,
                          const std::string& right);

/// So many elements of an array from the `first` on, taken for T's, on the host.
template <class T>
std::vector<T> on_host(const Array& array, std::size_t first, std::size_t count,
                       const Stream& stream) {
  std::vector<T> result(count);
  copy_bytes(result.data(), Place::host, array.bytes.data() + first * sizeof(T),
             array.bytes.place(), count * sizeof(T), stream);
  stream.synchronize();
  return result;
}

/// An element of an array, and its number.
template <class T>
struct Found {
  std::uint64_t at;
  T value;
};

/// The first element for which right(at, value) is false. The array is copied to the host in
/// pieces.
template <class T, class Right>
std::optional<Found<T>> first_wrong(const Array& array, const Stream& stream, const Right& right) {
  constexpr std::uint64_t most = std::uint64_t{1} << 24;
  const std::uint64_t all = array.count();
  for (std::uint64_t first = 0; first < all; first += most) {
    const std::uint64_t count = std::min(most, all - first);
    const std::vector<T> piece = on_host<T>(array, first, count, stream);
    std::uint64_t wrong = count;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i < wrong && !right(first + i, piece[i])) wrong = i;
    }
    if (wrong < count) return Found<T>{first + wrong, piece[wrong]};
  }
  return {};
}

/// Compares `left` and `right`, two answers' values of `array`, element by element by near(). The
/// text names `allowed`, the difference that near() allows.
template <class T, class Near>
Disagreement apart(const Array& array, const std::vector<T>& left, const std::vector<T>& right,
                   double allowed, const Near& near) {
  Disagreement found;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (near(left[i], right[i]) || found.unequal++ > 0) continue;
    found = {1, array.name, i, static_cast<double>(left[i]), static_cast<double>(right[i]), {}};
  }
  if (found.unequal > 0) {
    found.text = fmt::format("{} of {} elements differ; first {}{}: {} against {}, allowed {:.3g}",
                             found.unequal, left.size(), array.name, array.index_text(found.first),
                             found.left, found.right, allowed);
  }
  return found;
}

/// An array's elements on the host, taken for T's: a small array is copied once, of a large one
/// only what is requested.
template <class T>
class Elements {
 public:
  Elements(const Array& array, const Stream& stream) : array_(array), stream_(stream) {
    constexpr std::size_t small = 1 << 24;
    if (array.bytes.size() > small) return;
    all_ = on_host<T>(array, 0, array.bytes.size() / sizeof(T), stream);
  }
  T operator[](std::uint64_t i) const {
    return all_.empty() ? on_host<T>(array_, i, 1, stream_)[0] : all_[i];
  }

 private:
  const Array& array_;
  const Stream& stream_;
  std::vector<T> all_;
};

/// What make() has returned for the last problem and step: many answers are judged by one truth.
template <class Value>
class Remembered {
 public:
  template <class Make>
  const Value& of(const Problem& problem, std::string_view step, const Make& make) {
    const std::lock_guard lock(mutex_);
    const bool known = value_ && problem_.size == problem.size &&
                       problem_.parameters == problem.parameters && problem_.type == problem.type &&
                       problem_.seed == problem.seed && step_ == step;
    if (!known) {
      value_ = make();
      problem_ = problem;
      step_ = step;
    }
    return *value_;
  }

 private:
  std::mutex mutex_;
  Problem problem_;
  std::string step_;
  std::optional<Value> value_;
};

}  // namespace portcost
