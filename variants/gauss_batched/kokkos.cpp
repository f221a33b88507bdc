// SPDX-License-Identifier: Apache-2.0
// Portable variants: a thread a system, in global memory or in scratch; a team a system; a grid of
// items a system; and the table of all steps.
#include <utility>

#include "variants/gauss_batched/bodies.hpp"
#include "variants/gauss_batched/host_bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::gauss_batched {

namespace {

// One thread updates a row, because a range of one lane would wait for the warp after each row; or
// vectors do. With vectors a system is a separate function, as in the native code, so that Kokkos's
// loops around it take none of its registers.
struct RowsOfThread {
  template <class On, class T>
  static KOKKOS_INLINE_FUNCTION int factorise(const typename On::Member&, const Batch<T>& b, T* a) {
    return gauss_batched::factorise(b, a, [](int from, int end, const auto& action) {
#pragma unroll 4  // rows are short: a longer body would leave most of them to the prologue
      for (int j = from; j < end; ++j) action(j);
    });
  }
};
struct RowsOfVectors {
  template <class On, class T>
  [[gnu::noinline]] static int factorise(const typename On::Member& team, const Batch<T>& b, T* a) {
    return gauss_batched::factorise(b, a, [&](int from, int end, const auto& action) {
      On::for_lanes(team, from, end, action);
    });
  }
};
using Rows = ShapeIn<kokkos_shapes, RowsOfThread, RowsOfVectors>;

// In global memory; neighbouring items' elements are a system apart.
template <class T>
struct ThreadEach {
  using On = Teams<each_warps, 0, Lanes::one>;
  using Index = typename On::Index;
  static constexpr int each = each_systems(kokkos_shapes);
  Batch<T> b;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{each}), [&](Index item) {
      const int system = team.league_rank() * each + static_cast<int>(item);
      if (system >= b.count) return;
      const int bad = Rows::template factorise<On>(team, b, b.system(system));
      if (bad >= 0) b.bad_pivot[system] = bad;
    });
  }
};

constexpr auto thread_each = []<class T>(const Batch<T>& b, const Stream& stream) {
  using Made = ThreadEach<T>;
  const auto policy = Made::On::policy(stream, ceil_div(b.count, Made::each));
  Kokkos::parallel_for("portcost::gauss_batched::thread_each",
                       Made::On::with_first_cache(policy, 100), Made{b});
};

// Copies the elements of a team's systems to scratch or back. An item loads a whole group before it
// stores the first element, without bounds checks inside a group.
template <class Shape, class On, class T, class From, class To>
KOKKOS_INLINE_FUNCTION void copy(const typename On::Member& team, int count, const From& from,
                                 const To& to) {
  using Index = typename On::Index;
  constexpr int threads = Shape::threads, together = Shape::together;
  const int grouped = count / Shape::group * Shape::group;
#pragma unroll 1  // a group is unrolled already
  for (int begin = 0; begin < grouped; begin += Shape::group) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index item) {
      const int first = begin + static_cast<int>(item);
      T some[together];
#pragma unroll
      for (int q = 0; q < together; ++q) some[q] = *from(first + q * threads);
#pragma unroll
      for (int q = 0; q < together; ++q) *to(first + q * threads) = some[q];
    });
  }
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, grouped, count),
                       [&](int e) { *to(e) = *from(e); });
}

// Several systems in scratch, an item a system.
template <class T>
struct Staged {
  using On = Teams<1, 0, Lanes::one>;
  using Index = typename On::Index;
  Batch<T> b;
  int systems;

  KOKKOS_INLINE_FUNCTION int elements() const { return systems * staged_pitch(b.n); }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const staged = On::template scratch<T>(team, elements());
    const int first = team.league_rank() * systems;
    const int there = compat::min(systems, b.count - first);
    const StagedPlaces place(b.n);
    T* const systems_at = b.system(first);
    const auto global = [=](int e) { return systems_at + e; };
    const auto scratch = [=](int e) { return staged + place.of(e); };
    copy<StagedCopy, On, T>(team, there * b.size(), global, scratch);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{there}), [&](Index item) {
      const int s = static_cast<int>(item);
      const int bad = Rows::template factorise<On>(team, b, staged + s * staged_pitch(b.n));
      if (bad >= 0) b.bad_pivot[first + s] = bad;
    });
    team.team_barrier();
    copy<StagedCopy, On, T>(team, there * b.size(), scratch, global);
  }
};

