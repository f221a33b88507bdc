// SPDX-License-Identifier: Apache-2.0
// Portable variants: deep_copy of one View after the other, and of a strided subview.
#include <type_traits>

#include "variants/shared/kokkos_space.hpp"
#include "variants/transfer_batching/kokkos/rows.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

template <From from, class T>
void one_by_one(const Batch<T>& s, const Stream& on) {
  const Space& space = kokkos_space(on);
  const auto n = static_cast<std::size_t>(s.n);
  for (std::int64_t i = 0; i < s.count; ++i) {
    Kokkos::deep_copy(space, Row<T, Device>(s.target + i * s.pitch, n),
                      Row<const T, Host>(row_of<from>(s, i), n));
  }
}

// A row is a column where the layout is LayoutLeft.
using Layout = Space::array_layout;
constexpr bool left = std::is_same_v<Layout, Kokkos::LayoutLeft>;

template <class Element, class Memory>
auto section_of(Element* data, std::int64_t count, std::int64_t n, std::int64_t pitch) {
  const auto rows = static_cast<std::size_t>(count), length = static_cast<std::size_t>(pitch);
  const Kokkos::View<Element**, Layout, Memory, Unmanaged> whole(data, left ? length : rows,
                                                                 left ? rows : length);
  const auto part = Kokkos::make_pair(std::size_t{0}, static_cast<std::size_t>(n));
  if constexpr (left) {
    return Kokkos::subview(whole, part, Kokkos::ALL);
  } else {
    return Kokkos::subview(whole, Kokkos::ALL, part);
  }
}

// On a device deep_copy of strided subviews is a kernel, which has to reach the section. Without an
// execution space it waits.
template <class T, class... Where>
void whole_section(const Batch<T>& s, const Where&... space) {
  need_link(s.section_refused);
  Kokkos::deep_copy(space..., section_of<T, Device>(s.target, s.count, s.n, s.pitch),
                    section_of<const T, Host>(s.section, s.count, s.n, s.pitch));
}

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "arrays_one_by_one",
               [](const auto& s, const Stream& on) { one_by_one<From::arrays>(s, on); }),
          rung(works, "section_row_by_row",
               [](const auto& s, const Stream& on) { one_by_one<From::section>(s, on); }),
          rung(works, "section_2d",
               [](const auto& s, const Stream& on) { whole_section(s, kokkos_space(on)); }),
          rung(works, "section_2d", []<class T>(const Batch<T>& s, const Stream& on) {
            return waiting(
                s, on, +[](const Batch<T>& rows, const Stream&) { whole_section(rows); });
          }).written(Way::usual)};
}

}  // namespace portcost::transfer_batching
