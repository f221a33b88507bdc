// SPDX-License-Identifier: Apache-2.0
// scan by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A team scans a tile in
// scratch.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "variants/scan/rule.hpp"

namespace portcost::scan::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, 4>>;
using Member = Teams::member_type;

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

/// `count` numbers from an address that is a multiple of `bytes` on, also as full packs.
template <class T, int bytes>
struct Numbers {
  using Plain = Pack<std::remove_const_t<T>, bytes>;
  using Wide = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
  Vector<T> one;
  Vector<Wide> packs;

  Numbers(T* memory, std::size_t count)
      : one(memory, count), packs(reinterpret_cast<Wide*>(memory), count / Plain::length) {}
};

/// A tile of `rows` rows of `items` numbers in a team's scratch. An additional column keeps rows
/// from sharing memory banks.
template <class T, int rows, int items>
struct Tile {
  using Rows =
      Kokkos::View<T * [items + 1], Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;
  static constexpr int size = rows * items;
  Rows at;

  static std::size_t bytes() { return Rows::shmem_size(rows); }
  KOKKOS_FUNCTION explicit Tile(const Member& team) : at(team.team_scratch(0), rows) {}
  KOKKOS_INLINE_FUNCTION T& operator()(int i) const { return at(i / items, i % items); }
  /// The sum of the tile, once it is scanned.
  KOKKOS_INLINE_FUNCTION T total() const { return at(rows - 1, items - 1); }

  /// Loads numbers from `first` on; numbers past the end are 0.
  template <class Of, int bytes>
  KOKKOS_FUNCTION void load(const Member& team, const Numbers<Of, bytes>& in,
                            std::size_t first) const {
    constexpr int length = Pack<T, bytes>::length;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, size / length), [&](int p) {
      const std::size_t pack = first / length + static_cast<std::size_t>(p), i = pack * length;
      if (pack < in.packs.extent(0)) {
        const auto loaded = in.packs(pack);
        for (int j = 0; j < length; ++j) (*this)(p * length + j) = loaded.at[j];
      } else {
        for (int j = 0; j < length; ++j) {
          (*this)(p * length + j) = i + j < in.one.extent(0) ? in.one(i + j) : T(0);
        }
      }
    });
    team.team_barrier();
  }
  /// Each row is an iteration of a scan over the team.
  KOKKOS_FUNCTION void scan(const Member& team) const {
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, 0, rows), [&](int row, T& sum, bool final) {
      for (int k = 0; k < items; ++k) {
        sum += at(row, k);
        if (final) at(row, k) = sum;
      }
    });
    team.team_barrier();
  }
  /// Stores the tile with `base` added.
  template <int bytes>
  KOKKOS_FUNCTION void store(const Member& team, const Numbers<T, bytes>& out, std::size_t first,
                             T base) const {
    constexpr int length = Pack<T, bytes>::length;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, size / length), [&](int p) {
      const std::size_t pack = first / length + static_cast<std::size_t>(p), i = pack * length;
      Pack<T, bytes> stored;
      for (int j = 0; j < length; ++j) stored.at[j] = base + (*this)(p * length + j);
      if (pack < out.packs.extent(0)) {
        out.packs(pack) = stored;
      } else {
        for (int j = 0; j < length; ++j) {
          if (i + j < out.one.extent(0)) out.one(i + j) = stored.at[j];
        }
      }
    });
  }
};

/// Teams with a tile each in scratch, and `more` bytes.
template <class Tile>
Teams teams_of(const Space& space, int teams, int team_size, std::size_t more = 0) {
  Teams policy(space, teams, team_size, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Tile::bytes() + more));
  return policy;
}

/// Leaves each tile's total.
template <int rows, int items, class T, int bytes>
void add_tiles(const Space& space, int team_size, Numbers<const T, bytes> in, Vector<T> totals) {
  constexpr int length = Pack<T, bytes>::length, packs = rows * items / length;
  Kokkos::parallel_for(
      "scan::book::add_tiles", Teams(space, static_cast<int>(totals.extent(0)), team_size, 1),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * packs;
        T total = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, 0, packs),
            [&](int p, T& sum) {
              const std::size_t pack = first + static_cast<std::size_t>(p);
              if (pack < in.packs.extent(0)) {
                const auto loaded = in.packs(pack);
                for (int j = 0; j < length; ++j) sum += loaded.at[j];
              } else {
                for (std::size_t i = pack * length; i < (pack + 1) * length; ++i) {
                  if (i < in.one.extent(0)) sum += in.one(i);
                }
              }
            },
            total);
        Kokkos::single(Kokkos::PerTeam(team), [&] { totals(team.league_rank()) = total; });
      });
}

/// Scans each tile: from the total before it; or by itself, and leaves the tile's total.
template <int rows, int items, bool from_totals, class T, int bytes>
void scan_tiles(const Space& space, int team_size, Numbers<const T, bytes> in,
                Numbers<T, bytes> out, Vector<T> totals) {
  using Mine = Tile<T, rows, items>;
  Kokkos::parallel_for(
      "scan::book::scan_tiles",
      teams_of<Mine>(space, static_cast<int>(totals.extent(0)), team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const Mine tile(team);
        const int rank = team.league_rank();
        const std::size_t first = std::size_t{Mine::size} * static_cast<std::size_t>(rank);
        tile.load(team, in, first);
        tile.scan(team);
        tile.store(team, out, first, from_totals && rank > 0 ? totals(rank - 1) : T(0));
        if (!from_totals) {
          Kokkos::single(Kokkos::PerTeam(team), [&] { totals(rank) = tile.total(); });
        }
      });
}

