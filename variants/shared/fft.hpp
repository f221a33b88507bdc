// SPDX-License-Identifier: Apache-2.0
// Transforms of real numbers by FFTW on the host and cuFFT on a device, the shapes of the kernels
// between transforms, and steps that both sides share. Plain C++.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/contract/rung.hpp"
#include "variants/shared/fft_rule.hpp"
#include "variants/shared/kokkos_runtime.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::fft {

/// Real numbers of `batch` lines, planes or grids one after another, x fastest. A transform has the
/// modes 0 to x / 2 along x and all modes along y and z. With `columns`: x rows of
/// `batch` complex numbers; each column is transformed in place.
struct Shape {
  std::int64_t x, y = 1, z = 1, batch = 1;
  bool columns = false;

  constexpr std::int64_t modes() const { return columns ? x : x / 2 + 1; }
  constexpr std::int64_t rows() const { return y * z * batch; }
  constexpr std::int64_t numbers() const { return x * rows(); }
  /// Elements of the transform.
  constexpr std::int64_t spectrum() const { return modes() * rows(); }
  /// Numbers of one line, plane or grid: forward() and backward() together multiply by factor().
  constexpr std::int64_t factor() const { return x * y * z; }
  /// Nodes of the slowest axis, and modes per node; batch is 1.
  constexpr std::int64_t slowest() const { return z > 1 ? z : y; }
  constexpr std::int64_t per_node() const { return spectrum() / slowest(); }
  /// Without the slowest axis; batch is 1.
  constexpr Shape without_slowest() const { return {x, z > 1 ? y : 1, 1, slowest()}; }
  std::string text() const;
};

/// The reason why this build has no transforms in a place; empty if the build has transforms.
std::string_view absent(Place place);

/// The plans of FFTW (fft.cpp) or cuFFT (fft.cu).
template <class T>
class Library {
 public:
  virtual ~Library() = default;
  /// With `columns` the pointer to real numbers is null.
  virtual void forward(const T* in, Complex<T>* out) const = 0;
  virtual void backward(Complex<T>* in, T* out) const = 0;
};

/// Transforms of one shape on one stream, without division by factor(). Memory is aligned to 64
/// bytes. The constructor may take long; it throws Failure with the shape and the library's status.
template <class T>
class Plan {
 public:
  /// No plan; forward() and backward() must not be called.
  Plan() = default;
  Plan(const Shape& shape, const Stream& stream);
  /// Leaves `in` as it is.
  void forward(const T* in, Complex<T>* out) const { library_->forward(in, out); }
  /// Overwrites `in`.
  void backward(Complex<T>* in, T* out) const { library_->backward(in, out); }
  /// With `columns`, in place.
  void forward(Complex<T>* all) const { library_->forward(nullptr, all); }
  void backward(Complex<T>* all) const { library_->backward(all, nullptr); }
  /// The plan of `shape`, made at the first call: all variants of an instance share it.
  const Plan& inner(const Shape& shape, const Stream& stream) const {
    if (!inner_) inner_ = std::make_unique<Plan>(shape, stream);
    return *inner_;
  }

 private:
  mutable std::unique_ptr<Plan> inner_;
  std::unique_ptr<Library<T>> library_;
};

/// A plan if the build has transforms, else no plan: the reference needs no plan.
template <class T>
Plan<T> plan_if_present(const Shape& shape, const Stream& stream) {
  return absent(stream.place()).empty() ? Plan<T>(shape, stream) : Plan<T>();
}

// ---- Shapes of kernels.

/// A team has a tile of modes and rows of a spectrum; a device's thread has one mode in four rows.
inline constexpr int lanes = 32, warps = 8, threads = lanes * warps, own_rows = 4;
struct Tile {
  int modes, rows;
};
PORTCOST_HOST_DEVICE constexpr Tile tile_in(Place place) {
  return place == Place::device ? Tile{lanes, warps * own_rows} : Tile{1 << 28, 8};
}
constexpr int columns_of(Tile tile, int modes) { return ceil_div(modes, tile.modes); }

