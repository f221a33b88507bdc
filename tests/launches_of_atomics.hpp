// SPDX-License-Identifier: Apache-2.0
// The functions of atomics, one a model, with the operation and the memory as arguments.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/launches.hpp"
#include "variants/atomics/problem.hpp"

namespace portcost::test {

template <class Word>
using RunOfAtomics = std::function<void(atomics::Operation, atomics::Memory,
                                        const atomics::Work<Word>&, const Stream&)>;

/// By the name of the model. A model's steps come in the order of Operation, on global memory and
/// on scratch in turn.
template <class Word>
std::map<std::string, RunOfAtomics<Word>> models_of_atomics(Place place) {
  std::map<std::string, std::vector<Launch<atomics::Work<Word>>>> steps;
  for (const Variant& variant : algorithm_called("atomics").variants) {
    if (variant.place != place) continue;
    steps[std::string(name(variant.model))].push_back(launch_of<atomics::Work<Word>>(variant));
  }
  std::map<std::string, RunOfAtomics<Word>> result;
  for (const auto& [model, launches] : steps) {
    result[model] = [launches](atomics::Operation operation, atomics::Memory memory,
                               const atomics::Work<Word>& work, const Stream& stream) {
      const auto step = 2 * static_cast<std::size_t>(operation) + static_cast<std::size_t>(memory);
      launches.at(step)(work, stream);
    };
  }
  return result;
}

}  // namespace portcost::test