// The same on a host: a thread has a strip of systems, and a vector has an element of each.
template <class T>
struct StagedStrips {
  using On = Teams<1>;
  static constexpr int wide = Strip<T>::wide;
  Batch<T> b;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    T* const elements = aligned_scratch<On, T, Strip<T>::bytes>(team, Strip<T>::elements(b.n));
    const Strip<T> strip{{}, b, team.league_rank() * wide, elements};
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      strip.load_systems();
      strip.factorise();
      strip.store_systems();
    });
  }
};

// The work of a team: as many systems as fit into its scratch, or a strip of systems.
struct SystemsOfTeam {
  template <class T>
  static void run(const char* label, const Batch<T>& b, const Stream& stream) {
    using Made = Staged<T>;
    const Made made{b, staged_systems<T>(b.n)};
    Kokkos::parallel_for(label,
                         Made::On::policy(stream, ceil_div(b.count, made.systems),
                                          scratch_bytes<T>(made.elements())),
                         made);
  }
};
struct StripOfTeam {
  template <class T>
  static void run(const char* label, const Batch<T>& b, const Stream& stream) {
    using Made = StagedStrips<T>;
    constexpr int extra = aligned_extra<T, Strip<T>::bytes>;
    Kokkos::parallel_for(label,
                         Made::On::policy(stream, ceil_div(b.count, Made::wide),
                                          scratch_bytes<T>(Strip<T>::elements(b.n) + extra)),
                         Made{b});
  }
};

// A system a team, in scratch, a row a thread of the team (a warp) at a time. Ranges over rows and
// columns have int indices: their bounds depend on n and the column, so that 64 bits only make the
// loops longer.
template <class T>
struct TeamEach {
  using On = Teams<team_warps>;
  Batch<T> b;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    T* const staged = On::template scratch_unchecked<T>(team, b.size());
    T* const a = b.system(team.league_rank());
    const auto global = [=](int e) { return a + e; };
    const auto scratch = [=](int e) { return staged + e; };
    copy<TeamCopy, On, T>(team, b.size(), global, scratch);
    for (int k = 0; k < b.n; ++k) {
      team.team_barrier();
      const T* const from = staged + k * b.n;
      const T pivot = from[k];
      if (b.refuses(pivot)) {
        if (team.team_rank() == 0) b.bad_pivot[team.league_rank()] = k;
        break;
      }
      const T inverse = reciprocal(pivot);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, b.n), [&](int i) {
        T* const row = staged + i * b.n;
        const T factor = multiplier(row[k], inverse);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, k + 1, b.n),
                             [&](int j) { row[j] = eliminate(row[j], factor, from[j]); });
        Kokkos::single(Kokkos::PerThread(team), [&] { row[k] = factor; });
      });
    }
    team.team_barrier();
    copy<TeamCopy, On, T>(team, b.size(), scratch, global);
  }
};

constexpr auto staged = []<class T>(const Batch<T>& b, const Stream& stream) {
  ShapeIn<kokkos_shapes, SystemsOfTeam, StripOfTeam>::run("portcost::gauss_batched::staged", b,
                                                          stream);
};

constexpr auto team_each = []<class T>(const Batch<T>& b, const Stream& stream) {
  using Made = TeamEach<T>;
  Kokkos::parallel_for("portcost::gauss_batched::team_each",
                       Made::On::policy(stream, b.count, scratch_bytes<T>(b.size())), Made{b});
};

// ---- Portable kernel of lane_grid: a grid of items holds a system in the items' arrays, registers
// on a device. Scratch holds the parts of columns and rows that other items need.

// An item's part of its system.
template <class Shape, class T>
struct GridItem {
  static constexpr int pack = Shape::pack, together = Shape::together;
  alignas(16) T own[Shape::rows][Shape::cols];
  int bad;

