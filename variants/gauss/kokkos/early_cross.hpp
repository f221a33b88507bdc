// SPDX-License-Identifier: Apache-2.0
// look_ahead in which a tile is closed and its cross solved in one launch, whose teams wait for
// each other's work.
#pragma once

#include <memory>

#include "variants/gauss/kokkos/close.hpp"
#include "variants/gauss/kokkos/solve.hpp"
#include "variants/kokkos_graph.hpp"

namespace portcost::gauss {

/// A chunk of each of an item's lines of the cross. block[m * chunk + e] is what element e takes of
/// element m.
template <class T>
struct EarlyLines {
  static constexpr int chunk = EarlyCross::chunk, each = EarlyCross::each, wide = 4;
  alignas(pack_bytes<T>) T at[each][chunk];

  /// Their own elements by each other. Those of rows below are multiplied by `inverse`.
  template <bool beside>
  KOKKOS_FORCEINLINE_FUNCTION void close(const T* block, const T* inverse) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
#pragma unroll
      for (int q = 0; q < each; ++q) {
        if constexpr (!beside) at[q][m] = at[q][m] * inverse[m];
      }
#pragma unroll
      for (int e = (m + 1) / wide * wide; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) {
          if (e + i <= m) continue;
#pragma unroll
          for (int q = 0; q < each; ++q) at[q][e + i] = eliminate(at[q][e + i], at[q][m], some[i]);
        }
      }
    }
  }
  /// Less those of a chunk before it, of which element m of line q is known[m * tile + q * lanes].
  KOKKOS_FORCEINLINE_FUNCTION void take(const T* known, const T* block) {
#pragma unroll 2
    for (int m = 0; m < chunk; ++m) {
      T times[each];
#pragma unroll
      for (int q = 0; q < each; ++q) times[q] = known[m * panel_tile + q * lanes];
#pragma unroll
      for (int e = 0; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int q = 0; q < each; ++q) {
#pragma unroll
          for (int i = 0; i < wide; ++i) {
            at[q][e + i] = eliminate(at[q][e + i], times[q], some[i]);
          }
        }
      }
    }
  }
  /// From where they lie in the matrix to the item (`load`), or back. place: of the first line.
  template <bool beside, bool load>
  KOKKOS_FORCEINLINE_FUNCTION void copy(const System<T>& s, T* place) {
#pragma unroll
    for (int q = 0; q < each; ++q) {
#pragma unroll
      for (int e = 0; e < chunk; e += beside ? 1 : wide) {
        T* const in = place + (beside ? s.offset(e) + q * lanes : s.offset(q * lanes) + e);
        copy_pack<beside ? 1 : wide>(load ? at[q] + e : in, load ? in : at[q] + e);
      }
    }
  }
};

/// Tile (k, k) and its cross. Teams have what they do by tickets: the one that comes first closes
/// the tile, which waits for nobody, whatever the order in which teams begin. Each chunk of the
/// cross is solved as soon as its pivots are closed.
template <class Shape, class T, Way way>
struct CloseWithCross {
  using Close = CloseTile<Shape, T, way>;
  using On = typename Close::On;
  using Member = typename On::Member;
  static constexpr int items = EarlyCross::items, tile = panel_tile, wide = 4;
  static constexpr int chunk = EarlyCross::chunk, chunks = EarlyCross::chunks;
  static constexpr int each = EarlyCross::each, most = On::most_own(items);
  static constexpr int size = EarlyCross::scratch<T>;
  static_assert(Close::items == items);
  System<T> s;
  Region region;
  int k;
  int* state;  // the next ticket, and how many pivots are closed: both 0 when it begins

