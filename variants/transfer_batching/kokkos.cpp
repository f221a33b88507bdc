// SPDX-License-Identifier: Apache-2.0
// Portable variants: deep_copy of one View after the other, and of a strided subview; on a device
// also packed rows that a kernel unpacks, and kernels that read the host's memory over the link.
#include <cstring>
#include <string_view>
#include <type_traits>

#include "variants/transfer_batching/kokkos/teams.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

using Space = KokkosSpace;
using Device = Space::memory_space;
#if PORTCOST_HAS_CUDA
using Host = Kokkos::SharedHostPinnedSpace;
#else
using Host = Kokkos::HostSpace;
#endif
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

template <class T, class Memory>
using Row = Kokkos::View<T*, Memory, Unmanaged>;

template <From from>
constexpr auto one_by_one = []<class T>(const Batch<T>& s, const Stream& on) {
  const Space& space = kokkos_space(on);
  const auto n = static_cast<std::size_t>(s.n);
  for (std::int64_t i = 0; i < s.count; ++i) {
    Kokkos::deep_copy(space, Row<T, Device>(s.target + s.at(i), n),
                      Row<const T, Host>(row_of<from>(s, i), n));
  }
};

// A row is a column where the layout is LayoutLeft.
using Layout = Space::array_layout;
constexpr bool left = std::is_same_v<Layout, Kokkos::LayoutLeft>;

template <class Memory, class Element, class T>
auto plane_of(Element* data, const Batch<T>& s) {
  const auto rows = static_cast<std::size_t>(s.rows), length = static_cast<std::size_t>(s.pitch);
  const Kokkos::View<Element**, Layout, Memory, Unmanaged> whole(data, left ? length : rows,
                                                                 left ? rows : length);
  const auto part = Kokkos::make_pair(std::size_t{0}, static_cast<std::size_t>(s.n));
  if constexpr (left) {
    return Kokkos::subview(whole, part, Kokkos::ALL);
  } else {
    return Kokkos::subview(whole, Kokkos::ALL, part);
  }
}

template <class Memory, class Element, class T>
auto box_of(Element* data, const Batch<T>& s) {
  const auto rows = static_cast<std::size_t>(s.rows), length = static_cast<std::size_t>(s.pitch);
  const std::size_t planes = static_cast<std::size_t>(s.count) / rows;
  const Kokkos::View<Element***, Layout, Memory, Unmanaged> whole(data, left ? length : planes,
                                                                  rows + 1, left ? planes : length);
  const auto row = Kokkos::make_pair(std::size_t{0}, rows);
  const auto part = Kokkos::make_pair(std::size_t{0}, static_cast<std::size_t>(s.n));
  if constexpr (left) {
    return Kokkos::subview(whole, part, row, Kokkos::ALL);
  } else {
    return Kokkos::subview(whole, Kokkos::ALL, row, part);
  }
}

// On a device deep_copy of strided subviews is a kernel, which has to reach the section. Without an
// execution space it waits.
template <bool box, class T, class... Where>
void whole_section(const Batch<T>& s, const Where&... space) {
  need_link(s.section_refused);
  if constexpr (box) {
    Kokkos::deep_copy(space..., box_of<Device>(s.target, s), box_of<Host>(s.section, s));
  } else {
    for (std::int64_t i = 0; i < s.count; i += s.rows) {
      Kokkos::deep_copy(space..., plane_of<Device>(s.target + s.at(i), s),
                        plane_of<Host>(s.section + s.at(i), s));
    }
  }
}
template <bool box>
constexpr auto queued =
    [](const auto& s, const Stream& on) { whole_section<box>(s, kokkos_space(on)); };
template <bool box>
constexpr auto with_wait = []<class T>(const Batch<T>& s, const Stream& on) {
  return waiting(
      s, on, +[](const Batch<T>& rows, const Stream&) { whole_section<box>(rows); });
};

#if PORTCOST_HAS_CUDA

// What moves rows or arrays.
struct ByRange {
  template <class Moved>
  static void move(const Moved& rows, const Stream& on) {
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(
        "portcost::transfer_batching::rows", Policy(kokkos_space(on), 0, rows.elements()),
        KOKKOS_LAMBDA(const std::int64_t i) { rows.move(i); });
  }
};
struct ByTeams {
  static void move(const auto& rows, const Stream& on) { move_by_teams(rows, on); }
};
struct ByTheBook {
  static void move(const auto& rows, const Stream& on) { move_by_the_book(rows, on); }
};

