// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 3): a
// RangePolicy over strided Views, an MDRangePolicy over a matrix in either layout, and deep_copy.
// Rows are padded as AllowPadding pads them.
#include <memory>
#include <string_view>
#include <type_traits>

#include "src/support/error.hpp"
#include "variants/shared/kokkos_usual.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

/// The extents of the tile of the dial, in each place.
struct DeviceTile : PolicyTile<32, 8> {
  static constexpr std::string_view dial = "tile=32x8";
};
struct HostTile : PolicyTile<16, 1024> {
  static constexpr std::string_view dial = "tile=16x1024";
};

namespace {

using Space = KokkosSpace;

template <class Element, class Layout>
using View =
    Kokkos::View<Element, Layout, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// n elements one after another, or from `offset` on and `stride` apart.
template <bool apart, class T, class Element>
auto line_of(Element* at, const Copies<T>& s) {
  const auto n = static_cast<std::size_t>(s.n);
  if constexpr (apart) {
    return View<Element*, Kokkos::LayoutStride>(
        at + s.offset, Kokkos::LayoutStride(n, static_cast<std::size_t>(s.stride)));
  } else {
    return View<Element*, DefaultLayout>(at, n);
  }
}

// Calls f(from, to) with Views of what is read and written.
template <Side side, class T, class F>
void on_lines(const Copies<T>& s, const F& f) {
  f(line_of<side != Side::writes>(s.a, s), line_of<side != Side::reads>(s.b, s));
}

template <class Policy, class From, class To>
void range(const Stream& stream, const From& from, const To& to) {
  using Index = typename Policy::index_type;
  Kokkos::parallel_for(
      "portcost::strides::usual",
      Policy(kokkos_space(stream), Index{0}, static_cast<Index>(to.extent(0))),
      KOKKOS_LAMBDA(const Index i) { to(i) = from(i); });
}
using DefaultRange = Kokkos::RangePolicy<Space>;
using WideRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

// The rows as a matrix. Of padded rows it is a part of a matrix whose rows are `pitch` long, as a
// View with padding is.
template <class Layout, bool padded, class T, class Element>
auto matrix_of(Element* at, const Copies<T>& s) {
  return view_of<Layout>(at, s.rows, s.columns, padded ? s.pitch : s.columns);
}

using GoodTile = ShapeIn<kokkos_shapes, DeviceTile, HostTile>;

template <int first, int second, class From, class To>
void md_range(const Stream& stream, const From& from, const To& to, PolicyTile<first, second>) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
  using Point = typename Policy::point_type;
  using Extent = typename Point::value_type;
  const Space& space = kokkos_space(stream);
  const Point begin{0, 0},
      end{static_cast<Extent>(to.extent(0)), static_cast<Extent>(to.extent(1))};
  Kokkos::parallel_for(
      "portcost::strides::usual",
      first == 0 ? Policy(space, begin, end) : Policy(space, begin, end, {first, second}),
      KOKKOS_LAMBDA(const int i, const int j) { to(i, j) = from(i, j); });
}

// Throws Failure unless Kokkos pads a row of T as pitch_of() says.
template <class T, class Layout>
void check_padding(int columns, int pitch) {
  const auto n = static_cast<std::size_t>(columns);
  constexpr bool of_left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
  const Kokkos::View<T**, Layout, Space::memory_space> view(
      Kokkos::view_alloc("portcost::strides::padding", Kokkos::AllowPadding,
                         Kokkos::WithoutInitializing),
      of_left ? n : 2, of_left ? 2 : n);
  const auto apart = static_cast<std::size_t>(of_left ? view.stride_1() : view.stride_0());
  require(apart == static_cast<std::size_t>(pitch),
          "Kokkos pads rows of " + std::to_string(columns) + " elements to " +
              std::to_string(apart) + ", where " + std::to_string(pitch) + " are assumed");
}

