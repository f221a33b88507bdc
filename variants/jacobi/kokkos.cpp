// SPDX-License-Identifier: Apache-2.0
// Portable variants: one sweep a launch, several sweeps a pass, the norm, and the table of all
// steps.
#include "variants/jacobi/bodies.hpp"
#include "variants/jacobi/host_bodies.hpp"
#include "variants/jacobi/ranks_launches.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::jacobi {

namespace {

// A node a thread, which loads all operands from memory.
template <class T>
struct Naive {
  static constexpr NaiveShape shape = naive_shape(kokkos_shapes);
  using On = Teams<shape.warps>;
  using Index = typename On::Index;
  Sweep<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * shape.x;
    if constexpr (shape.y == 1) {
      // One thread of the team does the work.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
        const int end = x0 + compat::min(int{shape.x}, s.columns - x0);
        relax_row(s, ty, x0, end);
      });
    } else {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{shape.y}), [&](Index y) {
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{shape.x}), [&](Index x) {
          node(x0 + static_cast<int>(x), ty * shape.y + static_cast<int>(y));
        });
      });
    }
  }

  KOKKOS_FUNCTION void node(int x, int y) const {
    if (x >= s.columns || y >= s.rows) return;
    const T* const row = s.row_in(y) + x;
    s.row_out(y)[x] = relaxed(s.c, *(row - s.pitch), *(row + s.pitch), row[-1], row[1],
                              source(s.c, s.row_right(y)[x]));
  }
};

// The HOWTO's kernel: an item a column, with the rows above and below in registers and the row
// between in scratch; a team has a band of rows. The columns of neighbouring teams overlap by two.
// `ahead` of the rows below are prefetched across the barriers. The row in scratch is
// double-buffered, because neighbours still read it while the next row is written.
template <class T>
struct Device {
  static constexpr int ahead = device_ahead;
  using On = Teams<device_warps, device_teams, Lanes::one>;
  Sweep<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * device_columns - 1;
    const int y0 = ty * device_rows, y1 = compat::min(s.rows - y0, int{device_rows}) + y0;
    T* const middle = On::template scratch<T>(team, 2 * device_threads);
    constexpr int own = On::most_own(device_threads);
    T upper[own], lower[ahead][own], right[ahead][own];
    On::template for_own<device_threads>(team, [&](int item, int k) {
      const int x = compat::min(x0 + item, s.columns);
      upper[k] = s.row_in(y0 - 1)[x];
#pragma unroll
      for (int r = 0; r < ahead; ++r) {
        const int y = compat::min(y0 + r, y1 - 1);
        lower[r][k] = s.row_in(y + 1)[x];
        right[r][k] = s.row_right(y)[x];
      }
      middle[item] = s.row_in(y0)[x];
    });
    team.team_barrier();
    std::int64_t row = s.offset(y0);
#pragma unroll 1
    for (int begin = y0; begin < y1; begin += ahead) {
#pragma unroll
      for (int r = 0; r < ahead; ++r, row += s.pitch) {
        const int y = begin + r;
        if (y >= y1) break;
        T* const now = middle + r % 2 * device_threads;
        T* const next = middle + (r + 1) % 2 * device_threads;
        On::template for_own<device_threads>(team, [&](int item, int k) {
          const int x = compat::min(x0 + item, s.columns);
          const std::int64_t at = row + x;
          if (item > 0 && item < device_threads - 1 && x < s.columns) {
            s.out[at] = relaxed(s.c, upper[k], lower[r][k], now[item - 1], now[item + 1],
                                source(s.c, right[r][k]));
          }
          upper[k] = now[item];
          next[item] = lower[r][k];
          if (y + ahead < y1) {
            lower[r][k] = s.in[at + s.offset(ahead + 1)];
            right[r][k] = s.right_side[at + s.offset(ahead)];
          }
        });
        team.team_barrier();
      }
    }
  }
};

// An item reads 16 bytes a row and walks down, with the rows above and below in registers; the two
// neighbours along the row come from the L1 cache.
template <class T>
struct RegisterMarch {
  using On = Teams<march_warps>;
  using Index = typename On::Index;
  Sweep<T> s;
  TileGrid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{march_threads}), [&](Index item) {
      march(s, static_cast<int>((tx * lanes + item % lanes) * piece<T>),
            static_cast<int>((ty * march_warps + item / lanes) * march_rows));
    });
  }
};

