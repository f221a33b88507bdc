// SPDX-License-Identifier: Apache-2.0
// scan by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A team scans a tile in
// scratch: a thread of the team has 32 rows, a vector lane one row.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "variants/scan/rule.hpp"

namespace portcost::scan::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
// Five teams a multiprocessor would leave a lane 48 registers; nvcc then spills.
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, 4>>;
using Member = Teams::member_type;
inline constexpr int lanes = 32;  // of a thread of a team
// Scratch has level 1 on hosts, whose level 0 holds 32 KiB in Kokkos 5.
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

template <class T>
using Vector = Kokkos::View<T*, Space, Unmanaged>;
template <class T>
using Scratch = Kokkos::View<T*, Space::scratch_memory_space, Unmanaged>;

/// Numbers that are loaded and stored as one.
template <class T, int bytes>
struct alignas(bytes) Pack {
  static constexpr int length = bytes / static_cast<int>(sizeof(T));
  T at[length];
};

/// `count` numbers at an address aligned to `bytes`, read as numbers or as packs. Reads past the
/// end give 0, writes past the end are dropped.
template <class T, int bytes>
struct Numbers {
  using Plain = Pack<std::remove_const_t<T>, bytes>;
  using Wide = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
  Vector<T> one;
  Vector<Wide> packs;

  Numbers(T* memory, std::size_t count)
      : one(memory, count), packs(reinterpret_cast<Wide*>(memory), count / Plain::length) {}

  KOKKOS_FUNCTION Plain pack(std::size_t at) const {
    if (at < packs.extent(0)) return packs(at);
    Plain result;
    for (int j = 0; j < Plain::length; ++j) {
      const std::size_t i = at * Plain::length + static_cast<std::size_t>(j);
      result.at[j] = i < one.extent(0) ? one(i) : 0;
    }
    return result;
  }
  KOKKOS_FUNCTION void put(std::size_t at, const Plain& pack) const {
    if (at < packs.extent(0)) {
      packs(at) = pack;
    } else {
      for (int j = 0; j < Plain::length; ++j) {
        const std::size_t i = at * Plain::length + static_cast<std::size_t>(j);
        if (i < one.extent(0)) one(i) = pack.at[j];
      }
    }
  }
};

/// A tile of `rows` rows of `columns` packs in a team's scratch. A thread of the team has a group
/// of rows, a lane one row. An odd pitch avoids bank conflicts between lanes.
template <class T, int rows, int columns, int bytes>
struct Tile {
  using Wide = Pack<T, bytes>;
  using Rows = Kokkos::View<Wide * [columns | 1], Kokkos::LayoutRight, Space::scratch_memory_space,
                            Unmanaged>;
  static constexpr int packs = rows * columns, size = packs * Wide::length, groups = rows / lanes;
  Rows at;
  Scratch<T> sums;  // of the groups

  static std::size_t scratch() { return Rows::shmem_size(rows) + Scratch<T>::shmem_size(groups); }
  KOKKOS_FUNCTION explicit Tile(const Member& team)
      : at(team.team_scratch(on_host ? 1 : 0), rows),
        sums(team.team_scratch(on_host ? 1 : 0), groups) {}

