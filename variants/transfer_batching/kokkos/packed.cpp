// SPDX-License-Identifier: Apache-2.0
// Portable variants for a device: packed rows that a kernel unpacks, and a kernel that reads the
// section over the link.
#include <cstring>
#include <string_view>
#include <type_traits>

#include "variants/transfer_batching/kokkos/rows.hpp"
#include "variants/transfer_batching/kokkos/teams.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

#if PORTCOST_HAS_CUDA

namespace {

template <class T>
void move_by_range(const Rows<T>& rows, const Stream& on) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "portcost::transfer_batching::rows", Policy(kokkos_space(on), 0, rows.elements()),
      KOKKOS_LAMBDA(const std::int64_t i) { rows.move(i); });
}

// The kernel, in a way of writing it.
template <Way way, class T>
void move_rows(const Rows<T>& rows, const Stream& on) {
  if constexpr (way == Way::usual) {
    move_by_range(rows, on);
  } else {
    move_by_teams<way>(rows, on);
  }
}

using HostThreads = Kokkos::DefaultHostExecutionSpace;
using HostPolicy = Kokkos::RangePolicy<HostThreads, Kokkos::IndexType<std::int64_t>>;

template <Way way, class T>
void send_packed(const Batch<T>& s, const Stream& on) {
  const auto all = static_cast<std::size_t>(s.count * s.n);
  Kokkos::deep_copy(kokkos_space(on), Row<T, Device>(s.packed_on_device, all),
                    Row<const T, Host>(s.packed, all));
  move_rows<way>(unpacked(s), on);
}

template <Way way, class T>
void packed_arrays(const Batch<T>& s, const Stream& on) {
  on.synchronize();  // the packed rows of the run before may still be on their way
  Kokkos::parallel_for(
      "portcost::transfer_batching::pack", HostPolicy(HostThreads(), 0, s.count),
      [=](const std::int64_t i) { std::memcpy(s.packed + i * s.n, s.arrays[i], s.row_bytes()); });
  HostThreads().fence("portcost: packed");
  send_packed<way>(s, on);
}

template <Way way, class T>
void packed_section(const Batch<T>& s, const Stream& on) {
  on.synchronize();  // the packed rows of the run before may still be on their way
  Kokkos::parallel_for("portcost::transfer_batching::pack", HostPolicy(HostThreads(), 0, s.count),
                       [=](const std::int64_t i) {
                         std::memcpy(s.packed + i * s.n, s.section + i * s.pitch, s.row_bytes());
                       });
  HostThreads().fence("portcost: packed");
  send_packed<way>(s, on);
}

using Usual = std::integral_constant<Way, Way::usual>;

// A step in all ways: f(way, work, stream).
template <class F>
Rungs all_ways(std::string_view step, const F& f) {
  return joined(
      {team_step(works, step, f), {rung(works, step, [f](const auto& s, const Stream& on) {
                                     return f(Usual(), s, on);
                                   }).written(Way::usual)}});
}

Rungs over_the_link() {
  return all_ways("section_over_link", [](auto way, const auto& s, const Stream& on) {
    move_rows<way.value>(over_link(s), on);
  });
}

Rungs packing() {
#ifdef KOKKOS_ENABLE_OPENMP
  return joined(
      {all_ways("arrays_packed",
                []<class T>(auto way, const Batch<T>& s, const Stream& on) {
                  return waiting(s, on, packed_arrays<way.value, T>);
                }),
       all_ways("section_packed", []<class T>(auto way, const Batch<T>& s, const Stream& on) {
         return waiting(s, on, packed_section<way.value, T>);
       })});
#else
  constexpr std::string_view one_thread =
      "this build's Kokkos has no OpenMP, so one thread would pack where CUDA's side has all";
  return {absent_rung("arrays_packed", one_thread), absent_rung("section_packed", one_thread)};
#endif
}

}  // namespace

#endif

Rungs kokkos_packed_rungs() {
#if PORTCOST_HAS_CUDA
  return joined({packing(), over_the_link()});
#else
  return {};  // algorithm.cpp says why
#endif
}

}  // namespace portcost::transfer_batching
