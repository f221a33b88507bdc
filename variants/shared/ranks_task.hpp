// SPDX-License-Identifier: Apache-2.0
// Common to steps over processes (ranks): what they are given, the path that a parameter names, and
// an answer's whole array.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/contract/rung.hpp"
#include "src/distributed/files.hpp"
#include "src/distributed/path.hpp"
#include "src/support/error.hpp"
#include "variants/shared/matrix_tiles.hpp"

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

/// For Rung::unless, of a model that runs in `place`: adds to `unfit` the refusal of paths that the
/// place cannot take.
inline Unfit on_path(std::string_view parameter, Place place, Unfit unfit) {
  return [=](const Problem& p) {
    const distributed::Path path = path_of(p, parameter);
    if (place == Place::host && needs_gpus(path)) return std::string(distributed::hosts_refuse);
    if (place == Place::device && path == distributed::Path::one_sided) {
      return std::string(distributed::gpus_refuse);
    }
    return unfit(p);
  };
}

/// `distributed`: a model's step of one process, on a rank's share of the problem. The step only
/// enqueues, so that it may be given other memory each time.
inline Rung distributed_rung(const Rungs& model, std::string_view step, Unfit unfit,
                             Way way = Way::tuned) {
  for (Rung one : model) {
    if (one.step != step || one.way != way || !one.dials.empty()) continue;
    require(one.launches.size() == one.makers.size(), "a step with memory of its own");
    one.step = "distributed";
    return std::move(one).unless([own = one.unfit, unfit](const Problem& p) {
      const std::string why = own(p);
      return why.empty() ? unfit(p) : why;
    });
  }
  throw Failure("a model lacks the step that its processes are to run");
}

/// A shape that is cut by `settings`. Collective; throws SharedUsageError, which names the numbers,
/// where there are too many processors.
inline distributed::Shape cut(const distributed::Processors& processors,
                              const distributed::Index& global,
                              const distributed::Distribution::Settings& settings) {
  std::optional<distributed::Distribution> result;
  processors.ranks().together([&] { result.emplace(global, processors.count(), settings); });
  return {*result};
}
/// The same with a block of one axis for each processor.
inline distributed::Shape cut(const distributed::Processors& processors,
                              const distributed::Index& global, std::size_t axis,
                              distributed::Sharing sharing) {
  distributed::Distribution::Settings settings{{1, 1, 1}, sharing};
  settings.grid[axis] = processors.count();
  return cut(processors, global, settings);
}

template <class T>
void poison(const distributed::Array<T>& array) {
  for (const distributed::Part& part : array.parts()) {
    poison_bytes(part.data, array.span(part).size_bytes(), array.stream(part));
  }
}

/// The least non-negative number of all ranks; -1 if there is none. Collective.
inline int least_nonnegative(const Ranks& ranks, int mine) {
  constexpr double none = std::numeric_limits<int>::max();
  const double least = ranks.least(mine < 0 ? none : mine);
  return least < none ? static_cast<int>(least) : -1;
}

/// For Rung::unless, of a model that runs in `place`, of a matrix of `n` rows whose tile rows are
/// shared: fewer tile rows than processes are refused.
inline Unfit unfit_tile_rows(Place place) {
  return on_path("panels", place, [](const Problem& p) {
    return distributed::why_not_shared(padded(p.size.at("n")) / padding, std::max(1, p.ranks),
                                       distributed::Sharing::even, "tile rows");
  });
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
