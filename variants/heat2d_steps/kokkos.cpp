// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants (kokkos_team.hpp explains the tricks).
#include "variants/heat2d_steps/bodies.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::heat2d_steps {

namespace {

constexpr TileShape shape = tile_shape(kokkos_shapes);

template <class T>
KOKKOS_INLINE_FUNCTION const Wide<T>& wide(const T* at) {
  return *reinterpret_cast<const Wide<T>*>(at);
}
template <class T>
KOKKOS_INLINE_FUNCTION Wide<T>& wide(T* at) {
  return *reinterpret_cast<Wide<T>*>(at);
}
// A piece of the input; what lies beside the grid is of no use, and is not read.
template <bool inside, class T>
KOKKOS_INLINE_FUNCTION Wide<T> piece_of(const Pass<T>& p, int x, int y) {
  const T* const row = p.row_in(inside ? y : compat::min(compat::max(y, 0), p.ny - 1));
  if (inside || (x >= 0 && x < static_cast<int>(p.pitch))) return wide(row + x);
  return {};
}

// A team computes `steps` steps of its tile. Values within `steps` lines of the tile's rim become
// meaningless, and are not stored.
template <class T>
struct Overlapped {
  static constexpr int width = shape.width / static_cast<int>(sizeof(T)), height = shape.height;
  static constexpr int columns = shape.width / 16, nodes = width * height;
  using On = Teams<shape.warps>;
  using Index = typename On::Index;
  using Member = typename On::Member;
  Pass<T> p;
  int steps;
  TileGrid tiles;

  static TileGrid tiles_of(const Pass<T>& p, int steps) {
    return {ceil_div(p.nx, width - 2 * halo_of<T>(steps)), ceil_div(p.ny, height - 2 * steps)};
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    const int halo = halo_of<T>(steps), ty = tiles.row(team.league_rank());
    const int x0 = tiles.column(team.league_rank(), ty) * (width - 2 * halo) - halo;
    const int y0 = ty * (height - 2 * steps) - steps;
    const bool edge = x0 <= 0 || y0 <= 0 || x0 + width >= p.nx || y0 + height >= p.ny;
    T* const first = On::template scratch<T>(team, 2 * nodes + 16 / int{sizeof(T)});
    const auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % 16);
    T* now = first + (16 - past) % 16 / sizeof(T);
    T* next = now + nodes;
    if constexpr (shape.rows == 1) {
      by_rows(team, now, next, x0, y0, halo, edge);
    } else {
      by_pieces(team, now, next, x0, y0, halo, edge);
    }
  }