  KOKKOS_FORCEINLINE_FUNCTION void load(const T* a, int n, int x, int y, bool there) {
    bad = -1;
    load_own<Shape>(own, a, n, x, y, there);
  }
  /// Publishes the item's part of columns k, ..., `together` of them, and of their pivots' rows.
  KOKKOS_FORCEINLINE_FUNCTION void publish(T* rows, T* columns, int k, int x, int y) const {
    if (x == Shape::x_with(k)) {
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        copy_pack<together>(columns + together * Shape::row_of(y, r), own[r] + Shape::c_with(k));
      }
    }
#pragma unroll
    for (int e = 0; e < together; ++e) {
      if (y != Shape::y_with(k + e)) continue;
#pragma unroll
      for (int c = Shape::c_with(k) / pack * pack; c < Shape::cols; c += pack) {
        copy_pack<pack>(rows + e * Shape::n + Shape::col_of(x, c), own[Shape::r_with(k + e)] + c);
      }
    }
  }

  /// Eliminates these columns in the item's elements; `others` gives what other items published.
  template <class Others>
  KOKKOS_FORCEINLINE_FUNCTION void take(const Batch<T>& b, const Others& others, int k, int x,
                                        int y) {
    Published<Shape, T> published;
    others.columns(published, own, k, x, y);
    factorise_square<Shape>(published, b, bad, k);
#pragma unroll
    for (int c = Shape::c_with(k) / pack * pack; c < Shape::cols; c += pack) {
      PivotRows<Shape, T> rows;
      others.rows(rows, own, k, c, x);
      solve_pivot_rows(published, rows);
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        update_row<Shape>(own, published, rows, x, y, k, c, r);
      }
    }
  }
};

// An item's number, tied to the team (of_team), so that nvcc does not hoist dependent arithmetic
// out of the loop over teams and keep it in registers. Not where the code is long, because of_team
// makes it longer.
template <class On, class Shape>
KOKKOS_FORCEINLINE_FUNCTION int number_in(const typename On::Member& team, int item) {
  return Shape::long_code ? item : On::of_team(team, item);
}

template <class Shape, class T>
struct FromScratch {
  static constexpr int pack = Shape::pack, together = Shape::together;
  const T* place;  // the pivots' rows, then the columns

  KOKKOS_FORCEINLINE_FUNCTION void columns(Published<Shape, T>& published,
                                           const T (&)[Shape::rows][Shape::cols], int k, int,
                                           int y) const {
    const T* const from = place + together * Shape::n;
#pragma unroll
    for (int e = 0; e < together; ++e)
      copy_pack<together>(published.square[e], from + together * (k + e));
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      copy_pack<together>(published.column[r], from + together * Shape::row_of(y, r));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void rows(PivotRows<Shape, T>& rows,
                                        const T (&)[Shape::rows][Shape::cols], int, int c,
                                        int x) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
      copy_pack<pack>(rows.at[e], place + e * Shape::n + Shape::col_of(x, c));
    }
  }
};

template <class On, class Shape, class T>
struct FromLanes {
  static_assert(Shape::of_system <= lanes);
  static constexpr int pack = Shape::pack, together = Shape::together;

  KOKKOS_FORCEINLINE_FUNCTION static T from(T element, int y, int x) {
    return On::of_lane(element, y * Shape::across + x, Shape::of_system);
  }
  KOKKOS_FORCEINLINE_FUNCTION void columns(Published<Shape, T>& published,
                                           const T (&own)[Shape::rows][Shape::cols], int k, int,
                                           int y) const {
    const int c = Shape::c_with(k);
#pragma unroll
    for (int f = 0; f < together; ++f) {
#pragma unroll
      for (int e = 0; e < together; ++e) {
        published.square[e][f] =
            from(own[Shape::r_with(k + e)][c + f], Shape::y_with(k + e), Shape::x_with(k));
      }
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        published.column[r][f] = from(own[r][c + f], y, Shape::x_with(k));
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void rows(PivotRows<Shape, T>& rows,
                                        const T (&own)[Shape::rows][Shape::cols], int k, int c,
                                        int x) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
#pragma unroll
      for (int q = 0; q < pack; ++q) {
        rows.at[e][q] = from(own[Shape::r_with(k + e)][c + q], Shape::y_with(k + e), x);
      }
    }
  }
};

// The rounds of a system. A round's first column is a constant, so that an item's elements are
// registers.
template <class Shape>
using Rounds = std::make_integer_sequence<int, Shape::n / Shape::together>;

