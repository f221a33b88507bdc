// SPDX-License-Identifier: Apache-2.0
// Portable variants. A thread brings the packs of its lanes' rows into scratch, where each lane
// scans a row. On a host a team is one item, which scans its tile where it lies.
#include "variants/scan/problem.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::scan {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);
constexpr unsigned lanes = shape.lanes, warps = shape.warps, threads = shape.threads();
constexpr unsigned packs = shape.packs;
constexpr bool one_item = threads == 1;
using On = Teams<static_cast<int>(warps), static_cast<int>(shape.teams)>;
using Member = On::Member;
using Index = On::Index;
template <class T>
using Wide = Pack<T, kokkos_shapes>;
template <class T>
inline constexpr unsigned width = pack_width<T, kokkos_shapes>;
template <class T>
inline constexpr unsigned size = tile_size<T, kokkos_shapes>;

// The packs of a row in scratch: an odd number, so that lanes of a warp have no bank conflicts.
constexpr unsigned pitch = packs | 1;
KOKKOS_INLINE_FUNCTION constexpr unsigned place(unsigned pack) {
  return pack + pack / packs * (pitch - packs);
}

// A team's scratch.
template <class T>
struct Room {
  static constexpr unsigned of_tile = one_item ? 0 : threads * pitch * width<T>;
  static constexpr int elements = static_cast<int>(of_tile + warps + 2 * shape.window() + 3);
  static constexpr int bytes = one_item ? 0 : scratch_bytes<T>(elements + aligned_extra<T, 16>);

  KOKKOS_INLINE_FUNCTION explicit Room(const Member& team)
      : tile(reinterpret_cast<Wide<T>*>(aligned_scratch<On, T, 16>(team, elements))),
        sums(reinterpret_cast<T*>(tile) + of_tile),
        window(sums + warps),
        base(window + 2 * shape.window()),
        drawn(reinterpret_cast<unsigned*>(base + 1)) {}

  Wide<T>* tile;
  T* sums;          // of what each thread has brought
  T* window;        // of look_back
  T* base;          // what is added to the tile
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

// Of a tile the k-th pack that a lane of a thread loads and stores.
KOKKOS_INLINE_FUNCTION constexpr unsigned pack_of(unsigned thread, unsigned k, unsigned lane) {
  return thread * (lanes * packs) + k * lanes + lane;
}

// A lane's packs of a tile with `count` numbers at `in`; numbers past the end are 0.
template <class T>
KOKKOS_INLINE_FUNCTION void load_lane(const T* in, std::uint64_t count, unsigned thread,
                                      unsigned lane, Wide<T> (&loaded)[packs]) {
  if (count >= size<T>) {
    const auto* const from = reinterpret_cast<const Wide<T>*>(in) + pack_of(thread, 0, lane);
#pragma unroll
    for (unsigned k = 0; k < packs; ++k) loaded[k] = from[k * lanes];
  } else {
    const auto end = static_cast<unsigned>(count);
#pragma unroll
    for (unsigned k = 0; k < packs; ++k) {
      const unsigned first = pack_of(thread, k, lane) * width<T>;
#pragma unroll
      for (unsigned j = 0; j < width<T>; ++j) {
        loaded[k].at[j] = first + j < end ? in[first + j] : T(0);
      }
    }
  }
}

// Brings a tile into scratch, and leaves the sum of each thread's rows, with a barrier after.
template <class T>
KOKKOS_INLINE_FUNCTION void bring(const Member& team, const Room<T>& room, const T* in,
                                  std::uint64_t count) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{warps}), [&](Index index) {
    const auto thread = static_cast<unsigned>(index);
    T sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{lanes}),
        [&](Index lane, T& into) {
          Wide<T> loaded[packs];
          load_lane(in, count, thread, static_cast<unsigned>(lane), loaded);
#pragma unroll
          for (unsigned k = 0; k < packs; ++k) {
            room.tile[place(pack_of(thread, k, static_cast<unsigned>(lane)))] = loaded[k];
#pragma unroll
            for (unsigned j = 0; j < width<T>; ++j) into += loaded[k].at[j];
          }
        },
        sum);
    Kokkos::single(Kokkos::PerThread(team), [&] { room.sums[thread] = sum; });
  });
  team.team_barrier();
}