  // An item has a piece of shape.rows rows.
  template <class F>
  KOKKOS_INLINE_FUNCTION void for_items(const Member& team, const F& f) const {
    constexpr int items = columns * height / shape.rows;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{items}), [&](Index item) {
      f(static_cast<int>(item) % columns, static_cast<int>(item) / columns * shape.rows);
    });
  }
  KOKKOS_FUNCTION void by_pieces(const Member& team, T* now, T* next, int x0, int y0, int halo,
                                 bool edge) const {
    for_items(team, [&](int column, int row) {
#pragma unroll
      for (int r = 0; r < shape.rows; ++r) {
        wide(now + (row + r) * width + column * piece<T>) =
            piece_of<false>(p, x0 + column * piece<T>, y0 + row + r);
      }
    });
    team.team_barrier();
    for (int k = 0; k < steps; ++k) {
      for_items(team, [&](int column, int row) {
        const T* const from = now + column * piece<T>;
        const int west = column > 0 ? -1 : 0, east = column < columns - 1 ? piece<T> : 0;
        Wide<T> north = wide(from + compat::max(row - 1, 0) * width),
                here = wide(from + row * width);
#pragma unroll
        for (int r = 0; r < shape.rows; ++r) {
          const int y = row + r;
          const Wide<T> south = wide(from + compat::min(y + 1, height - 1) * width);
          wide(next + y * width + column * piece<T>) =
              next_piece(p, edge, x0 + column * piece<T>, y0 + y, from[y * width + west],
                         from[y * width + east], north, here, south);
          north = here;
          here = south;
        }
      });
      team.team_barrier();
      T* const last = now;
      now = next;
      next = last;
    }
    for_items(team, [&](int column, int row) {
      const int at = column * piece<T>;
      if (at < halo || at >= width - halo || x0 + at >= p.nx) return;
#pragma unroll
      for (int r = 0; r < shape.rows; ++r) {
        const int y = row + r;
        if (y >= steps && y < height - steps && y0 + y < p.ny) {
          wide(p.row_out(y0 + y) + x0 + at) = wide(now + y * width + at);
        }
      }
    });
  }

  // An item has a row. Each step leaves out the lines that the next ones do not need.
  KOKKOS_FUNCTION void by_rows(const Member& team, T* now, T* next, int x0, int y0, int halo,
                               bool) const {
    const int left = compat::max(x0, 0), right = compat::min(x0 + width, p.nx);
    const int top = compat::max(y0, 0), bottom = compat::min(y0 + height, p.ny);
    const auto for_rows = [&](int from, int to, const auto& f) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, from, compat::max(from, to)), f);
      team.team_barrier();
    };
    const auto copy = [&](T* to, const T* from, int begin, int end) {
      On::for_lanes(team, begin, end, [=](int x) { to[x] = from[x]; });
    };
    for_rows(top, bottom,
             [&](int y) { copy(now + (y - y0) * width - x0, p.row_in(y), left, right); });
    for (int k = 1; k <= steps; ++k) {
      const int first = left > 0 ? left + k : 0, last = right < p.nx ? right - k : p.nx;
      const int from = top > 0 ? top + k : 0, to = bottom < p.ny ? bottom - k : p.ny;
      for_rows(from, to, [&](int y) {
        const T* const row = now + (y - y0) * width - x0;
        T* const out = next + (y - y0) * width - x0;
        if (y == 0 || y == p.ny - 1) return copy(out, row, first, last);
        if (first == 0) out[0] = row[0];
        if (last == p.nx) out[p.nx - 1] = row[p.nx - 1];
        const Coefficients<T> c = p.c;
        On::for_lanes(team, compat::max(first, 1), compat::min(last, p.nx - 1), [=](int x) {
          out[x] = heat_step(c, row[x], row[x - 1], row[x + 1], row[x - width], row[x + width]);
        });
      });
      T* const done = next;
      next = now;
      now = done;
    }
    for_rows(y0 + steps, compat::min(y0 + height - steps, p.ny), [&](int y) {
      copy(p.row_out(y), now + (y - y0) * width - x0, x0 + halo,
           compat::min(x0 + width - halo, p.nx));
    });
  }
};

template <class T>
void overlapped(const Steps<T>& s, int depth, const Stream& stream) {
  using Kernel = Overlapped<T>;
  for_passes(
      s, std::min(depth, tile_depth(kokkos_shapes)), any_depth, [&](const Pass<T>& p, int steps) {
        const TileGrid tiles = Kernel::tiles_of(p, steps);
        const int bytes = scratch_bytes<T>(2 * Kernel::nodes + piece<T>);
        Kokkos::parallel_for("portcost::heat2d_steps::overlapped",
                             Kernel::On::policy(stream, tiles, bytes), Kernel{p, steps, tiles});
      });
}

// A warp's walk down its strip. Input rows are loaded `ahead` rows before they are used.
template <class T, int steps>
struct StreamY {
  using On = Teams<1, stream_teams<T>, Lanes::one>;
  Pass<T> p;
  TileGrid strips;
  int stretch;

