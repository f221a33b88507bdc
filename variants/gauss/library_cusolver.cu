// SPDX-License-Identifier: Apache-2.0
// cuSOLVER's LU without pivoting. It is column-major: its matrix is the transposed one, with the
// right sides as a last row, and the other of its two factors has the pivots on its diagonal.
// Afterwards the elements below the diagonal are therefore divided by the pivots, and the elements
// above multiplied.
#include <cusolverDn.h>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

namespace {

constexpr int threads = 256;

void check(cusolverStatus_t status) {
  require(status == CUSOLVER_STATUS_SUCCESS,
          "cuSOLVER returned status " + std::to_string(static_cast<int>(status)));
}

int room(cusolverDnHandle_t h, const System<float>& s) {
  int elements = 0;
  check(cusolverDnSgetrf_bufferSize(h, s.n + 1, s.n, s.a, static_cast<int>(s.pitch), &elements));
  return elements;
}
int room(cusolverDnHandle_t h, const System<double>& s) {
  int elements = 0;
  check(cusolverDnDgetrf_bufferSize(h, s.n + 1, s.n, s.a, static_cast<int>(s.pitch), &elements));
  return elements;
}
// Without an array of pivots cuSOLVER exchanges no rows.
void factor(cusolverDnHandle_t h, const System<float>& s, float* room, int* info) {
  check(cusolverDnSgetrf(h, s.n + 1, s.n, s.a, static_cast<int>(s.pitch), room, nullptr, info));
}
void factor(cusolverDnHandle_t h, const System<double>& s, double* room, int* info) {
  check(cusolverDnDgetrf(h, s.n + 1, s.n, s.a, static_cast<int>(s.pitch), room, nullptr, info));
}

// Finds the first refused pivot, by one block: cuSOLVER reports only pivots that are 0.
template <class T>
__global__ void __launch_bounds__(threads) pivots_kernel(System<T> s) {
  __shared__ int first;
  if (threadIdx.x == 0) first = s.n;
  __syncthreads();
  for (int k = threadIdx.x; k < s.n; k += threads) {
    if (s.refuses(k, s.row(k)[k])) atomicMin(&first, k);
  }
  __syncthreads();
  if (threadIdx.x == 0 && first < s.n) *s.bad_pivot = first;
}

// A thread an element, a line of blocks a row.
template <class T>
__global__ void __launch_bounds__(threads) scale_kernel(System<T> s) {
  if (s.stopped()) return;
  const int j = blockIdx.x * threads + threadIdx.x;
  for (int i = blockIdx.y; i < s.n; i += gridDim.y) {
    T* const row = s.row(i);
    if (j < i) row[j] = multiplier(row[j], s.row(j)[j]);
    if (j > i && j <= s.n) row[j] *= row[i];
  }
}

template <class T>
class Cusolver final : public Execution {
 public:
  Cusolver(const System<T>& s, const Stream& stream)
      : s_(s), stream_(stream.native()), info_(1, Place::device) {
    check(cusolverDnCreate(&handle_));
    check(cusolverDnSetStream(handle_, stream_));
    room_ = Buffer<T>(static_cast<std::size_t>(std::max(room(handle_, s_), 1)), Place::device);
  }
  ~Cusolver() override { cusolverDnDestroy(handle_); }
  Cusolver(const Cusolver&) = delete;
  Cusolver& operator=(const Cusolver&) = delete;

  void run(int) override {
    factor(handle_, s_, room_.data(), info_.data());
    pivots_kernel<<<1, threads, 0, stream_>>>(s_);
    const dim3 grid{static_cast<unsigned>(ceil_div(s_.n + 1, threads)),
                    static_cast<unsigned>(std::min(s_.n, 65535))};
    scale_kernel<<<grid, threads, 0, stream_>>>(s_);
    cuda_check(cudaGetLastError());
  }

 private:
  System<T> s_;
  cudaStream_t stream_;
  cusolverDnHandle_t handle_ = nullptr;
  Buffer<T> room_;
  Buffer<int> info_;
};

}  // namespace

Rungs library_cusolver_rungs() {
  return {rung(works, "cusolver",
               []<class T>(const System<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<Cusolver<T>>(s, on);
               })};
}

}  // namespace portcost::gauss