// padded_rows in Views: made ready only where Kokkos's padding is as it is assumed.
template <class T, class F>
class Padded final : public Execution {
 public:
  Padded(const Copies<T>& s, const Stream& stream, const F& f) : s_(s), stream_(stream), f_(f) {
    check_padding<T, Kokkos::LayoutLeft>(s.columns, s.pitch);
    check_padding<T, Kokkos::LayoutRight>(s.columns, s.pitch);
  }
  void run(int) override { f_(s_, stream_); }

 private:
  Copies<T> s_;
  const Stream& stream_;
  F f_;
};

template <class Layout, class Tile, bool padded, class T>
void rows(const Copies<T>& s, const Stream& stream) {
  md_range(stream, matrix_of<Layout, padded>(s.a, s), matrix_of<Layout, padded>(s.b, s), Tile());
}
template <bool padded, class T>
void copy_rows(const Copies<T>& s, const Stream& stream) {
  Kokkos::deep_copy(kokkos_space(stream), matrix_of<DefaultLayout, padded>(s.b, s),
                    matrix_of<DefaultLayout, padded>(s.a, s));
}

template <Side side, class Policy, class T>
void lines(const Copies<T>& s, const Stream& stream) {
  on_lines<side>(s, [&](const auto& from, const auto& to) { range<Policy>(stream, from, to); });
}
template <Side side, class T>
void copy_lines(const Copies<T>& s, const Stream& stream) {
  on_lines<side>(s, [&](const auto& from, const auto& to) {
    Kokkos::deep_copy(kokkos_space(stream), to, from);
  });
}

// Plain Views, or a source whose trait asks for the read-only path.
template <unsigned traits, class T>
void gather(const Copies<T>& s, const Stream& stream) {
  const Kokkos::View<const T*, Space::memory_space,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged | traits>>
      from(s.a, static_cast<std::size_t>(s.columns));
  const View<T*, DefaultLayout> to(s.b, static_cast<std::size_t>(s.n));
  Kokkos::parallel_for(
      "portcost::strides::usual", DefaultRange(kokkos_space(stream), 0, s.n),
      KOKKOS_LAMBDA(const int i) { to(i) = from(picked(s, i)); });
}

template <bool alike, class T, class Table>
void scale(const Copies<T>& s, const Stream& stream, const Table& table) {
  const View<const T*, DefaultLayout> from(s.a, static_cast<std::size_t>(s.n));
  const View<T*, DefaultLayout> to(s.b, static_cast<std::size_t>(s.n));
  Kokkos::parallel_for(
      "portcost::strides::usual", DefaultRange(kokkos_space(stream), 0, s.n),
      KOKKOS_LAMBDA(const int i) { to(i) = from(i) * table(which<alike>(i)); });
}
// The coefficients in a View.
template <bool alike, class T>
class ScaledByView final : public Execution {
 public:
  ScaledByView(const Copies<T>& s, const Stream& stream) : s_(s), stream_(stream) {
    const auto host = Kokkos::create_mirror_view(table_);
    const Coefficients<T> coefficients;
    for (int k = 0; k < coefficients.count; ++k) host(k) = coefficients(k);
    Kokkos::deep_copy(table_, host);
  }
  void run(int) override { scale<alike>(s_, stream_, table_); }

 private:
  Copies<T> s_;
  const Stream& stream_;
  Kokkos::View<T[Coefficients<T>::count], Space::memory_space> table_{"portcost::strides::table"};
};
template <bool alike>
constexpr auto scaled =
    []<class T>(const Copies<T>& s, const Stream& on) { scale<alike>(s, on, Coefficients<T>()); };
