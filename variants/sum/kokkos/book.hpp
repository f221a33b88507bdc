// SPDX-License-Identifier: Apache-2.0
// sum by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. Each team reduces its part
// of the numbers to one value. The steps up to first_add are those of Harris, "Optimizing Parallel
// Reduction in CUDA", as the lecture's slides have them.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "variants/sum/rule.hpp"

namespace portcost::sum::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, teams>>;
using Member = Teams<>::member_type;

template <class T>
using Vector = Kokkos::View<T*, Space, Unmanaged>;
template <class T>
using Scalar = Kokkos::View<T, Space, Unmanaged>;
template <class T>
using Scratch = Kokkos::View<T*, Space::scratch_memory_space, Unmanaged>;

inline constexpr int threads = 256;  // numbers of a team's tree

/// The tree's start: item `id` adds `numbers` numbers, 256 apart.
template <int numbers, class T>
KOKKOS_INLINE_FUNCTION void load(const Member& team, const Vector<const T>& in,
                                 const Scratch<T>& partial, int id) {
  const std::size_t first = static_cast<std::size_t>(team.league_rank()) * (numbers * threads) +
                            static_cast<std::size_t>(id);
  T sum = 0;
  for (std::size_t i = first; i < first + numbers * threads; i += threads) {
    if (i < in.extent(0)) sum += in(i);
  }
  partial(id) = sum;
}

/// Launches a tree: a team of 256 items puts `numbers` numbers an item into scratch, tree(team,
/// partial) leaves their sum in partial(0).
template <int numbers, class T, class Tree>
void launch_tree(const char* label, const Space& space, int teams, int team_size,
                 Vector<const T> in, Vector<T> out, Tree tree) {
  Teams<> policy(space, teams, team_size, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch<T>::shmem_size(threads)));
  Kokkos::parallel_for(
      label, policy, KOKKOS_LAMBDA(const Member& team) {
        const Scratch<T> partial(team.team_scratch(0), threads);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, threads),
                             [&](int id) { load<numbers>(team, in, partial, id); });
        team.team_barrier();
        tree(team, partial);
        Kokkos::single(Kokkos::PerTeam(team), [&] { out(team.league_rank()) = partial(0); });
      });
}

// The loops over strides stay loops: unrolled, a modulo by a known power of two would be a mask.

/// interleaved: items whose number is a multiple of twice the stride add, ever fewer of each warp.
struct Interleaved {
  template <class T>
  KOKKOS_FUNCTION void operator()(const Member& team, const Scratch<T>& partial) const {
#pragma unroll 1
    for (int stride = 1; stride < threads; stride *= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, threads), [&](int id) {
        if (id % (2 * stride) == 0) partial(id) += partial(id + stride);
      });
      team.team_barrier();
    }
  }
};

/// strided: the first items add, at indices twice the stride apart, which share memory banks.
struct Strided {
  template <class T>
  KOKKOS_FUNCTION void operator()(const Member& team, const Scratch<T>& partial) const {
#pragma unroll 1
    for (int stride = 1; stride < threads; stride *= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, threads), [&](int id) {
        const int index = 2 * stride * id;
        if (index < threads) partial(index) += partial(index + stride);
      });
      team.team_barrier();
    }
  }
};

/// sequential: the first items add, at neighbouring indices. first_add is the same after two
/// numbers an item.
struct Sequential {
  template <class T>
  KOKKOS_FUNCTION void operator()(const Member& team, const Scratch<T>& partial) const {
#pragma unroll 1
    for (int stride = threads / 2; stride > 0; stride /= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, threads), [&](int id) {
        if (id < stride) partial(id) += partial(id + stride);
      });
      team.team_barrier();
    }
  }
};

/// warp_finish: four numbers an item; the tree ends at 64 values, which the 32 lanes of one thread
/// reduce without barriers.
template <class T>
void warp_finish(const Space& space, int teams, int team_size, Vector<const T> in, Vector<T> out) {
  Teams<> policy(space, teams, team_size, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch<T>::shmem_size(threads)));
  Kokkos::parallel_for(
      "sum::book::warp_finish", policy, KOKKOS_LAMBDA(const Member& team) {
        constexpr int items = threads;
        const Scratch<T> partial(team.team_scratch(0), items);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, items),
                             [&](int id) { load<4>(team, in, partial, id); });
        team.team_barrier();
        for (int stride = threads / 2; stride > 32; stride /= 2) {
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, stride),
                               [&](int id) { partial(id) += partial(id + stride); });
          team.team_barrier();
        }
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, 1), [&](int) {
          T sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, 0, 32),
              [&](int lane, T& mine) { mine += partial(lane) + partial(lane + 32); }, sum);
          Kokkos::single(Kokkos::PerThread(team), [&] { out(team.league_rank()) = sum; });
        });
      });
}

/// Numbers that are loaded and stored as one.
template <class T, int bytes>
struct alignas(bytes) Pack {
  static constexpr int length = bytes / static_cast<int>(sizeof(T));
  T at[length];
};