  /// The j-th pack that a lane loads and stores: neighbouring lanes have neighbouring packs.
  KOKKOS_FUNCTION static std::size_t pack_of(int group, int j, int lane) {
    return static_cast<std::size_t>((group * columns + j) * lanes + lane);
  }
  KOKKOS_FUNCTION Wide& pack_at(int group, int j, int lane) const {
    static_assert(lanes % columns == 0);
    return at(group * lanes + j * (lanes / columns) + lane / columns, lane % columns);
  }
  /// Loads numbers from `first` on, and adds up each group; numbers past the end are 0.
  template <class Of>
  KOKKOS_FUNCTION void load(const Member& team, const Numbers<Of, bytes>& in,
                            std::size_t first) const {
    const std::size_t begin = first / Wide::length;
    const bool full = begin + packs <= in.packs.extent(0);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, groups), [&](int group) {
      T of_group = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, lanes),
          [&](int lane, T& sum) {
            Wide loaded[columns];  // all loads are in flight
            const auto load_by = [&](const auto& pack) {
#pragma unroll
              for (int j = 0; j < columns; ++j) {
                loaded[j] = pack(begin + pack_of(group, j, lane));
              }
            };
            if (full) {
              load_by(in.packs);
            } else {
              load_by([&](std::size_t pack) { return in.pack(pack); });
            }
#pragma unroll
            for (int j = 0; j < columns; ++j) {
              pack_at(group, j, lane) = loaded[j];
              for (const T& number : loaded[j].at) sum += number;
            }
          },
          of_group);
      Kokkos::single(Kokkos::PerThread(team), [&] { sums(group) = of_group; });
    });
    team.team_barrier();
  }
  /// The sum of the groups before `end`.
  KOKKOS_FUNCTION T sum_before(int end) const {
    T sum = 0;
    for (int group = 0; group < end; ++group) sum += sums(group);
    return sum;
  }
  /// Scans the tile. A barrier must follow.
  KOKKOS_FUNCTION void scan(const Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, groups), [&](int group) {
      const T before = sum_before(group);
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, lanes),
                            [&](int lane, T& sum, bool final) {
                              const int row = group * lanes + lane;
                              if (lane == 0) sum += before;
                              for (int k = 0; k < columns; ++k) {
                                Wide pack = at(row, k);
                                for (T& number : pack.at) number = sum += number;
                                if (final) at(row, k) = pack;
                              }
                            });
    });
  }
  /// Stores the tile with `base` added.
  KOKKOS_FUNCTION void store(const Member& team, const Numbers<T, bytes>& out, std::size_t first,
                             T base) const {
    const std::size_t begin = first / Wide::length;
    const bool full = begin + packs <= out.packs.extent(0);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, groups), [&](int group) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
        const auto store_by = [&](const auto& put) {
#pragma unroll
          for (int j = 0; j < columns; ++j) {
            Wide pack = pack_at(group, j, lane);
            for (T& number : pack.at) number += base;
            put(begin + pack_of(group, j, lane), pack);
          }
        };
        if (full) {
          store_by([&](std::size_t to, const Wide& pack) { out.packs(to) = pack; });
        } else {
          store_by([&](std::size_t to, const Wide& pack) { out.put(to, pack); });
        }
      });
    });
  }
};

/// Teams with a tile each in scratch, and `extra_bytes`.
template <class Tile>
Teams teams_of(const Space& space, int teams, int team_size, std::size_t extra_bytes = 0) {
  Teams policy(space, teams, team_size, lanes);
  policy.set_scratch_size(on_host ? 1 : 0, Kokkos::PerTeam(Tile::scratch() + extra_bytes));
  return policy;
}

/// Writes the sum of each tile to `totals`.
template <class Tile, class T, int bytes>
void add_tiles(const Space& space, int team_size, Numbers<const T, bytes> in, Vector<T> totals) {
  Kokkos::parallel_for(
      "scan::book::add_tiles", Teams(space, static_cast<int>(totals.extent(0)), team_size, lanes),
      KOKKOS_LAMBDA(const Member& team) {
        constexpr int packs = Tile::packs;
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * packs;
        T total = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, 0, packs),
            [&](int p, T& sum) {
              const auto pack = in.pack(first + static_cast<std::size_t>(p));
              for (const T& number : pack.at) sum += number;
            },
            total);
        Kokkos::single(Kokkos::PerTeam(team), [&] { totals(team.league_rank()) = total; });
      });
}

/// Scans each tile, starting from the sum of all earlier tiles.
template <class Tile, class T, int bytes>
void scan_tiles(const Space& space, int team_size, Numbers<const T, bytes> in,
                Numbers<T, bytes> out, Vector<T> totals) {
  Kokkos::parallel_for(
      "scan::book::scan_tiles",
      teams_of<Tile>(space, static_cast<int>(totals.extent(0)), team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const Tile tile(team);
        const int rank = team.league_rank();
        const std::size_t first = std::size_t{Tile::size} * static_cast<std::size_t>(rank);
        tile.load(team, in, first);
        tile.scan(team);
        team.team_barrier();
        tile.store(team, out, first, rank > 0 ? totals(rank - 1) : T(0));
      });
}

/// Scans the totals in place with one team, tile by tile.
template <class Tile, class T, int bytes>
void scan_totals(const Space& space, int team_size, Numbers<T, bytes> totals) {
  Kokkos::parallel_for(
      "scan::book::scan_totals", teams_of<Tile>(space, 1, team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const Tile tile(team);
        T before = 0;
        for (std::size_t first = 0; first < totals.one.extent(0); first += Tile::size) {
          tile.load(team, totals, first);
          tile.scan(team);
          team.team_barrier();
          tile.store(team, totals, first, before);
          before += tile.sum_before(Tile::groups);
          team.team_barrier();
        }
      });
}

/// What teams publish to each other: `states` has State<T>::words words a tile.
struct Published {
  using Counter = Kokkos::View<unsigned, Space, Unmanaged>;
  Vector<std::uint64_t> states;
  Counter ticket, runs;