  // And the ticket.
  static constexpr int scratch() { return scratch_bytes<T>(size + 1 + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const shown = aligned_scratch<On, T>(team, size + 1);
    int& shared_ticket = *reinterpret_cast<int*>(shown + size);
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { shared_ticket = Kokkos::atomic_fetch_add(state, 1); });
    team.team_barrier();
    const int ticket = shared_ticket;
    if (ticket == 0) {
      Close{s, k}.close(team, shown, [&](int pivots) {
        if (pivots % chunk != 0) return;
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          Kokkos::memory_fence();  // what is told was written before
          Kokkos::atomic_exchange(state + 1, pivots);
        });
      });
      return;
    }
    const Tile at = region.at(ticket - 1);
    if (at.row == k) {
      solve<true>(team, shown, at);
    } else {
      solve<false>(team, shown, at);
    }
  }

  KOKKOS_FUNCTION void wait_until(const Member& team, int pivots) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      while (atomic_load<way>(state + 1) < pivots) {
      }
      Kokkos::memory_fence();  // what was told is read after it
    });
    team.team_barrier();
  }

  // beside: columns of a tile beside the closed one, else rows of one below it.
  template <bool beside>
  KOKKOS_FUNCTION void solve(const Member& team, T* scratch, Tile at) const {
    T* const known = scratch + EarlyCross::known;
    T* const inverse = scratch + EarlyCross::inverse;
    EarlyLines<T> lines[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      lines[mine].template copy<beside, true>(s, place<beside>(at, item));
    });
#pragma unroll 1
    for (int c = 0; c < chunks; ++c) {
      wait_until(team, (c + 1) * chunk);
      On::template for_own<items>(team, [&](int item, int) {
        bring_blocks<beside>(scratch, item, c);
        if (!beside && item < chunk) {
          const int pivot = k * tile + c * chunk + item;
          inverse[item] = reciprocal(s.row(pivot)[pivot]);
        }
      });
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        if (item / lanes != c) return;
        lines[mine].template close<beside>(scratch, inverse);
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
#pragma unroll
          for (int q = 0; q < each; ++q) {
            known[e * tile + item % lanes + q * lanes] = lines[mine].at[q][e];
          }
        }
        lines[mine].template copy<beside, false>(s, place<beside>(at, item));
      });
      if (c + 1 == chunks) break;
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        const int own = item / lanes;
        if (own <= c) return;
        lines[mine].take(known + item % lanes, scratch + (own - c) * EarlyCross::block);
      });
    }
  }

  // An item's first line.
  template <bool beside>
  KOKKOS_FUNCTION T* place(Tile at, int item) const {
    const int first = k * tile, lane = item % lanes, own = item / lanes * chunk;
    return beside ? s.row(first + own) + at.col * tile + lane
                  : s.row(at.row * tile + lane) + first + own;
  }
  // What chunk `c` and those after it take of c, from the closed tile to scratch: block b is what
  // chunk c + b takes. Those for columns beside the tile are transposed, a row an item.
  template <bool beside>
  KOKKOS_FUNCTION void bring_blocks(T* scratch, int item, int c) const {
    constexpr int packs = EarlyCross::block / wide;
    const T* const closed = s.row(k * tile + c * chunk) + k * tile + c * chunk;
    for (int i = item; i < (chunks - c) * packs; i += items) {
      const int b = i / packs, in = i % packs;
      const int row = beside ? in % chunk : in / (chunk / wide);
      const int column = (beside ? in / chunk : in % (chunk / wide)) * wide;
      T* const block = scratch + b * EarlyCross::block;
      alignas(pack_bytes<T>) T some[wide];
      copy_pack<wide>(some, closed + s.offset((beside ? b * chunk : 0) + row) +
                                (beside ? 0 : b * chunk) + column);
      if constexpr (beside) {
#pragma unroll
        for (int e = 0; e < wide; ++e) block[(column + e) * chunk + row] = some[e];
      } else {
        copy_pack<wide>(block + row * chunk + column, some);
      }
    }
  }
};

