// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, module 3): a
// parallel_scan over all numbers. Each form stands beside the same form with its documented options
// set.
#include <cstdint>
#include <limits>

#include "variants/scan/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::scan {

namespace {

using Space = KokkosSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <class T>
using Vector = Kokkos::View<T*, Space::memory_space, Unmanaged>;

using DefaultRange = Kokkos::RangePolicy<Space>;  // counts in 32 bits on a GPU
using LongRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Policy, class T>
void one_by_one(const Sequence<T>& s, const Stream& stream) {
  using Index = typename Policy::index_type;
  const Vector<const T> in(s.in, s.n);
  const Vector<T> out(s.out, s.n);
  Kokkos::parallel_scan(
      "portcost::scan::usual", Policy(kokkos_space(stream), 0, static_cast<Index>(s.n)),
      KOKKOS_LAMBDA(const Index i, T& sum, const bool final) {
        sum += in(i);
        if (final) out(i) = sum;
      });
}

// `items` neighbours an iteration, so that fewer sums are passed on.
template <class Policy, int items, class T>
void several(const Sequence<T>& s, const Stream& stream) {
  using Index = typename Policy::index_type;
  const Vector<const T> in(s.in, s.n);
  const Vector<T> out(s.out, s.n);
  const auto n = static_cast<Index>(s.n);
  Kokkos::parallel_scan(
      "portcost::scan::usual",
      Policy(kokkos_space(stream), 0, static_cast<Index>(ceil_div(s.n, std::uint64_t{items}))),
      KOKKOS_LAMBDA(const Index i, T& sum, const bool final) {
#pragma unroll
        for (int k = 0; k < items; ++k) {
          const Index at = i * items + static_cast<Index>(k);
          if (at < n) {
            sum += in(at);
            if (final) out(at) = sum;
          }
        }
      });
}

// In Kokkos's default index type, where it holds all numbers and an iteration's indices past the
// end.
template <class T>
void range(const Sequence<T>& s, const Stream& stream) {
  const bool few = s.n < std::numeric_limits<int>::max();
  few ? one_by_one<DefaultRange>(s, stream) : one_by_one<LongRange>(s, stream);
}
template <int items, class T>
void range_of_several(const Sequence<T>& s, const Stream& stream) {
  const bool few = s.n <= std::numeric_limits<int>::max() - items;
  few ? several<DefaultRange, items>(s, stream) : several<LongRange, items>(s, stream);
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "parallel_scan", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { range(s, on); }),
      usual("index=int64", [](const auto& s, const Stream& on) { one_by_one<LongRange>(s, on); }),
      usual("items=4", [](const auto& s, const Stream& on) { range_of_several<4>(s, on); }),
      usual("items=8", [](const auto& s, const Stream& on) { range_of_several<8>(s, on); }),
  };
}

}  // namespace portcost::scan