// The sum of what the threads before `end` have brought.
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
    Wide<T>* const rows = room.tile + thread * (lanes * pitch);
    const T before = add_threads(room.sums, thread);
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, Index{lanes}),
                          [&](Index lane, T& sum, bool final) {
                            Wide<T>* const row = rows + static_cast<unsigned>(lane) * pitch;
                            if (lane == 0) sum += before;
#pragma unroll
                            for (unsigned k = 0; k < packs; ++k) {
                              Wide<T> pack = row[k];
#pragma unroll
                              for (unsigned j = 0; j < width<T>; ++j)
                                pack.at[j] = sum += pack.at[j];
                              if (final) row[k] = pack;
                            }
                          });
  });
  for_first(team, f);
  team.team_barrier();
}
template <class T>
KOKKOS_INLINE_FUNCTION void scan_rows(const Member& team, const Room<T>& room) {
  scan_rows(team, room, [] {});
}

// Stores a pack of a tile with `count` numbers at `out`, `base` added.
template <class T>
KOKKOS_INLINE_FUNCTION void store_pack(T* out, std::uint64_t count, unsigned at, Wide<T> pack,
                                       T base) {
#pragma unroll
  for (unsigned j = 0; j < width<T>; ++j) pack.at[j] += base;
  if (count >= size<T>) {
    reinterpret_cast<Wide<T>*>(out)[at] = pack;
  } else {
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) {
      if (at * width<T> + j < count) out[at * width<T> + j] = pack.at[j];
    }
  }
}

// Stores a scanned tile, `base` added.
template <class T>
KOKKOS_INLINE_FUNCTION void store(const Member& team, const Room<T>& room, T* out,
                                  std::uint64_t count, T base) {
  for_items(team, [&](unsigned thread, unsigned lane) {
#pragma unroll
    for (unsigned k = 0; k < packs; ++k) {
      const unsigned at = pack_of(thread, k, lane);
      store_pack(out, count, at, room.tile[place(at)], base);
    }
  });
}

// Of `left` numbers those of a tile.
template <class T>
KOKKOS_INLINE_FUNCTION std::uint64_t numbers_of(std::uint64_t left) {
  return compat::min(left, std::uint64_t{size<T>});
}

// Scans `count` numbers where they lie, from `sum` on. Returns the last. For one item. g++ makes
// vectors of a scan only where OpenMP asks for it.
template <class T>
KOKKOS_INLINE_FUNCTION T scan_on(const T* in, T* out, std::uint64_t count, T sum) {
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
  return sum;
}
template <class T>
KOKKOS_INLINE_FUNCTION T add_up(const Member& team, const T* in, std::uint64_t count) {
  T sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, static_cast<Index>(count)),
      [&](Index i, T& into) { into += in[i]; }, sum);
  return sum;
}

// Leaves each tile's total.
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
            Wide<T> loaded[packs];
            const auto item = static_cast<unsigned>(id);
            load_lane(s.in + first, s.n - first, item / lanes, item % lanes, loaded);
#pragma unroll
            for (unsigned k = 0; k < packs; ++k) {
#pragma unroll
              for (unsigned j = 0; j < width<T>; ++j) sum += loaded[k].at[j];
            }
          },
          total);
      Kokkos::single(Kokkos::PerTeam(team), [&] { s.totals[tile] = total; });
    }
  }
};

// Scans each tile from the total before it.
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
      bring(team, room, s.in + first, s.n - first);
      scan_rows(team, room);
      store(team, room, s.out + first, s.n - first, base);
    }
  }
};