template <template <class> class Kernel, class T>
void launch(const char* label, const Sweep<T>& s, const Stream& stream, int x, int y,
            int scratch_elements = 0) {
  using Made = Kernel<T>;
  const TileGrid tiles{ceil_div(s.columns, x), ceil_div(s.rows, y)};
  const int bytes = scratch_elements > 0 ? scratch_bytes<T>(scratch_elements) : 0;
  Kokkos::parallel_for(label, Made::On::policy(stream, tiles, bytes), Made{s, tiles});
}

// The greatest residual of an item's nodes and the value so far, as bits. On a device an item is a
// column of a band of rows, so that neighbouring items read neighbouring nodes; on a host it is a
// row, whose loop is vectorised.
template <class T>
struct ColumnsOfBands {
  Sweep<T> s;
  std::int64_t columns = s.columns;
  std::int64_t items() const { return columns * ceil_div(s.rows, norm_rows); }
  KOKKOS_INLINE_FUNCTION void take(std::int64_t item, Bits<T>& greatest) const {
    const int x = static_cast<int>(item % columns);
    const int y0 = static_cast<int>(item / columns) * norm_rows;
    const int y1 = compat::min(s.rows - y0, int{norm_rows}) + y0;
    T north = s.row_in(y0 - 1)[x], centre = s.row_in(y0)[x];
    for (int y = y0; y < y1; ++y) {
      const T* const row = s.row_in(y) + x;
      const T south = row[s.pitch];
      greatest = compat::max(greatest, bits_of(residual(s.c, centre, north, south, row[-1], row[1],
                                                        s.row_right(y)[x])));
      north = centre;
      centre = south;
    }
  }
};
template <class T>
struct WholeRows {
  Sweep<T> s;
  std::int64_t items() const { return s.rows; }
  KOKKOS_INLINE_FUNCTION void take(std::int64_t item, Bits<T>& greatest) const {
    greatest = greatest_of_row(s, static_cast<int>(item), greatest);
  }
};

template <class T>
void greatest_residual(const Sweep<T>& s, T* into, const Stream& stream) {
  using Range = Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<std::int64_t>>;
  using Result = Kokkos::View<Bits<T>, KokkosSpace::memory_space, Kokkos::MemoryUnmanaged>;
  const ShapeIn<kokkos_shapes, ColumnsOfBands<T>, WholeRows<T>> all{s};
  Kokkos::parallel_reduce(
      "portcost::jacobi::residual", Range(kokkos_space(stream), 0, all.items()),
      KOKKOS_LAMBDA(const std::int64_t item, Bits<T>& greatest) { all.take(item, greatest); },
      Kokkos::Max<Bits<T>, KokkosSpace::memory_space>(Result(reinterpret_cast<Bits<T>*>(into))));
}

// three_rows, by one thread of a team: each band of a phase.
template <class T, void (Bands<T>::*phase)(int) const>
struct BandPhase {
  using On = Teams<1>;
  Bands<T> bands;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { (bands.*phase)(team.league_rank()); });
  }
};
template <class T>
void three_rows_sweep(const Task<T>& task, const Stream& stream) {
  using Save = BandPhase<T, &Bands<T>::save_edges>;
  using Relax = BandPhase<T, &Bands<T>::relax>;
  const Bands<T> bands(task);
  const auto policy = Save::On::policy(stream, bands.count);
  Kokkos::parallel_for("portcost::jacobi::save_edges", policy, Save{bands});
  Kokkos::parallel_for("portcost::jacobi::three_rows", policy, Relax{bands});
}

// many_steps on a host, a tile a team.
template <class T>
struct ManyStepsOnHost {
  using On = Teams<1>;
  ManyStepsTiles<T> tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { tiles.advance(team.league_rank()); });
  }
};
struct HostManyStepsShape {
  template <class T>
  static void pass(const Sweep<T>& s, int sweeps, int threads, const Stream& stream) {
    using Made = ManyStepsOnHost<T>;
    const ManyStepsTiles<T> tiles(s, sweeps, threads);
    Kokkos::parallel_for("portcost::jacobi::many_steps", Made::On::policy(stream, tiles.count()),
                         Made{tiles});
  }
};

// A step whose passes of up to `most` sweeps are a launch each.
template <class T, class Pass>
void passes(const Task<T>& task, int most, const Stream& stream, const Pass& pass) {
  carry_out(task, most, pass,
            [&](const Sweep<T>& s, T* into) { greatest_residual(s, into, stream); });
}

