// SPDX-License-Identifier: Apache-2.0
// divergence by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A team has a tile of
// 32 x 32 numbers: its threads take rows and its lanes take columns. Each lane takes the branch,
// and makes the trips, of its own number.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "variants/divergence/rule.hpp"

namespace portcost::divergence::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Member = Teams::member_type;
template <class T>
using Numbers = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Eight trips of `trip` stretches, of the other branch where the class is below `diverging`.
struct Branch {
  int diverging, trip;
  KOKKOS_INLINE_FUNCTION float operator()(int number_class, float x) const {
    if (number_class < diverging) {
#pragma unroll 1
      for (int k = 0; k < 8 * trip; ++k) x = else_stretch(x);
    } else {
#pragma unroll 1
      for (int k = 0; k < 8 * trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

/// Six, seven or eight trips by class.
struct Loop {
  int trip;
  KOKKOS_INLINE_FUNCTION float operator()(int number_class, float x) const {
    const int trips = 6 + number_class % 3;
#pragma unroll 1
    for (int t = 0; t < trips; ++t) {
#pragma unroll 1
      for (int k = 0; k < trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

/// The same, but all lanes make eight trips and keep the number of their last own trip.
struct UniformLoop {
  int trip;
  KOKKOS_INLINE_FUNCTION float operator()(int number_class, float x) const {
    const int trips = 6 + number_class % 3;
    float result = x;
#pragma unroll 1
    for (int t = 0; t < 8; ++t) {
#pragma unroll 1
      for (int k = 0; k < trip; ++k) x = then_stretch(x);
      result = t < trips ? x : result;
    }
    return result;
  }
};

/// out(i) = map(i % 32, in(i)). Lanes of a row take neighbours (if_else, loop_678, loop_uniform)
/// or, transposed, numbers of one class (uniform).
template <bool transposed, class Map>
void map_tiles(const char* label, const Space& space, int team_size, Numbers<const float> in,
               Numbers<float> out, Map map) {
  constexpr std::size_t side = 32;
  const std::size_t n = in.extent(0), tiles = (n + side * side - 1) / (side * side);
  Kokkos::parallel_for(
      label, Teams(space, static_cast<int>(tiles), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * side * side;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, 32), [&](int row) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, 32), [&](int lane) {
            const int number_class = transposed ? row : lane;
            const std::size_t i = first + (transposed ? lane * 32 + row : row * 32 + lane);
            if (i < n) out(i) = map(number_class, in(i));
          });
        });
      });
}

}  // namespace portcost::divergence::book