/// Teams that scale numbers: a thread has four packs of 16 bytes, `threads` packs apart.
template <class T>
struct alignas(16) Pack {
  static constexpr int length = 16 / static_cast<int>(sizeof(T));
  T at[length];
};
inline constexpr int own_packs = 4;
template <class T>
inline constexpr int scaled_by_team = threads* own_packs* Pack<T>::length;

// ---- Steps. A problem `s` has f, spectrum, out, plan and shape().

/// `transform`: only the library's calls; the answer is factor() f.
inline constexpr auto transform = [](const auto& s, const Stream&) {
  s.plan->forward(s.f, s.spectrum);
  s.plan->backward(s.spectrum, s.out);
};

/// `separate`: modes(s, 1, on) between the transforms, and scale(out, count, by, on) after both.
template <class Modes, class Scale>
auto separate(const Modes& modes, const Scale& scale) {
  return [=](const auto& s, const Stream& on) {
    s.plan->forward(s.f, s.spectrum);
    modes(s, 1, on);
    s.plan->backward(s.spectrum, s.out);
    const Shape shape = s.shape();
    using T = std::remove_pointer_t<decltype(s.out)>;
    scale(s.out, shape.numbers(), 1 / static_cast<T>(shape.factor()), on);
  };
}
/// `fused`: modes(s, 1 / factor(), on) scales, too.
template <class Modes>
auto fused(const Modes& modes) {
  return [=](const auto& s, const Stream& on) {
    s.plan->forward(s.f, s.spectrum);
    modes(s, 1 / static_cast<double>(s.shape().factor()), on);
    s.plan->backward(s.spectrum, s.out);
  };
}

template <class S>
class Planning final : public Execution {
 public:
  Planning(const S& s, const Stream& stream) : s_(s), stream_(stream) {}
  bool queued_ahead() const override { return false; }
  void run(int) override {
    auto s = s_;
    const typename S::Transforms plan(s.shape(), stream_);
    s.plan = &plan;
    transform(s, stream_);
    stream_.synchronize();  // the plan's memory is in use until the stream is idle
  }

 private:
  S s_;
  const Stream& stream_;
};

/// `plan`: as `transform`, with plans made in each run.
inline constexpr auto plan_anew = []<class S>(const S& s,
                                              const Stream& on) -> std::unique_ptr<Execution> {
  return std::make_unique<Planning<S>>(s, on);
};

template <class S, class Axis>
class FusedAxis final : public Execution {
 public:
  FusedAxis(const S& s, const Stream& stream, const Axis& axis)
      : s_(s),
        stream_(stream),
        axis_(axis),
        inner_(s.plan->inner(s.shape().without_slowest(), stream)) {}
  void run(int) override {
    inner_.forward(s_.f, s_.spectrum);
    axis_(s_, stream_);
    inner_.backward(s_.spectrum, s_.out);
  }

 private:
  S s_;
  const Stream& stream_;
  Axis axis_;
  const typename S::Transforms& inner_;
};

/// `fused_axis`: the library transforms all axes but the slowest one. axis(s, on) transforms the
/// slowest axis, multiplies the modes and transforms them back.
template <class Axis>
auto fused_axis(const Axis& axis) {
  return [=]<class S>(const S& s, const Stream& on) -> std::unique_ptr<Execution> {
    return std::make_unique<FusedAxis<S, Axis>>(s, on, axis);
  };
}

/// `rungs` if the build has transforms; else tuned and native steps are absent with the reason, and
/// other ways are left out.
Rungs where_present(Place place, Rungs rungs);
/// where_present() for the place where Kokkos runs.
inline Rungs where_present(Rungs rungs) { return where_present(kokkos_place(), std::move(rungs)); }

}  // namespace portcost::fft
