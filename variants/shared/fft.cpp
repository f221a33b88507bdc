// SPDX-License-Identifier: Apache-2.0
#include "variants/shared/fft.hpp"

#include <fmt/format.h>

#ifdef PORTCOST_HAS_FFTW
#include <fftw3.h>
#include <omp.h>

#include <mutex>
#endif

#include "src/support/error.hpp"

namespace portcost::fft {

std::string Shape::text() const {
  std::string result = fmt::format("{}", x);
  if (y > 1 || z > 1) result += fmt::format(" x {}", y);
  if (z > 1) result += fmt::format(" x {}", z);
  return batch > 1 ? fmt::format("{} times {}", batch, result) : result;
}

#ifdef PORTCOST_HAS_FFTW

namespace {

template <class T>
struct Fftw;
#define PORTCOST_FFTW(T, name)                                   \
  template <>                                                    \
  struct Fftw<T> {                                               \
    using Complex = name##_complex;                              \
    using Plan = name##_plan;                                    \
    static constexpr auto prepare = name##_init_threads;         \
    static constexpr auto threads = name##_plan_with_nthreads;   \
    static constexpr auto forward = name##_plan_guru64_dft_r2c;  \
    static constexpr auto backward = name##_plan_guru64_dft_c2r; \
    static constexpr auto columns = name##_plan_guru64_dft;      \
    static constexpr auto run_columns = name##_execute_dft;      \
    static constexpr auto run_forward = name##_execute_dft_r2c;  \
    static constexpr auto run_backward = name##_execute_dft_c2r; \
    static constexpr auto destroy = name##_destroy_plan;         \
  }
PORTCOST_FFTW(float, fftwf);
PORTCOST_FFTW(double, fftw);
#undef PORTCOST_FFTW

std::mutex planner;  // all threads share FFTW's planner

// FFTW estimates plans: estimated plans are the same in each run, but measured plans depend on the
// machine's other load.
template <class T>
class OfHost final : public Library<T> {
  using F = Fftw<T>;

 public:
  explicit OfHost(const Shape& s) {
    // Arrays of full size: if arrays overlap, the planner may assume a transform in place. The
    // planner writes nothing.
    const auto memory = [](std::int64_t bytes) {
      return std::unique_ptr<void, void (*)(void*)>(fftw_malloc(static_cast<std::size_t>(bytes)),
                                                    fftw_free);
    };
    const auto held = memory(s.numbers() * std::int64_t{sizeof(T)}),
               held_modes = memory(s.spectrum() * std::int64_t{sizeof(Complex<T>)});
    auto* const numbers = static_cast<T*>(held.get());
    auto* const modes = static_cast<Complex<T>*>(held_modes.get());
    require(numbers != nullptr && modes != nullptr,
            fmt::format("no memory for FFTW's plan of {} numbers", s.text()));
    const std::lock_guard lock(planner);
    static const bool prepared = F::prepare() != 0;
    require(prepared, "FFTW cannot use threads");
    F::threads(omp_get_max_threads());
    if (s.columns) {
      const fftw_iodim64 down{s.x, s.batch, s.batch}, across{s.batch, 1, 1};
      const auto planned = [&, z = complex(modes)](int sign) {
        return F::columns(1, &down, 1, &across, z, z, sign, FFTW_ESTIMATE);
      };
      forward_ = planned(FFTW_FORWARD);
      backward_ = planned(FFTW_BACKWARD);
      demand_both(s);
      return;
    }
    const fftw_iodim64 real[]{
        {s.z, s.y * s.x, s.y * s.modes()}, {s.y, s.x, s.modes()}, {s.x, 1, 1}};
    const fftw_iodim64 all{s.batch, s.factor(), s.factor() / s.x * s.modes()};
    const auto swapped = [](fftw_iodim64 d) { return fftw_iodim64{d.n, d.os, d.is}; };
    const fftw_iodim64 back[]{swapped(real[0]), swapped(real[1]), swapped(real[2])},
        all_back = swapped(all);
    forward_ = F::forward(3, real, 1, &all, numbers, complex(modes), FFTW_ESTIMATE);
    backward_ = F::backward(3, back, 1, &all_back, complex(modes), numbers,
                            FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
    demand_both(s);
  }
  ~OfHost() override {
    const std::lock_guard lock(planner);
    release();
  }
  OfHost(const OfHost&) = delete;
  OfHost& operator=(const OfHost&) = delete;

  void forward(const T* in, Complex<T>* out) const override {
    if (in == nullptr) return F::run_columns(forward_, complex(out), complex(out));
    F::run_forward(forward_, const_cast<T*>(in), complex(out));
  }
  void backward(Complex<T>* in, T* out) const override {
    if (out == nullptr) return F::run_columns(backward_, complex(in), complex(in));
    F::run_backward(backward_, complex(in), out);
  }

 private:
  static typename F::Complex* complex(Complex<T>* z) {
    return reinterpret_cast<typename F::Complex*>(z);
  }
  void demand_both(const Shape& s) {
    if (forward_ != nullptr && backward_ != nullptr) return;
    release();
    throw Failure(fmt::format("FFTW has no plan for {} numbers of {} bytes", s.text(), sizeof(T)));
  }
  void release() {
    if (forward_ != nullptr) F::destroy(forward_);
    if (backward_ != nullptr) F::destroy(backward_);
  }
  typename F::Plan forward_ = nullptr, backward_ = nullptr;
};

template <class T>
std::unique_ptr<Library<T>> of_host(const Shape& shape) {
  return std::make_unique<OfHost<T>>(shape);
}

}  // namespace

#else

template <class T>
static std::unique_ptr<Library<T>> of_host(const Shape&) {
  throw Failure("this was built without FFTW");
}

#endif

#if PORTCOST_HAS_CUDA
template <class T>
std::unique_ptr<Library<T>> of_device(const Shape& shape, const Stream& stream);
extern template std::unique_ptr<Library<float>> of_device(const Shape&, const Stream&);
extern template std::unique_ptr<Library<double>> of_device(const Shape&, const Stream&);
#else
template <class T>
static std::unique_ptr<Library<T>> of_device(const Shape&, const Stream&) {
  throw Failure("this was built without CUDA");
}
#endif

std::string_view absent(Place place) {
#ifndef PORTCOST_HAS_FFTW
  if (place == Place::host) return PORTCOST_NO_FFTW;
#endif
#ifndef PORTCOST_HAS_CUFFT
  if (place == Place::device) return "cuFFT was not found when this was built";
#endif
  static_cast<void>(place);
  return {};
}

template <class T>
Plan<T>::Plan(const Shape& shape, const Stream& stream)
    : library_(stream.place() == Place::host ? of_host<T>(shape) : of_device<T>(shape, stream)) {}

template class Plan<float>;
template class Plan<double>;

Rungs where_present(Place place, Rungs rungs) {
  const std::string_view reason = absent(place);
  if (reason.empty()) return rungs;
  Rungs result;
  for (const Rung& one : rungs) {
    if (one.way == Way::tuned) result.push_back(absent_rung(one.step, reason));
  }
  return result;
}

}  // namespace portcost::fft
