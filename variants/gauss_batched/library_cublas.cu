// SPDX-License-Identifier: Apache-2.0
// cuBLAS's batched LU without pivoting. It takes columns for rows: its matrices are the transposed
// ones, and its factors have the pivots in the other of the two. So what is below the diagonal is
// then divided by them, and what is above multiplied, in one more pass over all matrices.
#include <cublas_v2.h>

#include <string>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"
#include "variants/gauss_batched/problem.hpp"

namespace portcost::gauss_batched {

namespace {

constexpr int warps = 4, threads = lanes * warps;

void check(cublasStatus_t status) {
  require(status == CUBLAS_STATUS_SUCCESS,
          "cuBLAS returned status " + std::to_string(static_cast<int>(status)));
}

// No array of pivots: none is exchanged.
void factor(cublasHandle_t h, const Batch<float>& b, float* const* matrices, int* info) {
  check(cublasSgetrfBatched(h, b.n, matrices, b.n, nullptr, info, b.count));
}
void factor(cublasHandle_t h, const Batch<double>& b, double* const* matrices, int* info) {
  check(cublasDgetrfBatched(h, b.n, matrices, b.n, nullptr, info, b.count));
}

template <class T>
__global__ void __launch_bounds__(threads) addresses_kernel(Batch<T> b, T** matrices) {
  const int system = blockIdx.x * threads + threadIdx.x;
  if (system < b.count) matrices[system] = b.system(system);
}

// A warp a system. cuBLAS tells of pivots that are 0 only, so all are looked at; those of a system
// that has one which is refused are not divided by.
template <class T>
__global__ void __launch_bounds__(threads) scale_kernel(Batch<T> b) {
  const int system = blockIdx.x * warps + threadIdx.x / lanes, lane = threadIdx.x % lanes;
  if (system >= b.count) return;
  T* const a = b.system(system);
  int bad = b.n;
  for (int k = b.n - 1 - lane; k >= 0; k -= lanes) {
    if (b.refuses(a[k * b.n + k])) bad = k;
  }
  bad = __reduce_min_sync(~0u, bad);
  if (bad < b.n) {
    if (lane == 0) b.bad_pivot[system] = bad;
    return;
  }
  for (int e = lane; e < b.size(); e += lanes) {
    const int i = e / b.n, j = e - i * b.n;
    if (j < i) a[e] = multiplier(a[e], a[j * b.n + j]);
    if (j > i) a[e] *= a[i * b.n + i];
  }
}

template <class T>
class Cublas final : public Execution {
 public:
  Cublas(const Batch<T>& b, const Stream& stream)
      : b_(b),
        stream_(stream.native()),
        matrices_(static_cast<std::size_t>(b.count), Place::device),
        info_(static_cast<std::size_t>(b.count), Place::device) {
    check(cublasCreate(&handle_));
    check(cublasSetStream(handle_, stream_));
    const auto blocks = static_cast<unsigned>(ceil_div(b_.count, threads));
    addresses_kernel<<<blocks, threads, 0, stream_>>>(b_, matrices_.data());
    cuda_check(cudaGetLastError());
  }
  ~Cublas() override { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  void run(int) override {
    factor(handle_, b_, matrices_.data(), info_.data());
    scale_kernel<<<static_cast<unsigned>(ceil_div(b_.count, warps)), threads, 0, stream_>>>(b_);
    cuda_check(cudaGetLastError());
  }

 private:
  Batch<T> b_;
  cudaStream_t stream_;
  cublasHandle_t handle_ = nullptr;
  Buffer<T*> matrices_;
  Buffer<int> info_;
};

}  // namespace

Rungs library_cublas_rungs() {
  return {rung(works, "cublas",
               []<class T>(const Batch<T>& b, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<Cublas<T>>(b, on);
               })};
}

}  // namespace portcost::gauss_batched