template <bool alike>
constexpr auto scaled_by_view =
    []<class T>(const Copies<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
  return std::make_unique<ScaledByView<alike, T>>(s, on);
};

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto reads = [](std::string_view dials, const auto& f) {
    return rung(works, "reads", f).written(Way::usual, dials);
  };
  const auto writes = [](std::string_view dials, const auto& f) {
    return rung(works, "writes", f).written(Way::usual, dials);
  };
  const auto both = [](std::string_view dials, const auto& f) {
    return rung(works, "both", f).written(Way::usual, dials);
  };
  const auto packed = [](std::string_view dials, const auto& f) {
    return rung(works, "packed_rows", f).written(Way::usual, dials).unless(no_rows);
  };
  const auto padded = [](std::string_view dials, const auto& f) {
    const auto made = [f]<class T>(const Copies<T>& s,
                                   const Stream& on) -> std::unique_ptr<Execution> {
      return std::make_unique<Padded<T, std::decay_t<decltype(f)>>>(s, on, f);
    };
    return rung(works, "padded_rows", made).written(Way::usual, dials).unless(no_rows);
  };
  const auto alike = [](std::string_view dials, const auto& f) {
    return rung(works, "scaled_alike", f).written(Way::usual, dials).unless(no_rows);
  };
  const auto apart = [](std::string_view dials, const auto& f) {
    return rung(works, "scaled_apart", f).written(Way::usual, dials).unless(no_rows);
  };
  return {
      reads("", [](const auto& s, const Stream& on) { lines<Side::reads, DefaultRange>(s, on); }),
      reads("index=int64",
            [](const auto& s, const Stream& on) { lines<Side::reads, WideRange>(s, on); }),
      reads("call=deep_copy",
            [](const auto& s, const Stream& on) { copy_lines<Side::reads>(s, on); }),
      writes("", [](const auto& s, const Stream& on) { lines<Side::writes, DefaultRange>(s, on); }),
      writes("index=int64",
             [](const auto& s, const Stream& on) { lines<Side::writes, WideRange>(s, on); }),
      writes("call=deep_copy",
             [](const auto& s, const Stream& on) { copy_lines<Side::writes>(s, on); }),
      both("", [](const auto& s, const Stream& on) { lines<Side::both, DefaultRange>(s, on); }),
      both("index=int64",
           [](const auto& s, const Stream& on) { lines<Side::both, WideRange>(s, on); }),
      both("call=deep_copy",
           [](const auto& s, const Stream& on) { copy_lines<Side::both>(s, on); }),
      packed("",
             [](const auto& s, const Stream& on) { rows<DefaultLayout, OwnTile, false>(s, on); }),
      packed(GoodTile::dial,
             [](const auto& s, const Stream& on) { rows<DefaultLayout, GoodTile, false>(s, on); }),
      packed(default_is_left ? "layout=right" : "layout=left",
             [](const auto& s, const Stream& on) { rows<OtherLayout, OwnTile, false>(s, on); }),
      packed("call=deep_copy", [](const auto& s, const Stream& on) { copy_rows<false>(s, on); }),
      padded("",
             [](const auto& s, const Stream& on) { rows<DefaultLayout, OwnTile, true>(s, on); }),
      padded(GoodTile::dial,
             [](const auto& s, const Stream& on) { rows<DefaultLayout, GoodTile, true>(s, on); }),
      padded(default_is_left ? "layout=right" : "layout=left",
             [](const auto& s, const Stream& on) { rows<OtherLayout, OwnTile, true>(s, on); }),
      padded("call=deep_copy", [](const auto& s, const Stream& on) { copy_rows<true>(s, on); }),
      rung(works, "gather", [](const auto& s, const Stream& on) { gather<0>(s, on); })
          .written(Way::usual)
          .unless(no_rows),
      rung(works, "gather_read_only",
           [](const auto& s, const Stream& on) { gather<Kokkos::RandomAccess>(s, on); })
          .written(Way::usual)
          .unless(no_rows),
      alike("", scaled<true>),
      alike("coefficients=view", scaled_by_view<true>),
      apart("", scaled<false>),
      apart("coefficients=view", scaled_by_view<false>),
  };
}

}  // namespace portcost::strides