using HostThreads = Kokkos::DefaultHostExecutionSpace;
using HostPolicy = Kokkos::RangePolicy<HostThreads, Kokkos::IndexType<std::int64_t>>;

template <From from, class Kernel, class T>
void packed(const Batch<T>& s, const Stream& on) {
  on.synchronize();  // the packed rows of the run before may still be on their way
  Kokkos::parallel_for("portcost::transfer_batching::pack", HostPolicy(HostThreads(), 0, s.count),
                       [=](const std::int64_t i) {
                         std::memcpy(s.packed + i * s.n, row_of<from>(s, i), s.row_bytes());
                       });
  HostThreads().fence("portcost: packed");
  const auto all = static_cast<std::size_t>(s.count * s.n);
  Kokkos::deep_copy(kokkos_space(on), Row<T, Device>(s.packed_on_device, all),
                    Row<const T, Host>(s.packed, all));
  Kernel::move(unpacked(s), on);
}
template <From from, class Kernel>
constexpr auto packing = []<class T>(const Batch<T>& s, const Stream& on) {
  return waiting(s, on, packed<from, Kernel, T>);
};
template <class Kernel>
constexpr auto section_by_kernel =
    [](const auto& s, const Stream& on) { Kernel::move(over_link(s), on); };

// The list of where they lie is copied in every run, as the batched copy is given one.
template <class Kernel>
constexpr auto arrays_by_kernel = []<class T>(const Batch<T>& s, const Stream& on) {
  const Arrays<T> arrays = arrays_over_link(s);
  const auto count = static_cast<std::size_t>(s.count);
  Kokkos::deep_copy(kokkos_space(on), Row<Source<T>, Device>(s.sources_on_device, count),
                    Row<const Source<T>, Host>(s.sources_in_kernels, count));
  Kernel::move(arrays, on);
};

#endif

}  // namespace

Rungs kokkos_rungs() {
  const Rungs by_calls = {rung(works, "arrays_one_by_one", one_by_one<From::arrays>),
                          rung(works, "section_row_by_row", one_by_one<From::section>),
                          rung(works, "section_2d", queued<false>),
                          rung(works, "section_3d", queued<true>),
                          rung(works, "section_2d", with_wait<false>).written(Way::usual),
                          rung(works, "section_3d", with_wait<true>).written(Way::usual)};
#if !PORTCOST_HAS_CUDA
  return by_calls;  // algorithm.cpp says why
#else
  const Rungs over_the_link = {
      rung(works, "section_over_link", section_by_kernel<ByTeams>),
      rung(works, "section_over_link", section_by_kernel<ByTheBook>).written(Way::book),
      rung(works, "section_over_link", section_by_kernel<ByRange>).written(Way::usual),
      rung(works, "arrays_over_link", arrays_by_kernel<ByTeams>),
      rung(works, "arrays_over_link", arrays_by_kernel<ByTheBook>).written(Way::book),
      rung(works, "arrays_over_link", arrays_by_kernel<ByRange>).written(Way::usual)};
#ifndef KOKKOS_ENABLE_OPENMP
  constexpr std::string_view one_thread =
      "this build's Kokkos has no OpenMP, so one thread would pack where CUDA's side has all";
  const Rungs by_packing = {absent_rung("arrays_packed", one_thread),
                            absent_rung("section_packed", one_thread)};
#else
  const Rungs by_packing = {
      rung(works, "arrays_packed", packing<From::arrays, ByTeams>),
      rung(works, "arrays_packed", packing<From::arrays, ByTheBook>).written(Way::book),
      rung(works, "arrays_packed", packing<From::arrays, ByRange>).written(Way::usual),
      rung(works, "section_packed", packing<From::section, ByTeams>),
      rung(works, "section_packed", packing<From::section, ByTheBook>).written(Way::book),
      rung(works, "section_packed", packing<From::section, ByRange>).written(Way::usual)};
#endif
  return of_planes(joined({by_calls, by_packing, over_the_link}));
#endif
}

}  // namespace portcost::transfer_batching