/// The team's sum. A tile has `rows` packs an item, all in flight together. Teams of a GPU take
/// turns over the tiles; on a host a team is one item, and takes a stretch. The last team takes the
/// numbers past the last pack, too.
template <int items, class T, int bytes>
KOKKOS_INLINE_FUNCTION T team_sum(const Member& team, const Vector<const T>& in,
                                  const Vector<const Pack<T, bytes>>& packs, int rows) {
  constexpr int loads = 8, sets = items == 1 ? loads : 2, length = Pack<T, bytes>::length;
  const std::size_t teams = team.league_size(), rank = team.league_rank();
  const std::size_t all = packs.extent(0), size = static_cast<std::size_t>(rows) * items;
  const std::size_t tiles = (all + size - 1) / size;
  const bool stretch = items == 1;
  const std::size_t first = stretch ? tiles * rank / teams : rank;
  const std::size_t end = stretch ? tiles * (rank + 1) / teams : tiles;
  T sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(team, 0, items),
      [&](int id, T& mine) {
        T sums[sets * length] = {};
        for (std::size_t tile = first; tile < end; tile += stretch ? 1 : teams) {
          const std::size_t from = tile * size + id;
          Pack<T, bytes> loaded[loads] = {};
          if (rows == loads && (tile + 1) * size <= all) {
            for (int k = 0; k < loads; ++k) loaded[k] = packs(from + k * items);
          } else {
            for (int k = 0; k < loads; ++k) {
              if (k < rows && from + k * items < all) loaded[k] = packs(from + k * items);
            }
          }
          for (int k = 0; k < loads; ++k) {
            for (int j = 0; j < length; ++j) sums[k % sets * length + j] += loaded[k].at[j];
          }
        }
        if (rank + 1 == teams) {
          for (std::size_t i = all * length + id; i < in.extent(0); i += items) mine += in(i);
        }
        mine += add_in_pairs(sums);
      },
      sum);
  return sum;
}

/// wide_loads: a fixed number of teams, whose items read packs. Each team leaves its sum or
/// (atomic_blocks, locked_blocks) adds it to the total, under a lock that is 0 while it is free.
template <int items, End end = End::store, class T, int bytes>
void wide_loads(const Space& space, int teams, int team_size, int lanes, int rows,
                Vector<const T> in, Vector<const Pack<T, bytes>> packs, Vector<T> out,
                Scalar<unsigned> lock = Scalar<unsigned>()) {
  if (end != End::store) Kokkos::deep_copy(space, out, T(0));
  Kokkos::parallel_for(
      "sum::book::wide_loads", Teams<4>(space, teams, team_size, lanes),
      KOKKOS_LAMBDA(const Member& team) {
        const T sum = team_sum<items>(team, in, packs, rows);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          if (end == End::store) {
            out(team.league_rank()) = sum;
          } else if (end == End::atomic) {
            Kokkos::atomic_add(&out(0), sum);
          } else {
            while (Kokkos::atomic_compare_exchange(&lock(), 0u, 1u) != 0) continue;
            Kokkos::memory_fence();  // the total is read after the lock is taken
            out(0) += sum;
            Kokkos::memory_fence();  // and is there before the lock is free
            Kokkos::atomic_exchange(&lock(), 0u);
          }
        });
      });
}

/// single_pass: the team that takes the last ticket adds the sums of all teams, and sets the ticket
/// back (NVIDIA's sample threadFenceReduction).
template <int items, class T, int bytes>
void single_pass(const Space& space, int teams, int team_size, int lanes, int rows,
                 Vector<const T> in, Vector<const Pack<T, bytes>> packs, Vector<T> partials,
                 Scalar<unsigned> arrived, Scalar<T> out) {
  Kokkos::parallel_for(
      "sum::book::single_pass", Teams<4>(space, teams, team_size, lanes),
      KOKKOS_LAMBDA(const Member& team) {
        const T sum = team_sum<items>(team, in, packs, rows);
        int last = 0;
        Kokkos::single(
            Kokkos::PerTeam(team),
            [&](int& took_last) {
              partials(team.league_rank()) = sum;
              Kokkos::memory_fence();  // the sum is there before the ticket says so
              took_last = Kokkos::atomic_fetch_add(&arrived(), 1u) ==
                          static_cast<unsigned>(team.league_size()) - 1;
              Kokkos::memory_fence();  // and sums are read after the ticket has said so
            },
            last);
        if (last == 0) return;
        T total = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, 0, team.league_size()),
            [&](int i, T& mine) { mine += partials(i); }, total);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          out() = total;
          Kokkos::atomic_exchange(&arrived(), 0u);
        });
      });
}

/// stretches (hosts): a team a stretch of the numbers, and a reduction over the league.
template <class T>
void stretches(const Space& space, int team_size, std::size_t stretch, Vector<const T> in,
               Scalar<T> out) {
  const std::size_t n = in.extent(0);
  Kokkos::parallel_reduce(
      "sum::book::stretches",
      Teams<>(space, static_cast<int>((n + stretch - 1) / stretch), team_size, 1),
      KOKKOS_LAMBDA(const Member& team, T& total) {
        const std::size_t begin = stretch * static_cast<std::size_t>(team.league_rank());
        const std::size_t end = n - begin < stretch ? n : begin + stretch;
        T sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, begin, end),
            [&](std::size_t i, T& mine) { mine += in(i); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { total += sum; });
      },
      out);
}

}  // namespace portcost::sum::book
