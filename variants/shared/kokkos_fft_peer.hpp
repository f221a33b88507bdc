// SPDX-License-Identifier: Apache-2.0
// kokkos-fft as a peer: its plans and its normalisation, and the tuned kernel between.
#pragma once

#include <KokkosFFT.hpp>
#include <memory>

#include "variants/shared/kokkos_fft.hpp"

namespace portcost::fft {

/// The transforms of lines (rank 2, `axes` 1), of planes (2, 2) or of grids (3, 3) in Views with
/// LayoutRight. modes(s, 1, on) is between them.
template <class S, int rank, int axes, class Modes>
class KokkosFft final : public Execution {
  using T = typename S::Number;
  template <class Element>
  using Field =
      Kokkos::View<std::conditional_t<rank == 3, Element***, Element**>, Kokkos::LayoutRight,
                   KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Modified = Kokkos::complex<T>;

 public:
  KokkosFft(const S& s, const Stream& on, const Modes& modes)
      : s_(s),
        on_(on),
        modes_(modes),
        in_(field<T>(const_cast<T*>(s.f), s.shape().x)),
        out_(field<T>(s.out, s.shape().x)),
        spectrum_(field<Modified>(reinterpret_cast<Modified*>(s.spectrum), s.shape().modes())),
        forward_(kokkos_space(on), in_, spectrum_, KokkosFFT::Direction::forward, last_axes()),
        backward_(kokkos_space(on), spectrum_, out_, KokkosFFT::Direction::backward, last_axes()) {}

  void run(int) override {
    KokkosFFT::execute(forward_, in_, spectrum_);
    modes_(s_, 1, on_);
    KokkosFFT::execute(backward_, spectrum_, out_);
  }

 private:
  template <class Element>
  Field<Element> field(Element* memory, std::int64_t across) const {
    const auto extent = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const Shape shape = s_.shape();
    if constexpr (rank == 3) {
      return Field<Element>(memory, extent(shape.z), extent(shape.y), extent(across));
    } else {
      return Field<Element>(memory, extent(shape.rows()), extent(across));
    }
  }
  static KokkosFFT::axis_type<axes> last_axes() {
    KokkosFFT::axis_type<axes> result{};
    for (int i = 0; i < axes; ++i) result[static_cast<std::size_t>(i)] = i - axes;
    return result;
  }

  S s_;
  const Stream& on_;
  Modes modes_;
  Field<T> in_;  // not const: its plans take no such View
  Field<T> out_;
  Field<Modified> spectrum_;
  KokkosFFT::Plan<KokkosSpace, Field<T>, Field<Modified>, axes> forward_;
  KokkosFFT::Plan<KokkosSpace, Field<Modified>, Field<T>, axes> backward_;
};

template <int rank, int axes, class S, class Modes>
std::unique_ptr<Execution> kokkos_fft(const S& s, const Stream& on, const Modes& modes) {
  return std::make_unique<KokkosFft<S, rank, axes, Modes>>(s, on, modes);
}

}  // namespace portcost::fft
