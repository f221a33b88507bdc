// SPDX-License-Identifier: Apache-2.0
// The element types a problem can have, by the names users type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace portcost {

enum class ElementType { i32, f32, f64 };

constexpr std::string_view name(ElementType type) {
  constexpr std::array<std::string_view, 3> names{"i32", "f32", "f64"};
  return names.at(static_cast<std::size_t>(type));
}

constexpr std::size_t bytes(ElementType type) { return type == ElementType::f64 ? 8 : 4; }

/// The type called `text`, or nothing.
constexpr std::optional<ElementType> element_type(std::string_view text) {
  for (const ElementType type : {ElementType::i32, ElementType::f32, ElementType::f64}) {
    if (name(type) == text) return type;
  }
  return std::nullopt;
}

template <class T>
inline constexpr ElementType element_type_of = ElementType::i32;
template <>
inline constexpr ElementType element_type_of<float> = ElementType::f32;
template <>
inline constexpr ElementType element_type_of<double> = ElementType::f64;

/// Calls f with a number of the type that `type` stands for.
template <class F>
auto with_type(ElementType type, const F& f) {
  return type == ElementType::i32   ? f(std::int32_t{})
         : type == ElementType::f32 ? f(float{})
                                    : f(double{});
}

}  // namespace portcost