  struct Walk {
    int lane, x, y0, end;
    Levels<T, steps> levels;
    T next[ahead][own];
  };

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    constexpr int halo = halo_of<T>(steps);
    const int ty = strips.row(team.league_rank());
    const int first = strips.column(team.league_rank(), ty) * strip<T, steps> - halo;
    const int y0 = ty * stretch, lane = team.team_rank();
    Walk walk{lane, first + lane * own, y0, compat::min(p.ny - y0, stretch) + y0, {}, {}};
#pragma unroll
    for (int j = 0; j < ahead; ++j) load_row<false>(walk.x, y0 - steps + j, walk.next[j]);
    const bool edge = first <= 0 || first + lanes * own >= p.nx;
    for (int y = y0 - steps; y < walk.end + steps; y += 3) {
      if (edge || y - steps <= 0 || y + 2 + ahead >= p.ny) {
        rows<false>(walk, y);
      } else {
        rows<true>(walk, y);
      }
    }
  }

  template <bool inside>
  KOKKOS_INLINE_FUNCTION void rows(Walk& walk, int y) const {
    row<inside, 0>(walk, y);
    row<inside, 1>(walk, y + 1);
    row<inside, 2>(walk, y + 2);
  }
  template <bool inside, int turn>
  KOKKOS_INLINE_FUNCTION void row(Walk& walk, int y) const {
    T done[own];
#pragma unroll
    for (int j = 0; j < own; ++j) walk.levels.row[0][turn][j] = walk.next[turn][j];
    load_row<inside>(walk.x, y + ahead, walk.next[turn]);
    const int lane = walk.lane;
    walk.levels.template advance<inside, turn>(
        p, walk.x, y,
        [lane](const T& value) { return On::of_lane(value, (lane + lanes - 1) % lanes, lanes); },
        [lane](const T& value) { return On::of_lane(value, (lane + 1) % lanes, lanes); }, done);
    const int to = y - steps;
    if (to < walk.y0 || to >= walk.end) return;
#pragma unroll
    for (int j = 0; j < own; j += piece<T>) {
      Wide<T> stored;
#pragma unroll
      for (int i = 0; i < piece<T>; ++i) stored.at[i] = done[j + i];
      const int at = lane * own + j;
      if (at >= halo_of<T>(steps) && at < lanes * own - halo_of<T>(steps) &&
          (inside || walk.x + j < p.nx)) {
        wide(p.row_out(to) + walk.x + j) = stored;
      }
    }
  }
  template <bool inside>
  KOKKOS_INLINE_FUNCTION void load_row(int x, int y, T (&row)[own]) const {
#pragma unroll
    for (int j = 0; j < own; j += piece<T>) {
      const Wide<T> loaded = piece_of<inside>(p, x + j, y);
#pragma unroll
      for (int i = 0; i < piece<T>; ++i) row[j + i] = loaded.at[i];
    }
  }
};

template <int steps, class T>
void stream_pass(const Pass<T>& p, const Stream& stream) {
  using Kernel = StreamY<T, steps>;
  const int strips = ceil_div(p.nx, strip<T, steps>), stretch = stretch_of(strips, p.ny, steps);
  const TileGrid grid{strips, ceil_div(p.ny, stretch)};
  Kokkos::parallel_for("portcost::heat2d_steps::stream_y", Kernel::On::policy(stream, grid),
                       Kernel{p, grid, stretch});
}

template <class T>
void stream_y(const Steps<T>& s, int depth, const Stream& stream) {
  for_passes(s, depth, power_depth, [&](const Pass<T>& p, int steps) {
    if (steps == 8) return stream_pass<8>(p, stream);
    if (steps == 4) return stream_pass<4>(p, stream);
    if (steps == 2) return stream_pass<2>(p, stream);
    stream_pass<1>(p, stream);
  });
}

std::string_view always(const Problem&) { return {}; }

}  // namespace

Rungs kokkos_rungs() {
  return {
      warp_step(
          works, "one_step", [](const auto& s, const Stream& on) { stream_y(s, 1, on); }, always),
      rung(works, "two_steps", [](const auto& s, const Stream& on) { overlapped(s, 2, on); }),
      rung(works, "overlapped",
           [](const auto& s, const Stream& on) { overlapped(s, s.depth, on); }),
      warp_step(
          works, "stream_y", [](const auto& s, const Stream& on) { stream_y(s, s.depth, on); },
          always)};
}

}  // namespace portcost::heat2d_steps
