// SPDX-License-Identifier: Apache-2.0
// What tests of halos and of the ways from GPU to GPU share.
#pragma once

#include "src/distributed/device_path.hpp"
#include "src/distributed/exchange.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test::paths {

using namespace portcost::distributed;
using distributed::Array;

// ---- What halos hold before and after an exchange, by the numbers that a serial array has there.

inline constexpr double untouched = -1;

/// Whether a part holds number_of() plus `shift` where it owns, and with_ghosts in its halo, too.
template <class T>
bool all_right(const Array<T>& array, bool with_ghosts, double shift = 0) {
  bool held = true;
  for (const Part& part : array.parts()) {
    const std::vector<T> found = ghosted(array, part);
    std::size_t i = 0;
    for_points(part.layout.ghost_corners, [&](const Index& point) {
      const Box& mine = part.layout.corners;
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
void fill_for_exchange(Array<T>& array, double shift = 0) {
  array.fill(static_cast<T>(untouched));
  array.fill([shift](const Index& point) { return static_cast<T>(number_of(point) + shift); });
}

/// Two arrays are exchanged in turns, one at once and one in two halves.
template <class T>
void check_exchanges(const Processors& processors, const Shape& shape, Path path = Path::automatic,
                     bool own_too = false) {
  Array<T> one(processors, shape, device_stream());
  Array<T> two(processors, shape, device_stream());
  HaloExchange exchange(one, path, {own_too, 60});
  CHECK_ON_ALL(path == Path::automatic || exchange.path() == path);
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

// ---- Paths.

inline constexpr std::array gpu_paths{Path::device_pointers, Path::nccl, Path::peer_copies,
                                      Path::direct_loads, Path::direct_stores};

#define SKIP_WITHOUT_GPU() \
  if (device_stream() == nullptr) SKIP("no GPU answers")

// Those that can be taken between GPUs of these ranks.
inline std::vector<Path> paths_between(const std::vector<int>& members = all_of(all_ranks())) {
  std::vector<Path> result(gpu_paths.begin(), gpu_paths.end());
  std::erase_if(result, [&](Path path) {
    if (path == Path::device_pointers) return !takes_device_pointers();
    return path == Path::nccl && !why_no_nccl(all_ranks(), members).empty();
  });
  return result;
}

inline Shape rows_of_all(int halo, BoundaryType boundary = BoundaryType::ghosted) {
  const int parts = all_ranks().size();
  return {Distribution({1, 8 * parts, 37}, parts, {{1, parts, 1}}),
          {{0, halo, 0}, StencilType::star, {BoundaryType::ghosted, boundary}}};
}

// Longer than an exchange takes.
inline void keep_busy(const Stream& stream) {
  static Buffer<std::byte> much(std::size_t{256} << 20, Place::device);
  for (int i = 0; i < 200; ++i) much.poison(stream);
}

inline void copy_parts(Array<double>& to, const Array<double>& from, const Stream& stream) {
  for (std::size_t i = 0; i < to.parts().size(); ++i) {
    const Part &target = to.parts()[i], &source = from.parts()[i];
    copy_bytes(target.data, target.place, source.data, source.place, to.span(target).size_bytes(),
               stream);
  }
}

// Arrays of several rounds, whose numbers differ by the round.
struct Rounds {
  static constexpr int count = 5;
  std::vector<Array<double>> arrays;

  Rounds(const Processors& processors, const Shape& shape, bool filled = true) {
    for (int round = 0; round < count; ++round) {
      arrays.emplace_back(processors, shape, device_stream());
      if (filled) fill_for_exchange(arrays.back(), 1e7 * round);
    }
  }
  Array<double>& operator[](int round) { return arrays[round]; }
  void check(bool with_ghosts) const {
    for (int round = 0; round < count; ++round) {
      CHECK_ON_ALL(all_right(arrays[round], with_ghosts, 1e7 * round));
    }
  }
};

inline void poison(const Array<double>& array, const Stream& stream) {
  const Part& part = array.parts()[0];
  poison_bytes(part.data, array.span(part).size_bytes(), stream);
}

}  // namespace portcost::test::paths