struct ByNaive {
  template <class T>
  static void sweep(const Sweep<T>& s, const Stream& on) {
    constexpr NaiveShape shape = naive_shape(kokkos_shapes);
    launch<Naive>("portcost::jacobi::naive", s, on, shape.x, shape.y);
  }
};
struct ByRegisterMarch {
  template <class T>
  static void sweep(const Sweep<T>& s, const Stream& on) {
    launch<RegisterMarch>("portcost::jacobi::register_march", s, on, lanes * piece<T>,
                          march_warps * march_rows);
  }
};
// Whole rows, by the fastest kernel of a place.
using WholeRowsBy = ShapeIn<kokkos_shapes, ByRegisterMarch, ByNaive>;

// ---- Several sweeps a pass over memory. A team walks down a band of rows, 16 bytes an item and
// row. With each new row, each level (the grid after so many sweeps) advances by one row; its north
// and south are in registers. West and east of an item's columns come from scratch, where each item
// stored the first and the last column of its previous row of every level: one barrier a row.

template <class T, int depth>
struct ManySteps {
  using Shape = ManyShape<T, depth>;
  using On = Teams<many_warps, Shape::teams, Lanes::one>;
  using Member = typename On::Member;
  static constexpr int columns = piece<T>, most_own = On::most_own(many_threads);
  Sweep<T> s;
  TileGrid tiles;
  int height;

  /// The first column of a tile, halo included, and its rows [y0, y1).
  struct Tile {
    int x0, y0, y1;
  };
  /// An item's columns. beta is 0 for columns of the frame and beyond, which do not change. Of each
  /// level but the last it has the two most recent rows, and for each of these rows the right
  /// side's addend. Two rows of both grids are prefetched.
  struct Own {
    T beta[columns];
    Wide<T> row[depth][2], source[depth];
    Wide<T> next_in[2], next_right[2];
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * Shape::columns - Shape::halo, y0 = ty * height;
    const int rows = s.rows - y0 < height ? s.rows - y0 : height;
    T* const scratch = On::template scratch<T>(team, Shape::scratch_elements);
    if (x0 < 0 || x0 > s.columns - many_threads * columns) {
      work<true>(team, Tile{x0, y0, y0 + rows}, scratch);
    } else {
      work<false>(team, Tile{x0, y0, y0 + rows}, scratch);
    }
  }

  template <bool sides>
  KOKKOS_FUNCTION void work(const Member& team, const Tile& tile, T* scratch) const {
    Own own[most_own] = {};
    const int first = tile.y0 - depth;
    On::template for_own<many_threads>(team, [&](int item, int k) {
      for (int j = 0; j < columns; ++j) {
        own[k].beta[j] = s.inside(0, tile.x0 + item * columns + j) ? s.c.beta : T(0);
      }
      for (int t = 0; t < 2 * depth; ++t) scratch[t * many_threads + item] = 0;
      for (int ahead = 0; ahead < 2; ++ahead) {
        own[k].next_in[ahead] = load<true>(s.in, tile, item, first + ahead);
        own[k].next_right[ahead] = load<true>(s.right_side, tile, item, first + ahead);
      }
    });
    team.team_barrier();
    for (int y = first; y < tile.y1 + depth; y += Shape::unrolled) {
      if (y >= depth && y < s.rows - Shape::unrolled) {
        advance_all<sides, false>(team, tile, own, scratch, y);
      } else {
        advance_all<sides, true>(team, tile, own, scratch, y);
      }
    }
  }

  template <bool sides, bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void advance_all(const Member& team, const Tile& tile, Own* own,
                                               T* scratch, int y) const {
#pragma unroll
    for (int turn = 0; turn < Shape::unrolled; ++turn) {
      On::template for_own<many_threads>(team, [&](int item, int k) {
        advance<sides, ends>(tile, own[k], scratch, item, y + turn, turn);
      });
      team.team_barrier();
    }
  }

  // Row y of the grid, the `turn`-th of the unrolled rows, has arrived: level t + 1 computes its
  // row y - 1 - t. `sides`: some columns are not inside; their source is their value, and the grid
  // beyond the frame is 0. `ends`: some rows are not inside.
  template <bool sides, bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Tile& tile, Own& own, T* scratch, int item, int y,
                                           int turn) const {
    const int now = turn & 1, x = tile.x0 + item * columns;
    const int west = (item > 0 ? item - 1 : 0) + many_threads;
    const int east = item < many_threads - 1 ? item + 1 : item;
    const T* const before = scratch + now * Shape::half_elements;
    T* const after = scratch + (1 - now) * Shape::half_elements;
    Wide<T> south = own.next_in[now], added = own.next_right[now];
    own.next_in[now] = load<ends>(s.in, tile, item, y + 2);
    own.next_right[now] = load<ends>(s.right_side, tile, item, y + 2);
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      if (sides && (x + j < -1 || x + j > s.columns)) south.at[j] = 0;
      added.at[j] = sides && own.beta[j] == 0 ? south.at[j] : source(s.c, added.at[j]);
    }
