// SPDX-License-Identifier: Apache-2.0
// Transforms by cuFFT.
#include <cufft.h>

#include <algorithm>

#include "src/memory/buffer.hpp"
#include "variants/shared/fft.hpp"

namespace portcost::fft {

namespace {

void check(cufftResult status, const char* what, const Shape& shape) {
  require(status == CUFFT_SUCCESS, std::string("cuFFT's ") + what + " of " + shape.text() +
                                       " numbers returned status " +
                                       std::to_string(static_cast<int>(status)));
}

class Handle {
 public:
  Handle(const Shape& s, cufftType type, const Stream& stream) {
    // cuFFT makes a pass for each dimension of the rank, even if its extent is 1.
    long long extents[]{s.z, s.y, s.x};
    long long* const rows = s.columns ? &extents[2] : nullptr;  // null: contiguous
    const int rank = s.z > 1 ? 3 : s.y > 1 ? 2 : 1;
    check(cufftCreate(&native_), "plan", s);
    check(cufftSetAutoAllocation(native_, 0), "plan", s);
    check(cufftMakePlanMany64(native_, rank, extents + 3 - rank, rows, s.batch, 1, rows, s.batch, 1,
                              type, s.batch, &bytes_),
          "plan", s);
    check(cufftSetStream(native_, stream.native()), "plan", s);
  }
  ~Handle() { cufftDestroy(native_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cufftHandle() const { return native_; }
  std::size_t bytes() const { return bytes_; }

 private:
  cufftHandle native_ = 0;
  std::size_t bytes_ = 0;
};

cufftResult run(cufftHandle h, Complex<float>* all, int direction) {
  auto* const z = reinterpret_cast<cufftComplex*>(all);
  return cufftExecC2C(h, z, z, direction);
}
cufftResult run(cufftHandle h, Complex<double>* all, int direction) {
  auto* const z = reinterpret_cast<cufftDoubleComplex*>(all);
  return cufftExecZ2Z(h, z, z, direction);
}
cufftResult run(cufftHandle h, const float* in, Complex<float>* out) {
  return cufftExecR2C(h, const_cast<float*>(in), reinterpret_cast<cufftComplex*>(out));
}
cufftResult run(cufftHandle h, const double* in, Complex<double>* out) {
  return cufftExecD2Z(h, const_cast<double*>(in), reinterpret_cast<cufftDoubleComplex*>(out));
}
cufftResult run(cufftHandle h, Complex<float>* in, float* out) {
  return cufftExecC2R(h, reinterpret_cast<cufftComplex*>(in), out);
}
cufftResult run(cufftHandle h, Complex<double>* in, double* out) {
  return cufftExecZ2D(h, reinterpret_cast<cufftDoubleComplex*>(in), out);
}

// Both directions share one work area, in turn.
template <class T>
class OfDevice final : public Library<T> {
  static constexpr bool f64 = sizeof(T) == 8;
  static constexpr cufftType to_modes = f64 ? CUFFT_D2Z : CUFFT_R2C,
                             to_numbers = f64 ? CUFFT_Z2D : CUFFT_C2R,
                             columns = f64 ? CUFFT_Z2Z : CUFFT_C2C;

 public:
  OfDevice(const Shape& shape, const Stream& stream)
      : shape_(shape),
        forward_(shape, shape.columns ? columns : to_modes, stream),
        backward_(shape, shape.columns ? columns : to_numbers, stream),
        area_(std::max<std::size_t>({forward_.bytes(), backward_.bytes(), 1}), Place::device) {
    check(cufftSetWorkArea(forward_, area_.data()), "plan", shape_);
    check(cufftSetWorkArea(backward_, area_.data()), "plan", shape_);
  }
  void forward(const T* in, Complex<T>* out) const override {
    check(in == nullptr ? run(forward_, out, CUFFT_FORWARD) : run(forward_, in, out), "transform",
          shape_);
  }
  void backward(Complex<T>* in, T* out) const override {
    check(out == nullptr ? run(backward_, in, CUFFT_INVERSE) : run(backward_, in, out), "transform",
          shape_);
  }

 private:
  Shape shape_;
  Handle forward_, backward_;
  Buffer<std::byte> area_;
};

}  // namespace

template <class T>
std::unique_ptr<Library<T>> of_device(const Shape& shape, const Stream& stream) {
  return std::make_unique<OfDevice<T>>(shape, stream);
}
template std::unique_ptr<Library<float>> of_device(const Shape&, const Stream&);
template std::unique_ptr<Library<double>> of_device(const Shape&, const Stream&);

}  // namespace portcost::fft