/// Two regions in tiles of two shapes, in one launch, which makes the state anew.
template <class First, class Second, class T, Way way>
struct TwoProducts {
  using Before = Product<First, T, way>;
  using After = Product<Second, T, way>;
  using On = typename After::On;
  static_assert(std::is_same_v<On, typename Before::On> && First::scratch <= Second::scratch);
  System<T> s;
  Region first, second;
  int* state;

  static constexpr int scratch() { return After::scratch(); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (team.league_rank() == 0) {
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        for (int i = 0; i < EarlyCross::state_size; ++i) state[i] = 0;
      });
    }
    if (s.stopped()) return;
    T* const scratch = aligned_scratch<On, T>(team, Second::scratch);
    const int at = team.league_rank(), before = first.count();
    if (at < before) {
      Before{s, first}.take(team, first.at(at), scratch);
    } else {
      After{s, second}.take(team, second.at(at - before), scratch);
    }
  }
};

#ifdef PORTCOST_HAS_KOKKOS_GRAPH

/// A run as a graph, and the state of its launches.
template <class T, Way way>
class EarlyCrossRun final : public Execution {
 public:
  EarlyCrossRun(const System<T>& s, const Stream& stream)
      : state_("portcost::gauss::state", EarlyCross::state_size),
        graph_(stream, [&](const GraphNode& root) { enqueue(s, stream, root); }) {}

  void run(int phase) override { graph_.run(phase); }

 private:
  static constexpr const char* label = "portcost::gauss::early_cross";

  // As in look_ahead, but what the next tile and its cross need is one launch, and in the last
  // rounds closing and solving is.
  void enqueue(const System<T>& s, const Stream& stream, const GraphNode& root) const {
    const Tiles tiles(s.n, panel_tile);
    const auto launch = [&](const GraphNode& after, int teams, const auto& made) -> GraphNode {
      using Made = std::remove_cvref_t<decltype(made)>;
      if (teams == 0) return after;
      return after.then_parallel_for(label, Made::On::policy(stream, teams, Made::scratch()), made);
    };
    const auto solved = [&](const GraphNode& after, int k) {
      const Region cross = tiles.cross(k, tiles.of(k));
      if (EarlyCross::early(tiles, k)) {
        using Both = CloseWithCross<PanelShape<T>, T, way>;
        return launch(after, 1 + cross.count(),
                      Both{s, cross, k, state_.data() + EarlyCross::state_of(k)});
      }
      using Solve = SolveCross<T, way>;
      return launch(launch(after, 1, CloseTile<PanelShape<T>, T, way>{s, k}),
                    cross.count() * Solve::parts, Solve{s, cross, k});
    };
    const auto rest = [&](const GraphNode& after, const Region& region) {
      return launch(after, region.count(), Product<PanelShape<T>, T, way>{s, region});
    };
    GraphNode crossed = solved(root, 0), rested = crossed;
    for (int k = 0; k + 1 < tiles.rows; ++k) {
      // A join for each launch, as in look_ahead.
      const auto ready = [&] { return k == 0 ? crossed : after_both(crossed, rested); };
      const Region tile = next_tile(k), cross = next_cross(s.n, k);
      const GraphNode next =
          launch(ready(), tile.count() + cross.count(),
                 TwoProducts<SmallestShape, SmallShape, T, way>{s, tile, cross, state_.data()});
      const auto [first, second] = in_two(rest_around(tiles, k));
      rested = rest(rest(ready(), first), second);
      crossed = solved(next, k + 1);
    }
  }

  Kokkos::View<int*, typename KokkosSpace::memory_space> state_;
  GraphOfLaunches graph_;
};

/// The step in both ways.
inline Rungs early_cross_rungs() {
  return team_step(
      works, "early_cross",
      []<class T>(auto way, const System<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
        return std::make_unique<EarlyCrossRun<T, way.value>>(s, on);
      });
}

#else

/// Why the step is not there.
inline Rungs early_cross_rungs() {
  return graph_step(works, "early_cross", [](auto, const auto&, const Stream&, const auto&) {});
}

#endif

}  // namespace portcost::gauss
