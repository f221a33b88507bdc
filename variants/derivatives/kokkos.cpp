// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants (kokkos_team.hpp explains the tricks). TeamVectorRange distributes a
// team's nodes; only `planes` fixes each thread's nodes, whose columns stay in registers across
// barriers.
#include <cstdint>

#include "variants/derivatives/bodies.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::derivatives {

namespace {

// Boxes of the grid, numbered like a league, x fastest.
class Boxes {
 public:
  template <class T>
  Boxes(const Field<T>& s, Box box)
      : box_(box),
        columns_(ceil_div(s.nx, box.x)),
        rows_(ceil_div(s.ny, box.y)),
        planes_(ceil_div(s.nz, box.z)) {}
  std::int64_t count() const { return std::int64_t{columns_.by()} * rows_.by() * planes_; }
  KOKKOS_FUNCTION Node first(int rank) const {
    const int row = columns_(rank), plane = rows_(row);
    return {columns_.rest(rank, row) * box_.x, rows_.rest(row, plane) * box_.y, plane * box_.z};
  }

 private:
  Box box_;
  Divisor columns_, rows_;
  int planes_;
};

// A node whose neighbours may lie at the other end.
template <Kind kind, class T>
KOKKOS_INLINE_FUNCTION void node(const Field<T>& s, Node p) {
  const T* const centre = s.f + s.at(p);
  T f[3][nine] = {};
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    if (!needs<kind>(axis)) continue;
    const int i = coordinate(p, axis);
#pragma unroll
    for (int k = 0; k < nine; ++k) {
      f[axis][k] = centre[(wrapped(i + k - reach, s.extent(axis)) - i) * s.step(axis)];
    }
  }
  store<kind>(s, p, f);
}

template <Kind kind, class T>
struct NaiveNodes {
  static constexpr Box box = naive_box(Place::device);
  using On = Teams<warps>;
  using Index = typename On::Index;
  Field<T> s;
  Boxes boxes;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const Node first = boxes.first(team.league_rank());
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      const Node p{first.x + item % lanes, first.y + item / lanes, first.z};
      if (s.holds(p)) node<kind>(s, p);
    });
  }
};

// A row a team, for hosts: one thread does the row.
template <Kind kind, class T>
struct NaiveRow {
  static constexpr Box box = naive_box(Place::host);
  using On = Teams<warps>;
  Field<T> s;
  Boxes boxes;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const Field<T> own = s;  // the functor is shared, and would be loaded again for each vector
    const Node first = boxes.first(team.league_rank());
    const int y = first.y, z = first.z;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      const T* rows[3][nine];
      for (int k = 0; k < nine; ++k) {
        rows[0][k] = own.f + own.at({0, y, z}) + (k - reach);
        rows[1][k] = own.f + own.at({0, wrapped(y + k - reach, own.ny), z});
        rows[2][k] = own.f + own.at({0, y, wrapped(z + k - reach, own.nz)});
      }
      for (int x = 0; x < reach; ++x) {
        node<kind>(own, {x, y, z});
        node<kind>(own, {own.nx - 1 - x, y, z});
      }
      On::for_lanes(team, reach, own.nx - reach, [&](int x) {
        T f[3][nine];
        for (int axis = 0; axis < 3; ++axis) {
          for (int k = 0; k < nine; ++k) f[axis][k] = needs<kind>(axis) ? rows[axis][k][x] : T(0);
        }
        store<kind>(own, {x, y, z}, f);
      });
    });
  }
};

template <Kind kind, class T>
using Naive = ShapeIn<kokkos_shapes, NaiveNodes<kind, T>, NaiveRow<kind, T>>;

template <Kind axis, int width, class T>
struct PencilTeams {
  using Shape = Pencils<axis, width>;
  using On = Teams<warps>;
  using Index = typename On::Index;
  Field<T> s;
  Boxes boxes;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const Node first = boxes.first(team.league_rank());
    T* const tile = On::template scratch<T>(team, Shape::elements);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index item) {
      T loaded[Shape::loads] = {};
#pragma unroll
      for (int k = 0; k < Shape::loads; ++k) {
        const int at = static_cast<int>(item) + k * threads;
        Node p = Shape::node(first, Shape::along(at, Shape::length) - reach,
                             Shape::across(at, Shape::length));
        if (at < Shape::elements && wrap_into_grid<axis>(s, p)) loaded[k] = s.f[s.at(p)];
      }
#pragma unroll
      for (int k = 0; k < Shape::loads; ++k) {
        const int at = static_cast<int>(item) + k * threads;
        if (at < Shape::elements) tile[at] = loaded[k];
      }
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index item) {
#pragma unroll
      for (int k = 0; k < Shape::own; ++k) {
        const int at = static_cast<int>(item) + k * threads;
        const int along = Shape::along(at, Shape::nodes), across = Shape::across(at, Shape::nodes);
        const Node p = Shape::node(first, along, across);
        T f[nine];
#pragma unroll
        for (int j = 0; j < nine; ++j) f[j] = tile[Shape::place(along, across) + j * Shape::step];
        if (s.holds(p)) store_first(s, p, axis, 0, f);
      }
    });
  }
};

template <int axis, int piece, class T>
struct WideTeams {
  using Shape = Wide<axis, piece>;
  using On = Teams<Shape::warps>;
  using Index = typename On::Index;
  Field<T> s;
  Boxes boxes;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const Node first = boxes.first(team.league_rank());
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Shape::threads}), [&](Index item) {
      wide<axis, piece>(s, Shape::node(first, static_cast<int>(item)));
    });
  }
};

