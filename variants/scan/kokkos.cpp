// SPDX-License-Identifier: Apache-2.0
// Portable variants. A team stages a tile in scratch, where each lane scans one row. On a host one
// lane scans the tile from `in` to `out`, without scratch.
#include "variants/scan/bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::scan {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);
constexpr unsigned lanes = shape.lanes, warps = shape.warps, threads = shape.threads();
constexpr bool one_item = threads == 1;
using On = Teams<static_cast<int>(warps), static_cast<int>(shape.teams)>;
using Member = On::Member;
using Index = On::Index;
template <class T>
using Wide = Pack<T, kokkos_shapes>;
template <class T>
inline constexpr unsigned size = tile_size<T, kokkos_shapes>;

// A team's scratch.
template <class T>
struct Room {
  static constexpr unsigned of_tile = threads * pitch<kokkos_shapes> * pack_width<T, kokkos_shapes>;
  static constexpr unsigned of_base = 1, of_drawn = 2;
  static constexpr int elements = static_cast<int>(of_tile + warps + of_base + of_drawn);
  static constexpr int bytes = one_item ? 0 : scratch_bytes<T>(elements + aligned_extra<T, 16>);

  KOKKOS_INLINE_FUNCTION explicit Room(const Member& team)
      : tile(reinterpret_cast<Wide<T>*>(aligned_scratch<On, T, 16>(team, elements))),
        sums(reinterpret_cast<T*>(tile) + of_tile),
        base(sums + warps),
        drawn(reinterpret_cast<unsigned*>(base + of_base)) {}

  Wide<T>* tile;
  T* sums;          // of each thread's rows
  T* base;          // the sum of all earlier tiles
  unsigned* drawn;  // a tile, and the number of the run
};

// f(thread, lane) for each of the team's items.
KOKKOS_INLINE_FUNCTION void for_items(const Member& team, const auto& f) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index id) {
    f(static_cast<unsigned>(id) / lanes, static_cast<unsigned>(id) % lanes);
  });
}
// f() by the team's first thread, with all its lanes.
KOKKOS_INLINE_FUNCTION void for_first(const Member& team, const auto& f) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{1}), [&](Index) { f(); });
}

// Loads a tile to scratch, and leaves the sum of each thread's rows, with a barrier after.
template <class T>
KOKKOS_INLINE_FUNCTION void load_tile(const Member& team, const Room<T>& room, const T* in,
                                      std::uint64_t count) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{warps}), [&](Index index) {
    const auto thread = static_cast<unsigned>(index);
    T sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{lanes}),
        [&](Index lane, T& into) {
          into += stage_packs(in, count, thread, static_cast<unsigned>(lane), room.tile);
        },
        sum);
    Kokkos::single(Kokkos::PerThread(team), [&] { room.sums[thread] = sum; });
  });
  team.team_barrier();
}

// The sum of the rows of the threads before `end`.
template <class T>
KOKKOS_INLINE_FUNCTION T add_threads(const T* sums, unsigned end) {
  T result = 0;
#pragma unroll
  for (unsigned thread = 0; thread < warps; ++thread) {
    if (thread < end) result += sums[thread];
  }
  return result;
}

// Scans the tile. Then the first thread calls f() with all its lanes; a barrier follows.
template <class T>
KOKKOS_INLINE_FUNCTION void scan_rows(const Member& team, const Room<T>& room, const auto& f) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{warps}), [&](Index index) {
    const auto thread = static_cast<unsigned>(index);
    Wide<T>* const rows = room.tile + thread * (lanes * pitch<kokkos_shapes>);
    const T before = add_threads(room.sums, thread);
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, Index{lanes}),
                          [&](Index lane, T& sum, bool final) {
                            if (lane == 0) sum += before;
                            const auto row = static_cast<unsigned>(lane);
                            scan_row(rows + row * pitch<kokkos_shapes>, sum, final);
                          });
  });
  for_first(team, f);
  team.team_barrier();
}
template <class T>
KOKKOS_INLINE_FUNCTION void scan_rows(const Member& team, const Room<T>& room) {
  scan_rows(team, room, [] {});
}

// Stores a scanned tile, `base` added.
template <class T>
KOKKOS_INLINE_FUNCTION void store(const Member& team, const Room<T>& room, T* out,
                                  std::uint64_t count, T base) {
  for_items(team, [&](unsigned thread, unsigned lane) {
    store_packs(room.tile, out, count, thread, lane, base);
  });
}

// The numbers in a tile, where `left` numbers remain.
template <class T>
KOKKOS_INLINE_FUNCTION std::uint64_t numbers_of(std::uint64_t left) {
  return compat::min(left, std::uint64_t{size<T>});
}

