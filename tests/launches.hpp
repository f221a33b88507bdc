// SPDX-License-Identifier: Apache-2.0
// The functions of an algorithm's variants, for tests that hand them memory of their own.
#pragma once

#include <functional>

#include "src/contract/rung.hpp"
#include "tests/support.hpp"
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

}  // namespace portcost::test
