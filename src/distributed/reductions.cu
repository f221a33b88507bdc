// SPDX-License-Identifier: Apache-2.0
// Exact sums and ranges of a device's part. Each thread adds to an expansion of doubles in
// registers; what does not fit, and the expansion at the end, goes to the block's accumulator,
// whose words are integers, so that the order of threads does not matter.
#include <cuda_runtime.h>

#include <cmath>

#include "src/distributed/reductions.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost::distributed {

namespace {

constexpr int threads = 256, depth = 4;
constexpr int most_blocks = 1024;
// Within these bounds neither sums nor products, nor their roundings, over- or underflow.
constexpr double most = 0x1p480, least = 0x1p-480;

using Word = unsigned long long;

// A part's own points, as a kernel numbers them.
struct Points {
  std::int64_t planes, rows, columns, pitch, plane;

  explicit Points(const Layout& layout)
      : planes(layout.corners.extent(0)),
        rows(layout.corners.extent(1)),
        columns(layout.corners.extent(2)),
        pitch(layout.pitch),
        plane(layout.plane) {}
  // Calls f(i) for the elements i, from the first point on, of this thread: a row a block,
  // neighbours side by side.
  template <class F>
  __device__ void for_mine(const F& f) const {
    for (std::int64_t row = blockIdx.x; row < planes * rows; row += gridDim.x) {
      const std::int64_t begin = row / rows * plane + row % rows * pitch;
      for (std::int64_t c = threadIdx.x; c < columns; c += threads) f(begin + c);
    }
  }
  int blocks() const {
    return static_cast<int>(std::min<std::int64_t>(most_blocks, planes * rows));
  }
};

__device__ void add_to(Word* words, int word, std::int64_t amount) {
  atomicAdd(&words[word], static_cast<Word>(amount));
}

// Knuth's two-sum along the expansion; returns what is left over. The intrinsics are never fused.
__device__ double add_expansion(double (&terms)[depth], double x) {
#pragma unroll
  for (int i = 0; i < depth; ++i) {
    const double sum = __dadd_rn(terms[i], x);
    const double added = __dsub_rn(sum, terms[i]);
    x = __dadd_rn(__dsub_rn(terms[i], __dsub_rn(sum, added)), __dsub_rn(x, added));
    terms[i] = sum;
  }
  return x;
}

template <class T, bool products>
__global__ void __launch_bounds__(threads)
    add_points(const T* first, const T* times, Points points, Word* result) {
  __shared__ Word words[ExactSum::words];
  for (int i = threadIdx.x; i < ExactSum::words; i += threads) words[i] = 0;
  __syncthreads();
  const auto add = [&](int word, std::int64_t amount) { add_to(words, word, amount); };
  double terms[depth] = {}, errors[depth] = {};
  const auto fits = [](double x) { return fabs(x) < most && (fabs(x) > least || x == 0); };
  points.for_mine([&](std::int64_t i) {
    const double x = first[i], size = fabs(x);
    if constexpr (products) {
      const double y = times[i];
      if (!(fits(x) && fits(y))) return ExactSum::split_product(x, y, add);
      const double product = __dmul_rn(x, y);
      const double rest = add_expansion(terms, product);
      const double further = add_expansion(errors, __fma_rn(x, y, -product));
      if (rest != 0) ExactSum::split(rest, add);
      if (further != 0) ExactSum::split(further, add);
    } else {
      if (!(size < most)) return ExactSum::split(x, add);
      const double rest = add_expansion(terms, x);
      if (rest != 0) ExactSum::split(rest, add);
    }
  });
  for (int i = 0; i < depth; ++i) {
    ExactSum::split(terms[i], add);
    if (products) ExactSum::split(errors[i], add);
  }
  __syncthreads();
  // Carried first: the words of very many blocks must not overflow.
  if (threadIdx.x == 0) {
    std::int64_t carry = 0;
    for (int i = 0; i + 1 < ExactSum::digits; ++i) {
      const std::int64_t digit = static_cast<std::int64_t>(words[i]) + carry;
      words[i] = static_cast<Word>(digit & 0xffffffff);
      carry = digit >> 32;
    }
    words[ExactSum::digits - 1] += static_cast<Word>(carry);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < ExactSum::words; i += threads) {
    if (words[i] != 0) atomicAdd(&result[i], words[i]);
  }
}

template <class T>
__global__ void __launch_bounds__(threads) find_range(const T* first, Points points, T* result) {
  __shared__ T least_of[threads], greatest_of[threads];
  T low = static_cast<T>(INFINITY), high = -low;
  bool nan = false;
  points.for_mine([&](std::int64_t i) {
    const T x = first[i];
    nan = nan || x != x;
    low = x < low ? x : low;
    high = x > high ? x : high;
  });
  // NaN in both is passed on by the comparisons below, which keep the left unless the right is
  // less.
  least_of[threadIdx.x] = nan ? static_cast<T>(NAN) : low;
  greatest_of[threadIdx.x] = nan ? static_cast<T>(NAN) : high;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const int other = threadIdx.x + half;
    const T a = least_of[threadIdx.x], b = least_of[other];
    const T c = greatest_of[threadIdx.x], d = greatest_of[other];
    least_of[threadIdx.x] = b != b || b < a ? b : a;
    greatest_of[threadIdx.x] = d != d || d > c ? d : c;
  }
  if (threadIdx.x == 0) {
    result[2 * blockIdx.x] = least_of[0];
    result[2 * blockIdx.x + 1] = greatest_of[0];
  }
}

