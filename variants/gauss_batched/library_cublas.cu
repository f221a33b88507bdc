// SPDX-License-Identifier: Apache-2.0
// cuBLAS's batched LU without pivoting. It is column-major: its matrices are the transposed ones,
// and the other of its two factors has the pivots on its diagonal. One more pass over all matrices
// therefore divides the elements below the diagonal by the pivots and multiplies the elements
// above.
#include <cublas_v2.h>

#include <string>
#include <utility>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"
#include "variants/gauss_batched/problem.hpp"

namespace portcost::gauss_batched {

namespace {

constexpr int threads = 128;

void check(cublasStatus_t status) {
  require(status == CUBLAS_STATUS_SUCCESS,
          "cuBLAS returned status " + std::to_string(static_cast<int>(status)));
}

// Without an array of pivots cuBLAS exchanges no rows.
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

// `across` lanes a system, a power of two; a lane has the pivots of its columns, of which there are
// `cols`, and the rows follow each other. cuBLAS reports only pivots that are 0, so all pivots are
// checked; a system with a refused pivot is not scaled.
template <int across, int cols, class T>
__global__ void __launch_bounds__(threads) scale_kernel(Batch<T> b) {
  const int x = threadIdx.x % across;
  const int system = blockIdx.x * (threads / across) + threadIdx.x / across;
  const bool there = system < b.count;
  T* const a = b.system(there ? system : 0);
  T pivot[cols];
  int bad = b.n;
#pragma unroll
  for (int c = cols - 1; c >= 0; --c) {
    const int k = c * across + x;
    pivot[c] = k < b.n ? a[k * b.n + k] : T(1);
    if (k < b.n && b.refuses(pivot[c])) bad = k;
  }
#pragma unroll
  for (int apart = across / 2; apart > 0; apart /= 2) {
    bad = min(bad, __shfl_xor_sync(~0u, bad, apart, across));
  }
  if (bad < b.n && there && x == 0) b.bad_pivot[system] = bad;
#pragma unroll 4
  for (int i = 0; i < b.n; ++i) {
    // All lanes of the warp take part, including lanes of systems that are not scaled.
    const T own = cols > 1 && i >= across ? pivot[cols - 1] : pivot[0];
    const T of_row = __shfl_sync(~0u, own, i % across, across);
    if (!there || bad < b.n) continue;
#pragma unroll
    for (int c = 0; c < cols; ++c) {
      const int j = c * across + x;
      if (j >= b.n || j == i) continue;
      T& element = a[i * b.n + j];
      element = j < i ? element / pivot[c] : element * of_row;
    }
  }
}

template <class T>
void scale(const Batch<T>& b, cudaStream_t stream) {
  const auto launch = [&]<int across, int cols>(std::integer_sequence<int, across, cols>) {
    const auto blocks = static_cast<unsigned>(ceil_div(b.count, threads / across));
    scale_kernel<across, cols><<<blocks, threads, 0, stream>>>(b);
  };
  if (b.n <= 4) return launch(std::integer_sequence<int, 4, 1>());
  if (b.n <= 8) return launch(std::integer_sequence<int, 8, 1>());
  if (b.n <= 16) return launch(std::integer_sequence<int, 16, 1>());
  if (b.n <= 32) return launch(std::integer_sequence<int, 32, 1>());
  launch(std::integer_sequence<int, 32, 2>());
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
    scale(b_, stream_);
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