template <int piece, class T>
struct MarchTeams {
  using Shape = March<piece>;
  using On = Teams<Shape::warps>;
  using Index = typename On::Index;
  Field<T> s;
  Boxes boxes;
  int stretch;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const Node first = boxes.first(team.league_rank());
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Shape::threads}), [&](Index item) {
      march<piece>(s, Shape::node(first, static_cast<int>(item)), stretch);
    });
  }
};

template <Kind kind, int piece, class T>
struct PlaneTeams {
  using Shape = Planes<piece>;
  using On = Teams<warps, Shape::resident, Lanes::one>;
  using Element = Piece<T, piece>;
  Field<T> s;
  Boxes boxes;
  int stretch;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const Node first = boxes.first(team.league_rank());
    const int end = compat::min(first.z + stretch, s.nz);
    Element* const planes = On::template scratch<Element>(team, 2 * Shape::elements);
    Columns<T, piece> of[On::most_own(threads)];
    On::template for_own<threads>(team, [&](int item, int k) { of[k].begin(s, first, item); });
#pragma unroll 1
    for (int begin = first.z; begin < end; begin += Shape::ring) {
#pragma unroll
      for (int phase = 0; phase < Shape::ring; ++phase) {
        const int z = begin + phase;
        if (z >= end) break;
        Element* const now = planes + phase % 2 * Shape::elements;
        On::template for_own<threads>(team, [&](int, int k) { of[k].publish(now, phase); });
        team.team_barrier();
        On::template for_own<threads>(team, [&](int, int k) {
          if (z + 1 < end) of[k].load(s, z + 1, phase + 1);
          of[k].template compute<kind>(s, now, first, z, phase);
        });
      }
    }
  }
};

// A kernel on boxes, with so many elements of scratch.
template <class Kernel, class T, class... More>
void launch(const char* label, const Field<T>& s, const Stream& stream, Box box, int elements,
            More... more) {
  const Boxes boxes(s, box);
  require(boxes.count() <= Kernel::On::most_teams, "more boxes than a league can hold");
  Kokkos::parallel_for(label,
                       Kernel::On::policy(stream, static_cast<int>(boxes.count()),
                                          elements > 0 ? scratch_bytes<T>(elements) : 0),
                       Kernel{s, boxes, more...});
}

}  // namespace

Rungs kokkos_rungs() {
  const auto naive = []<class T>(auto kind, const Field<T>& s, const Stream& on) {
    using NaiveKernel = Naive<decltype(kind)::value, T>;
    launch<NaiveKernel>("portcost::derivatives::naive", s, on, NaiveKernel::box, 0);
  };
  const auto pencils = []<class T>(auto axis, auto width, const Field<T>& s, const Stream& on) {
    using PencilKernel = PencilTeams<decltype(axis)::value, decltype(width)::value, T>;
    launch<PencilKernel>(decltype(width)::value == few ? "portcost::derivatives::tile"
                                                       : "portcost::derivatives::long_pencils",
                         s, on, PencilKernel::Shape::box, PencilKernel::Shape::elements);
  };
  const auto march_z = []<class T>(const Field<T>& s, const Stream& on) {
    with_piece<16>(s, [&](auto piece) {
      using MarchKernel = MarchTeams<decltype(piece)::value, T>;
      using Shape = typename MarchKernel::Shape;
      const int stretch = stretch_of<Shape>(s.nx, s.ny, s.nz);
      launch<MarchKernel>("portcost::derivatives::march_z", s, on, Shape::box(stretch), 0, stretch);
    });
  };
  const auto wide = []<class T>(auto axis, auto, const Field<T>& s, const Stream& on) {
    constexpr int along = decltype(axis)::value;
    with_piece<along == 0 ? 16 : 8>(s, [&](auto piece) {
      using WideKernel = WideTeams<along, decltype(piece)::value, T>;
      launch<WideKernel>("portcost::derivatives::wide", s, on, WideKernel::Shape::box, 0);
    });
  };
  const auto planes = []<class T>(auto kind, const Field<T>& s, const Stream& on) {
    with_piece<8>(s, [&](auto piece) {
      using PlaneKernel = PlaneTeams<decltype(kind)::value, decltype(piece)::value, T>;
      using Shape = typename PlaneKernel::Shape;
      const int stretch = stretch_of<Shape>(s.nx, s.ny, s.nz);
      launch<PlaneKernel>(decltype(kind)::value == laplacian ? "portcost::derivatives::laplacian"
                                                             : "portcost::derivatives::all_three",
                          s, on, Shape::box(stretch), 2 * Shape::elements * decltype(piece)::value,
                          stretch);
    });
  };
  return {
      rung(works, "naive", of_kind(naive)),
      rung(works, "tile", of_axis<few>(pencils)).unless(one_axis),
      rung(works, "long_pencils", of_axis<many>(pencils)).unless(y_or_z),
      rung(works, "march_z", march_z).unless(z_alone),
      rung(works, "wide", of_axis<1>(wide)).unless(one_axis),
      rung(works, "all_three", of<all_three, stretched>(planes)).unless(three_alone),
      rung(works, "laplacian", of<laplacian>(planes)).unless(laplacian_alone),
      absent_rung("async_planes",
                  "Kokkos 4.6 grants a team 48 KiB of scratch, and names no asynchronous copies")};
}

}  // namespace portcost::derivatives
