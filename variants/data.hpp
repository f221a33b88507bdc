// SPDX-License-Identifier: Apache-2.0
// Common to algorithm.cpp files: filling inputs, copying answers, making instances, sizes to test
// with. Plain C++; nothing here is part of what is priced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/contract/rung.hpp"
#include "src/memory/buffer.hpp"
#include "src/support/error.hpp"
#include "variants/numbers.hpp"

namespace portcost {

/// to[i] = rule(i), made on the host by all threads, each the first to touch its part. A device's
/// buffer is filled by pieces, so that the host need not hold what the device holds.
template <class T, class Rule>
void fill(Buffer<T>& to, const Stream& stream, const Rule& rule) {
  const auto write = [&](T* target, std::size_t first, std::size_t count) {
    const auto end = static_cast<std::int64_t>(count);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < end; ++i) {
      target[i] = rule(first + static_cast<std::uint64_t>(i));
    }
  };
  if (to.place() == Place::host) return write(to.data(), 0, to.size());
  const std::size_t most = std::min<std::size_t>(to.size(), std::size_t{1} << 26);
  Buffer<T> piece(most, Place::host);
  for (std::size_t first = 0; first < to.size(); first += most) {
    const std::size_t count = std::min(most, to.size() - first);
    write(piece.data(), first, count);
    copy_bytes(to.data() + first, to.place(), piece.data(), Place::host, count * sizeof(T), stream);
    stream.synchronize();
  }
}

/// A copy of `bytes` bytes as one array of an answer, enqueued. Whole numbers of 64 bits become two
/// of 32, the fastest extent.
template <class T>
Array dense(std::string_view name, const T* from, std::vector<std::size_t> shape,
            const Stream& stream) {
  constexpr bool two = std::is_integral_v<T> && sizeof(T) == 8;
  if (two) shape.push_back(2);
  Array result{std::string(name), element_type_of<T>, std::move(shape), {}};
  result.bytes = Buffer<std::byte>(result.count() * bytes(result.type), stream.place());
  copy_bytes(result.bytes.data(), stream.place(), from, stream.place(), result.bytes.size(),
             stream);
  return result;
}

/// An answer of one array: all of `from`, once the work on it is done. `shape` may be left out for
/// an array of one dimension.
template <class T>
Answer dense_answer(std::string_view name, const Buffer<T>& from, const Stream& stream,
                    std::vector<std::size_t> shape = {}) {
  if (shape.empty()) shape = {from.size()};
  Answer result;
  result.arrays.push_back(dense(name, from.data(), std::move(shape), stream));
  stream.synchronize();
  return result;
}

/// An instance for the problem's element type: Data<T> of the T among `Ts` that has this type.
template <template <class> class Data, class... Ts>
std::unique_ptr<Instance> make_instance(const Problem& problem, Stream& stream) {
  std::unique_ptr<Instance> result;
  const auto attempt = [&]<class T>(std::type_identity<T>) {
    if (problem.type != element_type_of<T>) return;
    result = std::make_unique<Data<T>>(problem, stream);
  };
  (attempt(std::type_identity<Ts>()), ...);
  require(result != nullptr, "no instance has this element type");
  return result;
}

/// The same for a problem of one type.
template <class Data>
std::unique_ptr<Instance> make_instance(const Problem& problem, Stream& stream) {
  return std::make_unique<Data>(problem, stream);
}

/// Agreement within so many roundings, as an algorithm's row has it.
template <int roundings>
Disagreement compare_within(const Problem&, const Answer& left, const Answer& right,
                            const Stream& stream) {
  return compare_within(roundings, left, right, stream);
}

/// A size as a real number, to calculate with.
inline double real(const Problem& problem, std::string_view key) {
  return static_cast<double>(problem.size.at(key));
}

/// A draw for tests: every other one from `corners` (sizes of tiles and packs, one less, one more,
/// primes), else any from `least` to `most`.
class SizeDraw {
 public:
  explicit SizeDraw(std::uint64_t seed) : random_(seed) {}
  std::int64_t operator()(std::int64_t least, std::int64_t most,
                          std::initializer_list<std::int64_t> corners = {}) {
    const std::uint64_t r = random_();
    if (corners.size() > 0 && (r & 1) != 0) return corners.begin()[(r >> 1) % corners.size()];
    return least +
           static_cast<std::int64_t>((r >> 1) % static_cast<std::uint64_t>(most - least + 1));
  }
  std::int64_t among(std::initializer_list<std::int64_t> values) {
    return values.begin()[random_() % values.size()];
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace portcost
