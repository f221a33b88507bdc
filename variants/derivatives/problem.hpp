// SPDX-License-Identifier: Apache-2.0
// derivatives: differences of eighth order of a periodic field on nx by ny by nz nodes. Plain C++.
//
//   for z, y, x:  out[z][y][x] = first_difference of the nine nodes from (x - 4, y, z) to
//   (x + 4, y, z), or the same along y or z, or all three, or the sum of second differences
#pragma once

#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <type_traits>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "variants/derivatives/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::derivatives {

/// What is asked for (size key `kind`). Below 3 it is the axis of one derivative. The Laplacian is
/// the sum of the three second derivatives. `stretched` is all three on a stretched grid.
enum Kind { along_x, along_y, along_z, all_three, laplacian, stretched, kinds };

/// These limits fit a team's rank and a CUDA grid's y and z.
inline constexpr std::int64_t least_extent = nine, most_extent = 65535;
inline constexpr std::int64_t most_nodes = std::int64_t{1} << 34, most_rows = 1 << 30;

struct Node {
  int x, y, z;
};
PORTCOST_HOST_DEVICE constexpr int coordinate(Node p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

/// An index that is at most `reach` outside of [0, n), brought into it: the field is periodic.
PORTCOST_HOST_DEVICE constexpr int wrapped(int i, int n) {
  return i < 0 ? i + n : i < n ? i : i - n;
}
/// As wrapped(), but 0 if i >= n + reach; no derivative uses this node.
PORTCOST_HOST_DEVICE constexpr int wrapped_or_zero(int i, int n) {
  return i < n + reach ? wrapped(i, n) : 0;
}

/// The field as every variant receives it: x varies fastest, rows follow each other without
/// padding, and the first is 256-byte aligned. `out` has one field, or the three derivatives one
/// after another. The period is 1 along each axis; on a stretched grid this is the period of the
/// uniform coordinate that the axis is a function of.
template <class T>
struct Field {
  const T* f;
  T* out;
  /// Of a stretched grid, d(uniform coordinate)/dx of each x, and the same of y and z; else null.
  const T* metric[3];
  int nx, ny, nz;
  Kind kind;
  Weights<T> w[3];  // along x, y and z

  PORTCOST_HOST_DEVICE int extent(int axis) const { return axis == 0 ? nx : axis == 1 ? ny : nz; }
  /// Elements of a plane: below 2^32.
  PORTCOST_HOST_DEVICE std::uint32_t plane() const {
    return static_cast<std::uint32_t>(nx) * static_cast<std::uint32_t>(ny);
  }
  /// Elements from a node to the next along an axis.
  PORTCOST_HOST_DEVICE std::int64_t step(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? nx : std::int64_t{plane()};
  }
  PORTCOST_HOST_DEVICE std::uint64_t size() const {
    return std::uint64_t{plane()} * static_cast<std::uint32_t>(nz);
  }
  PORTCOST_HOST_DEVICE std::uint64_t at(Node p) const {
    const auto y = static_cast<std::uint32_t>(p.y), z = static_cast<std::uint32_t>(p.z);
    return std::uint64_t{z} * plane() + y * static_cast<std::uint32_t>(nx) +
           static_cast<std::uint32_t>(p.x);
  }
  PORTCOST_HOST_DEVICE bool holds(Node p) const { return p.x < nx && p.y < ny && p.z < nz; }
};

/// Brings a node of a pencil along an axis into the grid; false where no derivative needs it.
template <int axis, class T>
PORTCOST_HOST_DEVICE bool wrap_into_grid(const Field<T>& s, Node& p) {
  int& i = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
  const int n = s.extent(axis);
  if (i >= n + reach) return false;
  i = wrapped(i, n);
  return s.holds(p);
}

/// The derivative along an axis, from the nine nodes around p.
template <class T>
PORTCOST_HOST_DEVICE inline T first_at(const Field<T>& s, Node p, int axis, const T* f) {
  const T d = first_difference(s.w[axis], f);
  return s.metric[axis] != nullptr ? s.metric[axis][coordinate(p, axis)] * d : d;
}
/// Stores the derivative in field `which` of the answer.
template <class T>
PORTCOST_HOST_DEVICE inline void store_first(const Field<T>& s, Node p, int axis, int which,
                                             const T* f) {
  s.out[s.at(p) + static_cast<std::uint32_t>(which) * s.size()] = first_at(s, p, axis, f);
}
/// Stores what `kind` asks for, from the nine nodes around p along each axis that it needs.
template <Kind kind, class T>
PORTCOST_HOST_DEVICE inline void store(const Field<T>& s, Node p, T (&f)[3][nine]) {
  if constexpr (kind < all_three) {
    store_first(s, p, kind, 0, f[kind]);
  } else if constexpr (kind == all_three) {
    for (int axis = 0; axis < 3; ++axis) store_first(s, p, axis, axis, f[axis]);
  } else {
    static_assert(kind == laplacian, "a stretched grid takes all_three");
    s.out[s.at(p)] = second_difference(s.w[0], f[0]) + second_difference(s.w[1], f[1]) +
                     second_difference(s.w[2], f[2]);
  }
}
/// Whether `kind` needs the nodes along an axis.
template <Kind kind>
PORTCOST_HOST_DEVICE constexpr bool needs(int axis) {
  return kind >= all_three || kind == axis;
}
/// A kind as a constant. with() calls f(Constant<kind>()) if `some` has `kind`.
template <Kind kind>
using Constant = std::integral_constant<Kind, kind>;
template <Kind... some, class F>
void with(Kind kind, const F& f) {
  static_cast<void>(((kind == some && (f(Constant<some>()), true)) || ...));
}

// ---- Inputs.

/// Element `at` of the field, in [0, 1).
template <class T>
constexpr T element(std::uint64_t seed, std::uint64_t at) {
  return in_unit<T>(random_bits(seed, at));
}
/// The metric at node i of n on a stretched axis, x = u + sin(2 pi u) / (4 pi) with u = i / n.
inline double metric_at(std::int64_t i, std::int64_t n) {
  const double u = static_cast<double>(i) / static_cast<double>(n);
  return 1 / (1 + std::cos(2 * std::numbers::pi * u) / 2);
}

// ---- Shapes: part of the definition of a step, so both sides of a pair read
// them here.

inline constexpr int lanes = 32, warps = 8, threads = lanes * warps;

/// Nodes of a team.
struct Box {
  int x, y, z;
};

/// naive: a node a thread. On a host a team is one thread, and has a row.
PORTCOST_HOST_DEVICE constexpr Box naive_box(Place place) {
  return place == Place::device ? Box{lanes, warps, 1} : Box{1 << 16, 1, 1};
}

/// tile, long_pencils: the pencils of a team, `width` side by side along x (of derivatives along x:
/// along y), each 64 nodes long along the axis, with `reach` more at both ends in scratch. `tile`
/// has 4, as in NVIDIA's article, a node a thread; `long_pencils` has 32, so that a warp reads and
/// writes 32 neighbours of a row, and eight nodes a thread.
template <int axis, int width>
struct Pencils {
  static constexpr int nodes = 64, length = nodes + 2 * reach, elements = length * width;
  static constexpr Box box = axis == 0   ? Box{nodes, width, 1}
                             : axis == 1 ? Box{width, nodes, 1}
                                         : Box{width, 1, nodes};
  /// Elements that a thread loads, and nodes that it computes.
  static constexpr int loads = ceil_div(elements, threads), own = nodes * width / threads;
  /// Where element `at` of a tile of pencils of the given length lies: along its pencil, and which
  /// pencil.
  PORTCOST_HOST_DEVICE static constexpr int along(int at, int of_length) {
    return axis == 0 ? at % of_length : at / width;
  }
  PORTCOST_HOST_DEVICE static constexpr int across(int at, int of_length) {
    return axis == 0 ? at / of_length : at % width;
  }
  /// Where an element lies in scratch, and elements from it to the next of its pencil.
  PORTCOST_HOST_DEVICE static constexpr int place(int along, int across) {
    return axis == 0 ? across * length + along : along * width + across;
  }
  static constexpr int step = axis == 0 ? 1 : width;
  PORTCOST_HOST_DEVICE static constexpr Node node(Node first, int along, int across) {
    return {first.x + (axis == 0 ? along : across),
            first.y + (axis == 0   ? across
                       : axis == 1 ? along
                                   : 0),
            first.z + (axis == 2 ? along : 0)};
  }
};
inline constexpr int few = 4, many = 32;

/// Calls f with the elements of a row that a thread loads and stores at once: as many as `bytes`
/// hold, or 1 where rows do not begin at a multiple of them.
template <int bytes, class T, class F>
void with_piece(const Field<T>& s, const F& f) {
  constexpr int piece = bytes / static_cast<int>(sizeof(T));
  if (s.nx % piece == 0) return f(std::integral_constant<int, piece>());
  f(std::integral_constant<int, 1>());
}

/// wide: along x a thread has pieces of 16 bytes: four in f32, 32 pieces apart, else one. Along y
/// or z a thread has eight pieces of 8 bytes, adjacent along the axis. A thread loads all that its
/// pieces need; caches serve loads that several threads share.
template <int axis, int piece>
struct Wide {
  static constexpr int own = axis > 0 ? 8 : piece == 4 ? 4 : 1;
  static constexpr int warps = axis == 0 && own > 1 ? 8 : 16, threads = warps * lanes;
  static constexpr Box box{lanes * piece * (axis == 0 ? own : 1),
                           axis == 0   ? warps
                           : axis == 1 ? warps* own
                                       : 1,
                           axis == 2 ? warps* own : 1};
  PORTCOST_HOST_DEVICE static constexpr Node node(Node first, int thread) {
    const int warp = thread / lanes;
    first.x += thread % lanes * piece;
    (axis == 2 ? first.z : first.y) += axis == 0 ? warp : warp * own;
    return first;
  }
};

/// march_z: a warp has 32 pieces of 16 bytes side by side along x, and marches up z, `trip` pieces
/// at a time. A thread has twelve pieces in registers, and four loads in flight.
template <int piece>
struct March {
  static constexpr int axis = 2, warps = 16, threads = warps * lanes, trip = 4;
  static constexpr int longest = 512, least_teams = 256;
  PORTCOST_HOST_DEVICE static constexpr Box box(int stretch) {
    return {lanes * piece, warps, stretch};
  }
  PORTCOST_HOST_DEVICE static constexpr Node node(Node first, int thread) {
    return {first.x + thread % lanes * piece, first.y + thread / lanes, first.z};
  }
};

/// all_three, laplacian: a team has 32 rows of 32 pieces of 8 bytes, and marches up z; a thread has
/// four pieces, one above the other along y. For each a thread has a ring of ten planes in
/// registers: nine in use, one being loaded. The team's k-th plane lies in slot k modulo 10, so
/// that a loop unrolled by ten has constant slots. The plane that is computed lies in scratch with
/// `reach` more nodes on each side; a thread loads at most two of these edge pieces. Two planes
/// take turns, so that one barrier a plane is enough.
template <int piece>
struct Planes {
  static constexpr int axis = 2, ring = nine + 1, longest = 64, least_teams = 1024;
  /// Resident teams per multiprocessor. They leave a thread 128 registers.
  static constexpr int resident = 2;
  static constexpr int sides = reach / piece, rows = 4, height = rows * warps;
  static constexpr int pitch = lanes + 2 * sides, elements = pitch * (height + 2 * reach);
  /// Pieces above and below, and all outside of the plane.
  static constexpr int rim = 2 * reach * lanes, edges = rim + 2 * sides * height;
  static constexpr int own_edges = ceil_div(edges, threads);
  PORTCOST_HOST_DEVICE static constexpr Box box(int stretch) {
    return {lanes * piece, height, stretch};
  }
  PORTCOST_HOST_DEVICE static constexpr int place(int x, int y) {
    return (y + reach) * pitch + x + sides;
  }
  /// The column, in pieces, and the row of edge piece i from the team's first node.
  PORTCOST_HOST_DEVICE static constexpr Node edge(int i) {
    if (i < rim) return {i % lanes, outside(i / lanes, reach, height), 0};
    i -= rim;
    return {outside(i % (2 * sides), sides, lanes), i / (2 * sides), 0};
  }

 private:
  /// The h-th index of [-more, 0) and [extent, extent + more).
  PORTCOST_HOST_DEVICE static constexpr int outside(int h, int more, int extent) {
    return h < more ? h - more : h - more + extent;
  }
};

/// Nodes that a team of Shape marches along its axis: `longest`, and fewer, at least 16, where that
/// gives fewer than `least_teams` teams. The first and last `reach` nodes are read by two teams.
template <class Shape>
constexpr int stretch_of(int nx, int ny, int nz) {
  int result = Shape::longest;
  const auto teams = [&](Box box) {
    return std::int64_t{ceil_div(nx, box.x)} * ceil_div(ny, box.y) * ceil_div(nz, box.z);
  };
  while (result > 16 && teams(Shape::box(result)) < Shape::least_teams) result /= 2;
  return result;
}

// ---- The problem.

inline Kind kind_of(const Problem& p) { return static_cast<Kind>(p.size.at("kind")); }
/// The fields of the answer.
inline std::size_t fields_of(const Problem& p) {
  return kind_of(p) == all_three || kind_of(p) == stretched ? 3 : 1;
}

/// Sets the weights of a grid with so many nodes along x, y and z: of the whole grid, whose period
/// is 1, not of a process's share.
template <class T>
void set_weights(Field<T>& s, const std::int64_t (&n)[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    const double h = 1 / static_cast<double>(n[axis]);
    const Weights<double> w = s.kind == laplacian ? second_weights(h) : first_weights(h);
    s.w[axis].centre = static_cast<T>(w.centre);
    for (int k = 0; k < reach; ++k) s.w[axis].at[k] = static_cast<T>(w.at[k]);
  }
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Field<float>, Field<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

/// For Rung::unless: why a step does not take a problem whose kind is not among the bits.
constexpr auto only(unsigned kinds, std::string_view which) {
  return [=](const Problem& p) { return kinds >> kind_of(p) & 1 ? std::string_view() : which; };
}
inline constexpr auto one_axis = only(0b111, "derivatives along one axis alone: kind=0 to 2");
inline constexpr auto y_or_z =
    only(0b110, "derivatives along y or z alone (along x `tile` reads rows): kind=1 or 2");
inline constexpr auto z_alone = only(0b100, "derivatives along z alone: kind=2");
inline constexpr auto three_alone = only(0b101000, "all three derivatives alone: kind=3 or 5");
inline constexpr auto three_or_laplacian =
    only(0b111000, "all three derivatives or the Laplacian: kind=3, 4 or 5");
inline constexpr auto laplacian_alone = only(0b10000, "the Laplacian alone: kind=4");

/// Functions of rungs: f(kind, work, stream) with the kind as a constant (of_kind: stretched grids
/// have the kernels of all_three), and f(axis, width, work, stream) of a single axis.
template <class F>
auto of_kind(const F& f) {
  return [f](const auto& s, const Stream& on) {
    with<along_x, along_y, along_z, all_three, laplacian>(s.kind == stretched ? all_three : s.kind,
                                                          [&](auto kind) { f(kind, s, on); });
  };
}
template <int width, class F>
auto of_axis(const F& f) {
  return [f](const auto& s, const Stream& on) {
    with<along_x, along_y, along_z>(
        s.kind, [&](auto axis) { f(axis, std::integral_constant<int, width>(), s, on); });
  };
}
template <Kind... some, class F>
auto of(const F& f) {
  return [f](const auto& s, const Stream& on) {
    with<some...>(s.kind, [&](auto kind) { f(kind, s, on); });
  };
}

}  // namespace portcost::derivatives
