// SPDX-License-Identifier: Apache-2.0
// The functions of an algorithm's variants, for tests that hand them memory of their own.
#pragma once

#include "src/contract/rung.hpp"
#include "tests/support.hpp"
#include "variants/atomics/problem.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test {

template <class Work>
struct NamedLaunch {
  std::string name;  // "cuda single_pass"
  Launch<Work> launch;
};

/// Functions that take a Work and run in `place`, by name, of variants that are `wanted`: no peers.
template <class Work>
std::vector<NamedLaunch<Work>> launches(
    std::string_view algorithm, Place place,
    const std::function<bool(const Variant&)>& wanted = [](const Variant& v) {
      return v.model != Model::library;
    }) {
  std::vector<NamedLaunch<Work>> result;
  for (const Variant& variant : algorithm_called(algorithm).variants) {
    auto launch = launch_of<Work>(variant);
    if (variant.place != place || !launch || !wanted(variant)) continue;
    result.push_back({std::string(name(variant.model)) + " " + std::string(variant.step), launch});
  }
  return result;
}

/// Those of one step.
template <class Work>
std::vector<NamedLaunch<Work>> launches_of(std::string_view algorithm, std::string_view step,
                                           Place place) {
  return launches<Work>(algorithm, place, [=](const Variant& v) { return v.step == step; });
}

/// The functions of atomics, one a way of writing, with the operation and the memory as arguments.
template <class Word>
class RunOfAtomics {
 public:
  bool has(atomics::Operation operation, atomics::Memory memory) const {
    return launches_.count(step_of(operation, memory)) != 0;
  }
  void operator()(atomics::Operation operation, atomics::Memory memory,
                  const atomics::Work<Word>& work, const Stream& stream) const {
    launches_.at(step_of(operation, memory))(work, stream);
  }
  void add(std::string_view step, Launch<atomics::Work<Word>> launch) {
    launches_[step] = std::move(launch);
  }

 private:
  // Steps come in the order of Operation, on global memory and on scratch in turn.
  static std::string_view step_of(atomics::Operation operation, atomics::Memory memory) {
    return algorithm_called("atomics").steps.at(2 * static_cast<std::size_t>(operation) +
                                                static_cast<std::size_t>(memory));
  }
  std::map<std::string_view, Launch<atomics::Work<Word>>> launches_;
};

/// By the name of the model and its way of writing, not all of which have every step.
template <class Word>
std::map<std::string, RunOfAtomics<Word>> models_of_atomics(Place place) {
  std::map<std::string, RunOfAtomics<Word>> result;
  for (const Variant& variant : algorithm_called("atomics").variants) {
    if (variant.place != place) continue;
    result[std::string(name(variant.model)) + way_suffix(variant)].add(
        variant.step, launch_of<atomics::Work<Word>>(variant));
  }
  return result;
}

}  // namespace portcost::test