// Inclusive scan of `count` numbers, starting from `sum`, by one thread. g++ vectorises a scan only
// with OpenMP's inscan.
template <class T>
KOKKOS_INLINE_FUNCTION void scan_on(const T* in, T* out, std::uint64_t count, T sum) {
#if defined(_OPENMP) && !defined(__CUDACC__)
#pragma omp simd reduction(inscan, + : sum)
  for (std::uint64_t i = 0; i < count; ++i) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
#else
  for (std::uint64_t i = 0; i < count; ++i) out[i] = sum += in[i];
#endif
}
template <class T>
KOKKOS_INLINE_FUNCTION T add_up(const Member& team, const T* in, std::uint64_t count) {
  T sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, static_cast<Index>(count)),
      [&](Index i, T& into) { into += in[i]; }, sum);
  return sum;
}

// Writes the sum of each tile to `totals`.
template <class T>
struct AddTiles {
  Sequence<T> s;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    const unsigned tile = team.league_rank();
    const std::uint64_t first = std::uint64_t{tile} * size<T>;
    T total = 0;
    if constexpr (one_item) {
      for_first(team,
                [&] { s.totals[tile] = add_up(team, s.in + first, numbers_of<T>(s.n - first)); });
    } else {
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, Index{threads}),
          [&](Index id, T& sum) {
            const auto item = static_cast<unsigned>(id);
            Wide<T> loaded[shape.packs];
            load_packs(s.in + first, s.n - first, item / lanes, item % lanes, loaded);
            sum += sum_of(loaded);
          },
          total);
      Kokkos::single(Kokkos::PerTeam(team), [&] { s.totals[tile] = total; });
    }
  }
};

// Scans each tile, starting from the sum of all earlier tiles.
template <class T>
struct ScanTiles {
  Sequence<T> s;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    const unsigned tile = team.league_rank();
    const std::uint64_t first = std::uint64_t{tile} * size<T>;
    const T base = tile > 0 ? s.totals[tile - 1] : T(0);
    if constexpr (one_item) {
      for_first(team,
                [&] { scan_on(s.in + first, s.out + first, numbers_of<T>(s.n - first), base); });
    } else {
      const Room<T> room(team);
      load_tile(team, room, s.in + first, s.n - first);
      scan_rows(team, room);
      store(team, room, s.out + first, s.n - first, base);
    }
  }
};

// Scans the totals in place with one team, tile by tile.
template <class T>
struct ScanTotals {
  T* totals;
  std::uint64_t count;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    if constexpr (one_item) {
      for_first(team, [&] { scan_on(totals, totals, count, T(0)); });
    } else {
      const Room<T> room(team);
      T before = 0;
      for (std::uint64_t first = 0; first < count; first += size<T>) {
        load_tile(team, room, totals + first, count - first);
        scan_rows(team, room);
        store(team, room, totals + first, count - first, before);
        before += add_threads(room.sums, warps);
        team.team_barrier();
      }
    }
  }
};