template <class T>
__global__ void __launch_bounds__(threads) add_multiple(T a, const T* x, T* y, Points points) {
  points.for_mine([&](std::int64_t i) { y[i] = fma(a, x[i], y[i]); });
}

}  // namespace

template <class T>
void detail::device_axpy(T a, const T* x, T* y, const Layout& layout, const Stream& stream) {
  const Points points(layout);
  const std::int64_t own = layout.at(layout.corners.begin);
  add_multiple<<<points.blocks(), threads, 0, stream.native()>>>(a, x + own, y + own, points);
  cuda_check(cudaGetLastError());
}

template <class T>
void detail::add_device_part(const T* first, const T* times, const Layout& layout, ExactSum& sum,
                             const Stream& stream) {
  const Points points(layout);
  const std::int64_t own = layout.at(layout.corners.begin);
  Buffer<Word> words(ExactSum::words, Place::device);
  cuda_check(cudaMemsetAsync(words.data(), 0, words.bytes(), stream.native()));
  const auto kernel = times != nullptr ? add_points<T, true> : add_points<T, false>;
  kernel<<<points.blocks(), threads, 0, stream.native()>>>(
      first + own, times == nullptr ? nullptr : times + own, points, words.data());
  cuda_check(cudaGetLastError());
  const std::vector<Word> host = words.download(stream);
  ExactSum part;
  for (std::size_t i = 0; i < host.size(); ++i) part.data()[i] = static_cast<std::int64_t>(host[i]);
  sum.add(part);
}

template <class T>
Range<T> detail::device_range(const T* first, const Layout& layout, const Stream& stream) {
  const Points points(layout);
  Buffer<T> found(static_cast<std::size_t>(2 * points.blocks()), Place::device);
  find_range<T><<<points.blocks(), threads, 0, stream.native()>>>(
      first + layout.at(layout.corners.begin), points, found.data());
  cuda_check(cudaGetLastError());
  const std::vector<T> host = found.download(stream);
  Range<T> result{host[0], host[1]};
  for (std::size_t i = 0; i < host.size(); i += 2) {
    if (host[i] != host[i]) return {host[i], host[i]};
    result = {std::min(result.least, host[i]), std::max(result.greatest, host[i + 1])};
  }
  return result;
}

template void detail::add_device_part(const float*, const float*, const Layout&, ExactSum&,
                                      const Stream&);
template void detail::add_device_part(const double*, const double*, const Layout&, ExactSum&,
                                      const Stream&);
template void detail::device_axpy(float, const float*, float*, const Layout&, const Stream&);
template void detail::device_axpy(double, const double*, double*, const Layout&, const Stream&);
template Range<float> detail::device_range(const float*, const Layout&, const Stream&);
template Range<double> detail::device_range(const double*, const Layout&, const Stream&);

}  // namespace portcost::distributed
