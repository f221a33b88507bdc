// SPDX-License-Identifier: Apache-2.0
// The parameter `math`: precise functions, or a GPU's fast ones of f32. Plain C++.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "src/contract/algorithm.hpp"

namespace portcost {

inline constexpr std::array<std::string_view, 2> math_names{"precise", "fast"};
inline constexpr auto math_key =
    ParameterKey::choice("math", math_names, "functions: a GPU has fast ones of f32");
inline bool is_fast(const Problem& p) { return p.parameters.number_of("math", math_names) == 1; }
/// Calls action(std::bool_constant<s.fast>()). Hosts have no fast functions.
template <Place place, template <class> class Work, class T, class Action>
void with_math(const Work<T>& s, const Action& action) {
  if constexpr (place == Place::device && sizeof(T) == 4) {
    if (s.fast) return action(std::true_type());
  }
  action(std::false_type());
}
/// The reason why a place's variants refuse a problem, for Rung::unless.
template <Place place>
std::string_view no_fast_functions(const Problem& p) {
  if (!is_fast(p)) return "";
  if (p.type == ElementType::f64)
    return "fast functions (__expf, ...) are f32's alone: math=precise";
  return place == Place::host ? "fast functions (__expf, ...) are a GPU's: math=precise" : "";
}

}  // namespace portcost