// The same grid, but lanes exchange by warp shuffles.
template <class Shape, class T>
struct LaneShuffles {
  using On = Teams<Shape::warps, Shape::teams, Lanes::one>;
  Batch<T> b;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int item = number_in<On, Shape>(team, team.team_rank());
    const int x = Shape::x_of(item), y = Shape::y_of(item);
    const int system = team.league_rank() * Shape::systems + Shape::system_of(item);
    const bool there = system < b.count;
    T* const a = b.system(there ? system : 0);
    GridItem<Shape, T> grid;
    grid.load(a, b.n, x, y, there);
    take_all(grid, x, y, Rounds<Shape>());
    if (!there) return;
    store_own<Shape>(grid.own, a, b.n, x, y);
    if (grid.bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = grid.bad;
  }

 private:
  template <int... round>
  KOKKOS_FORCEINLINE_FUNCTION void take_all(GridItem<Shape, T>& grid, int x, int y,
                                            std::integer_sequence<int, round...>) const {
    static_cast<void>((take<round * Shape::together>(grid, x, y) && ...));
  }
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION bool take(GridItem<Shape, T>& grid, int x, int y) const {
    if (k >= b.n) return false;
    grid.take(b, FromLanes<On, Shape, T>(), k, x, y);
    return true;
  }
};

template <class Shape, class T>
struct LaneGrid {
  using On = Teams<Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int pack_border = 16;  // bytes; packs are aligned to it
  Batch<T> b;

  static constexpr int scratch() {
    return scratch_bytes<T>(Shape::scratch + aligned_extra<T, pack_border>);
  }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int first = team.league_rank() * Shape::systems;
    Own of;
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      const int system = first + Shape::system_of(item);
      const bool there = system < b.count;
      of[mine].load(b.system(there ? system : 0), b.n, Shape::x_of(item), Shape::y_of(item), there);
    });
    // After the loads, so that they overlap with the arithmetic of the address.
    T* const scratch = aligned_scratch<On, T, pack_border>(team, Shape::scratch);
    take_all(team, of, scratch, Rounds<Shape>());
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      const int system = first + Shape::system_of(item), x = Shape::x_of(item),
                y = Shape::y_of(item);
      if (system >= b.count) return;
      store_own<Shape>(of[mine].own, b.system(system), b.n, x, y);
      if (of[mine].bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = of[mine].bad;
    });
  }

 private:
  static constexpr int items = Shape::threads;
  using Own = GridItem<Shape, T>[On::most_own(items)];

  template <int... round>
  KOKKOS_FORCEINLINE_FUNCTION void take_all(const typename On::Member& team, Own& of, T* scratch,
                                            std::integer_sequence<int, round...>) const {
    static_cast<void>((take<round * Shape::together>(team, of, scratch) && ...));
  }
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION bool take(const typename On::Member& team, Own& of,
                                        T* scratch) const {
    if (k >= b.n) return false;
    // Double-buffered, because others may still read the previous round's.
    T* const place = scratch + (k / Shape::together & 1) * Shape::published;
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      T* const rows = place + Shape::system_of(item) * Shape::apart;
      of[mine].publish(rows, rows + Shape::together * Shape::n, k, Shape::x_of(item),
                       Shape::y_of(item));
    });
    team.team_barrier();
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      const FromScratch<Shape, T> others{place + Shape::system_of(item) * Shape::apart};
      of[mine].take(b, others, k, Shape::x_of(item), Shape::y_of(item));
    });
    return true;
  }
};

constexpr auto lane_grid = []<class T>(const Batch<T>& b, const Stream& stream) {
  with_grid<T>(b.n, [&]<class Shape>(Shape) {
    using Made = LaneGrid<Shape, T>;
    Kokkos::parallel_for(
        "portcost::gauss_batched::lane_grid",
        Made::On::policy(stream, ceil_div(b.count, Shape::systems), Made::scratch()), Made{b});
  });
};

constexpr auto shuffles = []<class T>(const Batch<T>& b, const Stream& stream) {
  with_grid<T>(b.n, [&]<class Shape>(Shape) {
    if constexpr (Shape::of_system <= lanes) {
      using Made = LaneShuffles<Shape, T>;
      Kokkos::parallel_for("portcost::gauss_batched::shuffles",
                           Made::On::policy(stream, ceil_div(b.count, Shape::systems)), Made{b});
    } else {
      throw Failure("shuffles: a system has more lanes than a warp");
    }
  });
};

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "thread_each", thread_each), rung(works, "staged", staged),
          device_step(works, "team_each", team_each), device_step(works, "lane_grid", lane_grid),
          warp_step(works, "shuffles", shuffles, why_not_shuffles)};
}

}  // namespace portcost::gauss_batched