  template <class T>
  KOKKOS_FUNCTION void put(int tile, T sum, std::uint32_t flag) const {
    const State<T> state = State<T>::of(sum, flag);
    for (int i = 0; i < State<T>::words; ++i) {
      Kokkos::atomic_exchange(&states(static_cast<std::size_t>(tile) * State<T>::words + i),
                              state.word[i]);
    }
  }
  /// Spins until `tile` has published one of the two stages. atomic_fetch_add of 0: Kokkos before
  /// 4.1 has no atomic_load.
  template <class T>
  KOKKOS_FUNCTION State<T> get(int tile, std::uint32_t own, std::uint32_t whole) const {
    State<T> state;
    do {
      for (int i = 0; i < State<T>::words; ++i) {
        state.word[i] = Kokkos::atomic_fetch_add(
            &states(static_cast<std::size_t>(tile) * State<T>::words + i), std::uint64_t{0});
      }
    } while (!state.has(own) && !state.has(whole));
    return state;
  }
};

/// The sum of all numbers before `tile`, by the lanes of a thread: a window of earlier tiles at a
/// time, the nearest first, up to the first tile that has published the whole sum. For each place
/// in the window there is a sum over the earlier windows, and the number that this window may add
/// to it.
template <int window, class T>
KOKKOS_FUNCTION T look_back(const Member& team, const Published& published, int tile, unsigned run,
                            const Scratch<T>& sums, const Scratch<T>& next) {
  const std::uint32_t own = flag_of(run, Stage::own), whole = flag_of(run, Stage::whole);
  int end = window;  // the place of the nearest whole sum; `window`: none in it, or no window yet
  for (int nearest = tile - 1; end == window; nearest -= window) {
    const bool first = nearest == tile - 1;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, window),
        [&](int at, int& least) {
          const int earlier = nearest - at;  // before the first tile: 0
          const State<T> state =
              earlier < 0 ? State<T>::of(T(0), whole) : published.get<T>(earlier, own, whole);
          sums(at) = first ? T(0) : sums(at) + next(at);
          next(at) = state.sum();
          if (at < least && state.has(whole)) least = at;
        },
        Kokkos::Min<int>(end));
    if (end > window) end = window;  // none
  }
  T sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, window),
      [&](int at, T& partial) {
        partial += sums(at);
        if (at <= end) partial += next(at);
      },
      sum);
  return sum;
}

/// One pass over memory. Teams draw tiles in order, so that a team waits only for teams that have
/// started. The last tile's team resets the ticket and counts the run.
template <int window, class Tile, class T, int bytes>
void one_pass(const Space& space, int team_size, int tiles, Numbers<const T, bytes> in,
              Numbers<T, bytes> out, Published published) {
  const std::size_t extra_bytes = Scratch<T>::shmem_size(window) +
                                  Scratch<T>::shmem_size(window + 1) +
                                  Scratch<unsigned>::shmem_size(2);
  Kokkos::parallel_for(
      "scan::book::look_back", teams_of<Tile>(space, tiles, team_size, extra_bytes),
      KOKKOS_LAMBDA(const Member& team) {
        const Tile tile(team);
        const Scratch<T> sums(team.team_scratch(on_host ? 1 : 0), window),
            next(team.team_scratch(on_host ? 1 : 0), window + 1);
        const Scratch<unsigned> drawn(team.team_scratch(on_host ? 1 : 0), 2);
        T& base = next(window);  // the sum before the tile
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          base = 0;
          drawn(0) = tiles > 1 ? Kokkos::atomic_fetch_add(&published.ticket(), 1u) : 0;
          drawn(1) = tiles > 1 ? Kokkos::atomic_fetch_add(&published.runs(), 0u) : 0;
        });
        team.team_barrier();
        const int index = static_cast<int>(drawn(0));
        const unsigned run = drawn(1);
        const std::size_t first = std::size_t{Tile::size} * static_cast<std::size_t>(index);
        tile.load(team, in, first);
        // Before the scan, because other teams wait for the sum. Thread 0 publishes both sums.
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, index > 0 ? 1 : 0), [&](int) {
          Kokkos::single(Kokkos::PerThread(team), [&] {
            published.put(index, tile.sum_before(Tile::groups), flag_of(run, Stage::own));
          });
        });
        tile.scan(team);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, tiles > 1 ? 1 : 0), [&](int) {
          const T before = look_back<window>(team, published, index, run, sums, next);
          Kokkos::single(Kokkos::PerThread(team), [&] {
            base = before;
            published.put(index, before + tile.sum_before(Tile::groups),
                          flag_of(run, Stage::whole));
            if (index == tiles - 1) {  // all others have drawn, and read the number of runs
              Kokkos::atomic_exchange(&published.ticket(), 0u);
              Kokkos::atomic_exchange(&published.runs(), run + 1);
            }
          });
        });
        team.team_barrier();
        tile.store(team, out, first, base);
      });
}

}  // namespace portcost::scan::book
