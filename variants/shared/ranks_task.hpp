// SPDX-License-Identifier: Apache-2.0
// Common to steps over processes (ranks): what they are given, the path that a parameter names, and
// an answer's whole array.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/contract/rung.hpp"
#include "src/distributed/files.hpp"
#include "src/distributed/path.hpp"

namespace portcost {

/// A rank's share of a problem: arrays with ghost points, and their exchanges.
template <class Data>
struct RanksTask {
  Data* data;
};
template <template <class> class Data>
using RanksWorks = Works<RanksTask<Data<float>>, RanksTask<Data<double>>>;

inline distributed::Path path_of(const Problem& problem, std::string_view parameter) {
  return static_cast<distributed::Path>(
      problem.parameters.number_of(parameter, distributed::path_names));
}

/// A shape with a block of one axis for each processor. Collective; throws SharedUsageError, which
/// names the numbers, where there are too many processors.
inline distributed::Shape cut(const distributed::Processors& processors,
                              const distributed::Index& global, std::size_t axis,
                              distributed::Sharing sharing) {
  distributed::Distribution::Settings settings{{1, 1, 1}, sharing};
  settings.grid[axis] = processors.count();
  std::optional<distributed::Distribution> result;
  processors.ranks().together([&] { result.emplace(global, processors.count(), settings); });
  return {*result};
}

template <class T>
void poison(const distributed::Array<T>& array) {
  for (const distributed::Part& part : array.parts()) {
    poison_bytes(part.data, array.span(part).size_bytes(), array.stream(part));
  }
}

/// On rank 0 an answer that has all of `from`; on others one without arrays. Collective.
template <class T>
Answer collected(const distributed::Array<T>& from, std::string_view name,
                 std::vector<std::size_t> shape) {
  const bool first = from.processors().ranks().rank() == 0;
  Array whole{std::string(name), element_type_of<T>, std::move(shape), {}};
  if (first) whole.bytes = Buffer<std::byte>(whole.count() * sizeof(T), Place::host);
  distributed::collect(from, reinterpret_cast<T*>(whole.bytes.data()));
  Answer result;
  if (first) result.arrays.push_back(std::move(whole));
  return result;
}

}  // namespace portcost
