// SPDX-License-Identifier: Apache-2.0
#include "variants/divergence/kokkos/book.hpp"

#include "variants/divergence/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::divergence {

namespace {

// map(work) is what is done with a number.
template <bool transposed, class F>
Rung step(std::string_view name, const char* label, const F& map) {
  return rung(works, name,
              [=](const Work& s, const Stream& on) {
                book::map_tiles<transposed>(label, kokkos_space(on), team_size(warps),
                                            book::Numbers<const float>(s.in, s.n),
                                            book::Numbers<float>(s.out, s.n), map(s));
              })
      .written(Way::book)
      .unless(tiles_alone);
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto branch = [](const Work& s) {
    return book::Branch{static_cast<int>(s.diverging), static_cast<int>(s.trip)};
  };
  const auto loop = [](const Work& s) { return book::Loop{static_cast<int>(s.trip)}; };
  const auto uniform_loop = [](const Work& s) {
    return book::UniformLoop{static_cast<int>(s.trip)};
  };
  return {step<true>("uniform", "divergence::book::uniform", branch),
          step<false>("if_else", "divergence::book::if_else", branch),
          step<false>("loop_678", "divergence::book::loop_678", loop),
          step<false>("loop_uniform", "divergence::book::loop_uniform", uniform_loop)};
}

}  // namespace portcost::divergence
