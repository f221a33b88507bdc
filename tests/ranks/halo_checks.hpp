// SPDX-License-Identifier: Apache-2.0
// What halos hold before and after an exchange, by the numbers that a serial array has there.
#pragma once

#include "src/distributed/exchange.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test::halos {

inline constexpr double untouched = -1;

/// Whether a part holds number_of() plus `shift` where it owns, and with_ghosts in its halo, too.
template <class T>
bool all_right(const distributed::Array<T>& array, bool with_ghosts, double shift = 0) {
  bool held = true;
  for (const distributed::Part& part : array.parts()) {
    const std::vector<T> found = ghosted(array, part);
    std::size_t i = 0;
    for_points(part.layout.ghost_corners, [&](const distributed::Index& point) {
      const distributed::Box& mine = part.layout.corners;
      const auto& [distribution, stencil, align] = array.shape();
      const auto origin = with_ghosts || mine.contains(point)
                              ? origin_of(point, mine, distribution, stencil)
                              : std::nullopt;
      held &= found[i++] == static_cast<T>(origin ? number_of(*origin) + shift : untouched);
    });
  }
  return held;
}

template <class T>
void fill_for_exchange(distributed::Array<T>& array, double shift = 0) {
  array.fill(static_cast<T>(untouched));
  array.fill([shift](const distributed::Index& point) {
    return static_cast<T>(number_of(point) + shift);
  });
}

/// Two arrays are exchanged in turns, one at once and one in two halves.
template <class T>
void check_exchanges(const distributed::Processors& processors, const distributed::Shape& shape,
                     distributed::Path path = distributed::Path::automatic, bool own_too = false) {
  distributed::Array<T> one(processors, shape, device_stream());
  distributed::Array<T> two(processors, shape, device_stream());
  distributed::HaloExchange exchange(one, path, {own_too, 60});
  CHECK_ON_ALL(path == distributed::Path::automatic || exchange.path() == path);
  for (int round = 0; round < 3; ++round) {
    fill_for_exchange(one, round);
    fill_for_exchange(two, 10 + round);
    exchange.run(one);
    if (round == 0) CHECK_ON_ALL(all_right(two, false, 10));  // later rounds follow each other
    exchange.begin(two);
    while (!exchange.test()) {
    }
    exchange.end();
    CHECK_ON_ALL(all_right(one, true, round));
    CHECK_ON_ALL(all_right(two, true, 10 + round));
  }
}

}  // namespace portcost::test::halos