/// Scans the totals: one team, tile by tile.
template <int rows, int items, class T, int bytes>
void scan_totals(const Space& space, int team_size, Numbers<T, bytes> totals) {
  using Mine = Tile<T, rows, items>;
  Kokkos::parallel_for(
      "scan::book::scan_totals", teams_of<Mine>(space, 1, team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const Mine tile(team);
        T before = 0;
        for (std::size_t first = 0; first < totals.one.extent(0); first += Mine::size) {
          tile.load(team, totals, first);
          tile.scan(team);
          tile.store(team, totals, first, before);
          before += tile.total();
          team.team_barrier();
        }
      });
}

/// Adds to each tile but the first the total before it.
template <int rows, int items, class T, int bytes>
void add_totals(const Space& space, int team_size, Numbers<T, bytes> out, Vector<const T> totals) {
  constexpr int length = Pack<T, bytes>::length, packs = rows * items / length;
  Kokkos::parallel_for(
      "scan::book::add_totals", Teams(space, static_cast<int>(totals.extent(0)) - 1, team_size, 1),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = (static_cast<std::size_t>(team.league_rank()) + 1) * packs;
        const T add = totals(team.league_rank());
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, packs), [&](int p) {
          const std::size_t pack = first + static_cast<std::size_t>(p);
          if (pack < out.packs.extent(0)) {
            auto loaded = out.packs(pack);
            for (int j = 0; j < length; ++j) loaded.at[j] += add;
            out.packs(pack) = loaded;
          } else {
            for (std::size_t i = pack * length; i < (pack + 1) * length; ++i) {
              if (i < out.one.extent(0)) out.one(i) += add;
            }
          }
        });
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

/// The sum of all numbers before `tile`: a window of earlier tiles at a time, the nearest first, up
/// to the first tile that has published the whole sum. `found` holds `window` sums.
template <int window, class T>
KOKKOS_FUNCTION T look_back(const Member& team, const Published& published, int tile, unsigned run,
                            const Scratch<T>& found) {
  const std::uint32_t own = flag_of(run, Stage::own), whole = flag_of(run, Stage::whole);
  T sum = 0;
  for (int left = tile; left > 0; left -= window) {
    const int count = left < window ? left : window;
    int end = 0;  // the nearest of the window that has the whole sum
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, 0, count),
        [&](int at, int& least) {
          const auto state = published.get<T>(left - 1 - at, own, whole);
          found(at) = state.sum();
          if (at < least && state.has(whole)) least = at;
        },
        Kokkos::Min<int>(end));
    team.team_barrier();
    T of_window = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, 0, count),
        [&](int at, T& mine) {
          if (at <= end) mine += found(at);
        },
        of_window);
    sum += of_window;
    if (end < count) break;
    team.team_barrier();
  }
  return sum;
}

/// One pass over memory. Teams draw tiles in order, so that a team waits only for teams that have
/// started. The last tile's team resets the ticket and counts the run.
template <int rows, int items, int window, class T, int bytes>
void one_pass(const Space& space, int team_size, int tiles, Numbers<const T, bytes> in,
              Numbers<T, bytes> out, Published published) {
  using Mine = Tile<T, rows, items>;
  const std::size_t more = Scratch<T>::shmem_size(window) + Scratch<unsigned>::shmem_size(2);
  Kokkos::parallel_for(
      "scan::book::look_back", teams_of<Mine>(space, tiles, team_size, more),
      KOKKOS_LAMBDA(const Member& team) {
        const Mine tile(team);
        const Scratch<T> found(team.team_scratch(0), window);
        const Scratch<unsigned> drawn(team.team_scratch(0), 2);
        if (tiles > 1) {
          Kokkos::single(Kokkos::PerTeam(team), [&] {
            drawn(0) = Kokkos::atomic_fetch_add(&published.ticket(), 1u);
            drawn(1) = Kokkos::atomic_fetch_add(&published.runs(), 0u);
          });
          team.team_barrier();
        }
        const int mine = tiles > 1 ? static_cast<int>(drawn(0)) : 0;
        const std::size_t first = std::size_t{Mine::size} * static_cast<std::size_t>(mine);
        tile.load(team, in, first);
        tile.scan(team);
        T before = 0;
        if (tiles > 1) {
          const unsigned run = drawn(1);
          const T own = tile.total();
          if (mine > 0) {
            Kokkos::single(Kokkos::PerTeam(team),
                           [&] { published.put(mine, own, flag_of(run, Stage::own)); });
            before = look_back<window>(team, published, mine, run, found);
          }
          Kokkos::single(Kokkos::PerTeam(team), [&] {
            published.put(mine, before + own, flag_of(run, Stage::whole));
            if (mine == tiles - 1) {  // all others have drawn
              Kokkos::atomic_exchange(&published.ticket(), 0u);
              Kokkos::atomic_exchange(&published.runs(), run + 1);
            }
          });
        }
        tile.store(team, out, first, before);
      });
}

}  // namespace portcost::scan::book
