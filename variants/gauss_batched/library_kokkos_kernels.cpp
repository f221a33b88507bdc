// SPDX-License-Identifier: Apache-2.0
// The batched LU of Kokkos Kernels: SerialLU, a thread a system, and TeamLU, a team a system.
// Neither exchanges rows or checks pivots, so the pivots are checked afterwards: the first refused
// pivot still has its value. Compiled where Kokkos Kernels was found.
#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

#if __has_include(<KokkosBatched_LU_Decl.hpp>)
#define PORTCOST_HAS_BATCHED_LU
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_LU_Team_Impl.hpp>
#endif

namespace portcost::gauss_batched {

#ifdef PORTCOST_HAS_BATCHED_LU

namespace {

using Space = KokkosSpace;
using Algo = KokkosBatched::Algo::LU::Unblocked;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Space::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// The first column whose pivot is refused, or -1.
template <class T>
KOKKOS_INLINE_FUNCTION int refused(const Batch<T>& b, const T* a) {
  for (int k = 0; k < b.n; ++k) {
    if (b.refuses(a[k * b.n + k])) return k;
  }
  return -1;
}

template <class T>
void serial(const Batch<T>& b, const Stream& stream) {
  Kokkos::parallel_for(
      "portcost::gauss_batched::kokkos_kernels_serial",
      Kokkos::RangePolicy<Space>(kokkos_space(stream), 0, b.count), KOKKOS_LAMBDA(const int s) {
        const Matrix<T> a(b.system(s), b.n, b.n);
        KokkosBatched::SerialLU<Algo>::invoke(a);
        const int bad = refused(b, a.data());
        if (bad >= 0) b.bad_pivot[s] = bad;
      });
}

template <class T>
void team(const Batch<T>& b, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  Kokkos::parallel_for(
      "portcost::gauss_batched::kokkos_kernels_team",
      Policy(kokkos_space(stream), b.count, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& member) {
        const int s = member.league_rank();
        const Matrix<T> a(b.system(s), b.n, b.n);
        KokkosBatched::TeamLU<Member, Algo>::invoke(member, a);
        member.team_barrier();
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          const int bad = refused(b, a.data());
          if (bad >= 0) b.bad_pivot[s] = bad;
        });
      });
}

}  // namespace

#endif

Rungs library_kokkos_kernels_rungs() {
#ifdef PORTCOST_HAS_BATCHED_LU
  return {
      rung(works, "kokkos_kernels_serial", [](const auto& b, const Stream& on) { serial(b, on); }),
      rung(works, "kokkos_kernels_team", [](const auto& b, const Stream& on) { team(b, on); })};
#else
  constexpr std::string_view reason = "this Kokkos Kernels was built without its batched component";
  return {absent_rung("kokkos_kernels_serial", reason), absent_rung("kokkos_kernels_team", reason)};
#endif
}

}  // namespace portcost::gauss_batched
