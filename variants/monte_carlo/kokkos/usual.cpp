// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos: parallel_reduce over a range, whose result is
// a View that the device writes, so that nothing waits.
#include <limits>

#include "variants/monte_carlo/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::monte_carlo {

namespace {

using Space = KokkosSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Hits = Kokkos::View<std::uint64_t, Space::memory_space, Unmanaged>;
template <class T>
using Pairs = Kokkos::View<T* [2], Kokkos::LayoutRight, Space::memory_space, Unmanaged>;
using DefaultRange = Kokkos::RangePolicy<Space>;  // counts in 32 bits on a GPU
using LongRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

// In Kokkos's default index type where it holds all iterations, unless `wide`.
template <bool wide = false, class Body>
void add(const Stream& stream, std::uint64_t count, const Body& body, std::uint64_t* hits) {
  const auto over = [&]<class Policy>(Policy) {
    using Index = typename Policy::index_type;
    Kokkos::parallel_reduce("portcost::monte_carlo::usual",
                            Policy(kokkos_space(stream), 0, static_cast<Index>(count)), body,
                            Hits(hits));
  };
  const bool few = count < std::numeric_limits<int>::max();
  few && !wide ? over(DefaultRange()) : over(LongRange());
}

// `calls` neighbouring calls an iteration; the problem ends within the last.
template <class T, int calls>
struct OfCalls {
  Drawing<T> s;
  KOKKOS_FUNCTION void operator()(const std::int64_t i, std::uint64_t& hits) const {
    for (int k = 0; k < calls; ++k) {
      const std::uint64_t call =
          static_cast<std::uint64_t>(i) * calls + static_cast<std::uint64_t>(k);
      if (call < s.calls()) {
        hits += hits_of<T>(philox(call, s.seed));
      } else if (call == s.calls()) {
        hits += hits_of<T>(philox(call, s.seed), s.rest());
      }
    }
  }
};
template <int calls, bool wide, class T>
void count(const Drawing<T>& s, const Stream& on) {
  add<wide>(on, s.calls() / calls + 1, OfCalls<T, calls>{s}, s.hits);
}

template <class T>
struct Generate {
  Drawing<T> s;
  Pairs<T> pairs;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    constexpr int of_call = pairs_of_call<T>;
    const auto call = static_cast<std::uint64_t>(i);
    const RandomWords words = philox(call, s.seed);
    for (int p = 0; p < of_call; ++p) {
      const std::uint64_t at = call * of_call + static_cast<std::uint64_t>(p);
      if (at >= s.pairs) return;
      pairs(at, 0) = uniform<T>(words, 2 * p);
      pairs(at, 1) = uniform<T>(words, 2 * p + 1);
    }
  }
};
template <class T>
struct OfStored {
  Pairs<T> pairs;
  KOKKOS_FUNCTION void operator()(const std::int64_t p, std::uint64_t& hits) const {
    hits += is_hit(pairs(p, 0), pairs(p, 1));
  }
};

constexpr auto stored = []<class T>(const Drawing<T>& s, const Stream& on) {
  const Pairs<T> pairs(s.numbers, s.pairs);
  Kokkos::parallel_for("portcost::monte_carlo::usual",
                       LongRange(kokkos_space(on), 0, static_cast<std::int64_t>(s.calls() + 1)),
                       Generate<T>{s, pairs});
  add(on, s.pairs, OfStored<T>{pairs}, s.hits);
};

constexpr auto one_pair = [](const auto& s, const Stream& on) { count<1, false>(s, on); };
constexpr auto one_pair_wide = [](const auto& s, const Stream& on) { count<1, true>(s, on); };
constexpr auto many_pairs = [](const auto& s, const Stream& on) { count<32, false>(s, on); };

}  // namespace

Rungs kokkos_usual_rungs() {
  return {rung(works, "one_pair", one_pair).written(Way::usual),
          rung(works, "one_pair", one_pair_wide).written(Way::usual, "index=int64"),
          rung(works, "many_pairs", many_pairs).written(Way::usual),
          rung(works, "stored", stored).written(Way::usual).unless(too_many_to_store)};
}

}  // namespace portcost::monte_carlo