// One team, tile by tile.
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
        bring(team, room, totals + first, count - first);
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
        T window[2], before = 0;
        if (tiles > 1) draw(drawn);
        const std::uint64_t first = std::uint64_t{drawn[ticket]} * size<T>;
        const std::uint64_t count = numbers_of<T>(s.n - first);
        if (tiles > 1) {
          const T own = add_up(team, s.in + first, count);
          announce(team, drawn, own);
          before = pass_on(team, drawn, window, own);
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
      bring(team, room, s.in + first, s.n - first);
      // Before the scan, because other teams wait for the sum.
      if (tiles > 1) {
        for_first(team, [&] { announce(team, room.drawn, add_threads(room.sums, warps)); });
      }
      scan_rows(team, room, [&] {
        if (tiles == 1) return;
        const T before = pass_on(team, room.drawn, room.window, add_threads(room.sums, warps));
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

  // Finds what is before a tile, and publishes the whole sum. By all lanes of a thread. Returns
  // what is before.
  KOKKOS_FUNCTION T pass_on(const Member& team, const unsigned* drawn, T* window, T own) const {
    const unsigned tile = drawn[ticket], run = drawn[runs];
    const T before = tile > 0 ? look_back(team, tile, run, window) : T(0);
    Kokkos::single(Kokkos::PerThread(team), [&] {
      publish(tile, before + own, flag_of(run, Stage::whole));
      if (tile == tiles - 1) {  // all others have drawn
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

  // What `tile` has published. The tiles before the first sum to 0.
  KOKKOS_FUNCTION State<T> read(std::int64_t tile, unsigned run) const {
    if (tile < 0) return State<T>::of(T(0), flag_of(run, Stage::whole));
    State<T> state;
    std::uint64_t* const from = s.states + tile * State<T>::words;
#pragma unroll
    for (int i = 0; i < State<T>::words; ++i) state.word[i] = atomic_load(from + i);
    return state;
  }

  // The sum of all numbers before `tile`: a window of earlier tiles at a time, the nearest first,
  // up to the first tile that has published the whole sum. A lane's numbers of `window` are a sum
  // and what it may add next.
  KOKKOS_FUNCTION T look_back(const Member& team, unsigned tile, unsigned run, T* window) const {
    const std::uint32_t own = flag_of(run, Stage::own), whole = flag_of(run, Stage::whole);
    constexpr int step = static_cast<int>(shape.window());
    T* const next = window + step;
    int end = -1;  // the nearest in the window before that has the whole sum
    for (std::int64_t nearest = std::int64_t{tile} - 1;; nearest -= step) {
      int found = step;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, Index{lanes}),
          [&](Index lane, int& least) {
            State<T> state[shape.looks];
#pragma unroll
            for (unsigned j = 0; j < shape.looks; ++j) {
              state[j] = read(nearest - lane - Index{j * lanes}, run);
            }
#pragma unroll
            for (unsigned j = 0; j < shape.looks; ++j) {
              const int at = static_cast<int>(lane) + static_cast<int>(j * lanes);
              while (!state[j].has(own) && !state[j].has(whole)) {
                state[j] = read(nearest - at, run);
              }
              window[at] = end < 0 ? T(0) : window[at] + next[at];
              next[at] = state[j].sum();
              if (at < least && state[j].has(whole)) least = at;
            }
          },
          Kokkos::Min<int>(found));
      end = found;
      if (end < step) break;
    }
    T sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{lanes}),
        [&](Index lane, T& into) {
#pragma unroll
          for (unsigned j = 0; j < shape.looks; ++j) {
            const int at = static_cast<int>(lane) + static_cast<int>(j * lanes);
            into += window[at];
            if (at <= end) into += next[at];
          }
        },
        sum);
    return sum;
  }
};

// No teams: no launch.
template <class T, class Step>
void launch(const char* name, const Step& step, const Stream& stream, unsigned teams,
            int scratch = Room<T>::bytes) {
  if (teams == 0) return;
  Kokkos::parallel_for(name, On::policy(stream, static_cast<int>(teams), scratch), step);
}

constexpr auto reduce_then_scan = []<class T>(const Sequence<T>& s, const Stream& on) {
  const unsigned tiles = tiles_of<T, kokkos_shapes>(s.n);
  if (tiles > 1) {
    launch<T>("portcost::scan::add_tiles", AddTiles<T>{s}, on, tiles);
    launch<T>("portcost::scan::scan_totals", ScanTotals<T>{s.totals, tiles}, on, 1);
  }
  launch<T>("portcost::scan::scan_tiles", ScanTiles<T>{s}, on, tiles);
};

constexpr auto one_pass = []<class T>(const Sequence<T>& s, const Stream& on) {
  const unsigned tiles = tiles_of<T, kokkos_shapes>(s.n);
  launch<T>("portcost::scan::look_back", LookBack<T>{s, tiles}, on, tiles);
};

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "reduce_then_scan", reduce_then_scan), rung(works, "look_back", one_pass)};
}

}  // namespace portcost::scan
