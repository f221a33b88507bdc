// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: Views, a range over all numbers, and the
// branch chosen by the index.
#include <cstdint>
#include <string>

#include "variants/divergence/kokkos/steps.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::divergence {

namespace {

template <class Number>
using View =
    Kokkos::View<Number*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// Slots as the step assigns them to numbers: neighbours have neighbouring numbers or, transposed
// within each tile, numbers of one lane.
template <class Body, bool transposed>
struct Slots {
  explicit Slots(const Work& work)
      : s(work),
        in(work.in, static_cast<std::size_t>(work.n)),
        out(work.out, static_cast<std::size_t>(work.n)) {}
  // How many: where they are transposed, those of whole tiles.
  std::uint64_t count() const { return transposed ? tiles_of(s.n) * tile : s.n; }

  template <class Index>
  KOKKOS_FUNCTION void slot(Index number) const {
    Index i = number;
    if constexpr (transposed) {
      const auto in_tile = static_cast<unsigned>(number % static_cast<Index>(tile));
      i = number - static_cast<Index>(in_tile) + static_cast<Index>(position_of<true>(in_tile));
      if (static_cast<std::uint64_t>(i) >= s.n) return;
    }
    out(i) = Body{}(s, static_cast<unsigned>(i % static_cast<Index>(lanes)), in(i));
  }

  Work s;
  View<const float> in;
  View<float> out;
};

template <class Index, class Body, bool transposed>
void range_of(const std::string& label, const Slots<Body, transposed>& slots, const Stream& on) {
  Kokkos::parallel_for(
      label, RangeOf<Index>(kokkos_space(on), Index{0}, static_cast<Index>(slots.count())),
      KOKKOS_LAMBDA(const Index i) { slots.slot(i); });
}

constexpr auto range = [](const std::string& label, const auto& slots, const Stream& on) {
  with_index(static_cast<std::int64_t>(slots.count()),
             [&](auto i) { range_of<decltype(i)>(label, slots, on); });
};

// A tile a team, of whatever size Kokkos chooses.
template <class Body, bool transposed>
void teams(const std::string& label, const Slots<Body, transposed>& slots, const Stream& on) {
  using Policy = Kokkos::TeamPolicy<KokkosSpace>;
  const auto count = static_cast<std::int64_t>(slots.count());
  Kokkos::parallel_for(
      label, Policy(kokkos_space(on), static_cast<int>(tiles_of(slots.s.n)), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t first = std::int64_t{team.league_rank()} * int{tile};
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, int{tile}), [&](const int i) {
          if (first + i < count) slots.slot(first + i);
        });
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  return every_step(
      []<class Body, bool transposed>(Step<Body, transposed>, const char* name) -> Rungs {
        using S = Slots<Body, transposed>;
        std::string label = "portcost::divergence::";
        label += name;
        label += "::usual";
        const auto usual = [&](std::string_view dials, const auto& f) {
          return rung(works, name, [=](const Work& s, const Stream& on) { f(label, S(s), on); })
              .written(Way::usual, dials)
              .unless(tiles_alone);
        };
        return {usual("", range),
                usual("index=int64", [](const auto&... all) { range_of<std::int64_t>(all...); }),
                usual("policy=team", [](const auto&... all) { teams(all...); })};
      });
}

}  // namespace portcost::divergence
