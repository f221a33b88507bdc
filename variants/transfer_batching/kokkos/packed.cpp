// SPDX-License-Identifier: Apache-2.0
// Portable variants for a device: packed rows that a kernel unpacks, and a kernel that reads the
// section over the link.
#include <cstring>

#include "variants/transfer_batching/kokkos/rows.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

#if PORTCOST_HAS_CUDA

namespace {

template <class T>
void launch(const Rows<T>& rows, const Space& space) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "portcost::transfer_batching::rows", Policy(space, 0, rows.elements()),
      KOKKOS_LAMBDA(const std::int64_t i) { rows.move(i); });
}

using HostThreads = Kokkos::DefaultHostExecutionSpace;
using HostPolicy = Kokkos::RangePolicy<HostThreads, Kokkos::IndexType<std::int64_t>>;

template <class T>
void send_packed(const Batch<T>& s, const Space& space) {
  const auto all = static_cast<std::size_t>(s.count * s.n);
  Kokkos::deep_copy(space, Row<T, Device>(s.packed_on_device, all),
                    Row<const T, Host>(s.packed, all));
  launch(unpacked(s), space);
}

template <class T>
void packed_arrays(const Batch<T>& s, const Stream& on) {
  on.synchronize();  // the packed rows of the run before may still be on their way
  Kokkos::parallel_for(
      "portcost::transfer_batching::pack", HostPolicy(HostThreads(), 0, s.count),
      [=](const std::int64_t i) { std::memcpy(s.packed + i * s.n, s.arrays[i], s.row_bytes()); });
  HostThreads().fence("portcost: packed");
  send_packed(s, kokkos_space(on));
}

template <class T>
void packed_section(const Batch<T>& s, const Stream& on) {
  on.synchronize();  // the packed rows of the run before may still be on their way
  Kokkos::parallel_for("portcost::transfer_batching::pack", HostPolicy(HostThreads(), 0, s.count),
                       [=](const std::int64_t i) {
                         std::memcpy(s.packed + i * s.n, s.section + i * s.pitch, s.row_bytes());
                       });
  HostThreads().fence("portcost: packed");
  send_packed(s, kokkos_space(on));
}

}  // namespace

#endif

Rungs kokkos_packed_rungs() {
#if PORTCOST_HAS_CUDA && !defined(KOKKOS_ENABLE_OPENMP)
  constexpr std::string_view one_thread =
      "this build's Kokkos has no OpenMP, so one thread would pack where CUDA's side has all";
  return {absent_rung("arrays_packed", one_thread), absent_rung("section_packed", one_thread),
          rung(works, "section_over_link",
               [](const auto& s, const Stream& on) { launch(over_link(s), kokkos_space(on)); })};
#elif PORTCOST_HAS_CUDA
  return {rung(works, "arrays_packed",
               []<class T>(const Batch<T>& s, const Stream& on) {
                 return waiting(s, on, packed_arrays<T>);
               }),
          rung(works, "section_packed",
               []<class T>(const Batch<T>& s, const Stream& on) {
                 return waiting(s, on, packed_section<T>);
               }),
          rung(works, "section_over_link",
               [](const auto& s, const Stream& on) { launch(over_link(s), kokkos_space(on)); })};
#else
  return {};  // algorithm.cpp says why
#endif
}

}  // namespace portcost::transfer_batching