#pragma unroll
    for (int t = 0; t < depth; ++t) {
      const int at = t * Shape::level_elements;
      const Wide<T> next = relaxed_piece<sides, ends>(
          s, own.beta, own.row[t][now], own.row[t][1 - now], south, before[at + west],
          before[at + east], own.source[(turn + depth - 1 - t) % depth], y - 1 - t);
      own.row[t][now] = south;
      after[at + item] = south.at[0];
      after[at + many_threads + item] = south.at[columns - 1];
      south = next;
    }
    own.source[turn % depth] = added;
    const int done = y - depth;
    if (stores(item, x) && done >= tile.y0 && done < tile.y1) {
      *reinterpret_cast<Wide<T>*>(s.row_out(done) + x) = south;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool stores(int item, int x) const {
    return item >= Shape::halo_threads && item < many_threads - Shape::halo_threads &&
           x < s.columns;
  }

  // An item's columns of row y, limited to the grid.
  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION Wide<T> load(const T* grid, const Tile& tile, int item, int y) const {
    const int x = clamped(tile.x0 + item * columns, -Shape::halo, s.columns / columns * columns);
    const int row = ends ? clamped(y, -1, s.rows) : y;
    return *reinterpret_cast<const Wide<T>*>(grid + s.offset(row) + x);
  }
};

struct ManyStepsShape {
  /// A pass of 1, 2, 4 or 8 sweeps.
  template <int depth = most_depth, class T>
  static void pass(const Sweep<T>& s, int sweeps, int processors, const Stream& stream) {
    if constexpr (depth > 1) {
      if (sweeps < depth) return pass<depth / 2>(s, sweeps, processors, stream);
    }
    using Made = ManySteps<T, depth>;
    using Shape = ManyShape<T, depth>;
    const int strips = ceil_div(s.columns, Shape::columns);
    const int height = many_rows(s.rows, strips, processors * Shape::teams, Shape::unrolled);
    const TileGrid tiles{strips, ceil_div(s.rows, height)};
    Kokkos::parallel_for("portcost::jacobi::many_steps",
                         Made::On::policy(stream, tiles, scratch_bytes<T>(Shape::scratch_elements)),
                         Made{s, tiles, height});
  }
};

using Many = ShapeIn<kokkos_shapes, ManyStepsShape, HostManyStepsShape>;

template <class T>
Launches<T> launches() {
  return {ByNaive::sweep<T>, WholeRowsBy::template sweep<T>,
          [](const Sweep<T>& s, int sweeps, int processors, const Stream& on) {
            Many::pass(s, sweeps, processors, on);
          },
          greatest_residual<T>};
}

}  // namespace

ModelLaunches kokkos_launches() { return {launches<float>(), launches<double>()}; }

Rungs kokkos_rungs() {
  const auto naive = []<class T>(const Task<T>& task, const Stream& on) {
    passes(task, 1, on, [&](const Sweep<T>& s, int) { ByNaive::sweep(s, on); });
  };
  const auto three_rows = []<class T>(const Task<T>& task, const Stream& on) {
    for (int sweep = 0; sweep < task.sweeps; ++sweep) three_rows_sweep(task, on);
    if (task.residual != nullptr) greatest_residual(task.sweep(), task.residual, on);
  };
  const auto device = []<class T>(const Task<T>& task, const Stream& on) {
    passes(task, 1, on, [&](const Sweep<T>& s, int) {
      launch<Device>("portcost::jacobi::device", s, on, device_columns, device_rows,
                     2 * device_threads);
    });
  };
  const auto register_march = []<class T>(const Task<T>& task, const Stream& on) {
    passes(task, 1, on, [&](const Sweep<T>& s, int) { ByRegisterMarch::sweep(s, on); });
  };
  const auto many_steps = []<class T>(const Task<T>& task, const Stream& on) {
    passes(task, task.depth, on,
           [&](const Sweep<T>& s, int sweeps) { Many::pass(s, sweeps, task.processors, on); });
  };
  return {rung(works, "naive", naive), host_step(works, "three_rows", three_rows),
          rung(works, "device", device), rung(works, "register_march", register_march),
          rung(works, "many_steps", many_steps)};
}

}  // namespace portcost::jacobi