// One pass over memory. Teams draw tiles in order, so that a team waits only for teams that have
// started; the last tile's team sets the ticket back. One tile alone needs no ticket.
template <class T>
struct LookBack {
  Sequence<T> s;
  unsigned tiles;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    if constexpr (one_item) {
      for_first(team, [&] {
        unsigned drawn[2] = {};
        T before = 0;
        if (tiles > 1) draw(drawn);
        const std::uint64_t first = std::uint64_t{drawn[ticket]} * size<T>;
        const std::uint64_t count = numbers_of<T>(s.n - first);
        if (tiles > 1) {
          const T own = add_up(team, s.in + first, count);
          announce(team, drawn, own);
          before = look_back_and_publish(team, drawn, own);
        }
        scan_on(s.in + first, s.out + first, count, before);
      });
    } else {
      const Room<T> room(team);
      unsigned tile = 0;
      if (tiles > 1) {
        Kokkos::single(Kokkos::PerTeam(team), [&] { draw(room.drawn); });
        team.team_barrier();
        tile = room.drawn[ticket];
      }
      const std::uint64_t first = std::uint64_t{tile} * size<T>;
      load_tile(team, room, s.in + first, s.n - first);
      // Before the scan, because other teams wait for the sum.
      if (tiles > 1) {
        for_first(team, [&] { announce(team, room.drawn, add_threads(room.sums, warps)); });
      }
      scan_rows(team, room, [&] {
        if (tiles == 1) return;
        const T before = look_back_and_publish(team, room.drawn, add_threads(room.sums, warps));
        Kokkos::single(Kokkos::PerThread(team), [&] { *room.base = before; });
      });
      store(team, room, s.out + first, s.n - first, tiles > 1 ? *room.base : T(0));
    }
  }

  KOKKOS_FUNCTION void draw(unsigned* drawn) const {
    drawn[ticket] = Kokkos::atomic_fetch_add(s.counters + ticket, 1u);
    drawn[runs] = atomic_load(s.counters + runs);
  }

  // Publishes a tile's own sum, unless the tile is the first. By all lanes of a thread.
  KOKKOS_FUNCTION void announce(const Member& team, const unsigned* drawn, T own) const {
    if (drawn[ticket] == 0) return;
    Kokkos::single(Kokkos::PerThread(team),
                   [&] { publish(drawn[ticket], own, flag_of(drawn[runs], Stage::own)); });
  }

  // Finds the sum before a tile, publishes the whole sum, and returns the former. By all lanes of a
  // thread.
  KOKKOS_FUNCTION T look_back_and_publish(const Member& team, const unsigned* drawn, T own) const {
    const unsigned tile = drawn[ticket], run = drawn[runs];
    const T before = tile > 0 ? look_back(team, tile, run) : T(0);
    Kokkos::single(Kokkos::PerThread(team), [&] {
      publish(tile, before + own, flag_of(run, Stage::whole));
      if (tile == tiles - 1) {  // all others have drawn, and read the number of runs
        reset_ticket(s.counters + ticket);
        Kokkos::atomic_exchange(s.counters + runs, run + 1);
      }
    });
    return before;
  }

  KOKKOS_FUNCTION void publish(unsigned tile, T sum, std::uint32_t flag) const {
    const State<T> state = State<T>::of(sum, flag);
    std::uint64_t* const to = s.states + std::size_t{tile} * State<T>::words;
#pragma unroll
    for (int i = 0; i < State<T>::words; ++i) Kokkos::atomic_exchange(to + i, state.word[i]);
  }

  // The state of `tile`. A negative tile counts as published, with the sum 0.
  KOKKOS_FUNCTION State<T> read(std::int64_t tile, unsigned run) const {
    if (tile < 0) return State<T>::of(T(0), flag_of(run, Stage::whole));
    State<T> state;
    std::uint64_t* const from = s.states + tile * State<T>::words;
#pragma unroll
    for (int i = 0; i < State<T>::words; ++i) state.word[i] = atomic_load(from + i);
    return state;
  }

  // The sum of all numbers before `tile`: a window of earlier tiles at a time, the nearest first,
  // up to the first tile that has published the whole sum.
  KOKKOS_FUNCTION T look_back(const Member& team, unsigned tile, unsigned run) const {
    const std::uint32_t own = flag_of(run, Stage::own), whole = flag_of(run, Stage::whole);
    T sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{On::lanes_of_thread}),
        [&](Index lane, T& into) {
          for (std::int64_t at = std::int64_t{tile} - 1 - lane;; at -= On::lanes_of_thread) {
            State<T> state = read(at, run);
            while (!state.has(own) && !state.has(whole)) state = read(at, run);
            const int end = On::first_lane(state.has(whole));
            if (lane <= end) into += state.sum();
            if (end < On::lanes_of_thread) return;
          }
        },
        sum);
    return sum;
  }
};

// No teams: no launch.
template <class Step>
void launch(const char* name, const Step& step, const Stream& stream, unsigned teams, int scratch) {
  if (teams == 0) return;
  Kokkos::parallel_for(name, On::policy(stream, static_cast<int>(teams), scratch), step);
}

constexpr auto reduce_then_scan = []<class T>(const Sequence<T>& s, const Stream& on) {
  const unsigned tiles = tiles_of<T, kokkos_shapes>(s.n);
  if (tiles > 1) {
    launch("portcost::scan::add_tiles", AddTiles<T>{s}, on, tiles, 0);
    launch("portcost::scan::scan_totals", ScanTotals<T>{s.totals, tiles}, on, 1, Room<T>::bytes);
  }
  launch("portcost::scan::scan_tiles", ScanTiles<T>{s}, on, tiles, Room<T>::bytes);
};

constexpr auto one_pass = []<class T>(const Sequence<T>& s, const Stream& on) {
  const unsigned tiles = tiles_of<T, kokkos_shapes>(s.n);
  launch("portcost::scan::look_back", LookBack<T>{s, tiles}, on, tiles, Room<T>::bytes);
};

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "reduce_then_scan", reduce_then_scan), rung(works, "look_back", one_pass)};
}

}  // namespace portcost::scan
