// SPDX-License-Identifier: Apache-2.0
// The functions of atomics, one a way of writing, with the operation and the memory as arguments.
#pragma once

#include "tests/launches.hpp"
#include "variants/atomics/problem.hpp"

namespace portcost::test {

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
