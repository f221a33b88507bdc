// SPDX-License-Identifier: Apache-2.0
// cuBLAS's geam, which adds two matrices, either of them transposed: here one, times 1, and a
// second, times 0. It is column-major. It has no form for a batch, so matrices are launched one by
// one.
#include <cublas_v2.h>

#include <string>

#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

namespace {

void check(cublasStatus_t status) {
  require(status == CUBLAS_STATUS_SUCCESS,
          "cuBLAS returned status " + std::to_string(static_cast<int>(status)));
}

// The second matrix, times 0, is not read.
void transpose_one(cublasHandle_t handle, int nx, int ny, const float* a, float* b) {
  const float one = 1, zero = 0;
  check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, ny, nx, &one, a, nx, &zero, b, ny, b, ny));
}
void transpose_one(cublasHandle_t handle, int nx, int ny, const double* a, double* b) {
  const double one = 1, zero = 0;
  check(cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, ny, nx, &one, a, nx, &zero, b, ny, b, ny));
}

template <class T>
class Cublas final : public Execution {
 public:
  Cublas(const Matrices<T>& s, const Stream& stream) : s_(s) {
    check(cublasCreate(&handle_));
    check(cublasSetStream(handle_, stream.native()));
  }
  ~Cublas() override { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  void run(int) override {
    for (int m = 0; m < s_.batch; ++m) {
      transpose_one(handle_, s_.nx, s_.ny, s_.row_of_a(m, 0), s_.row_of_b(m, 0));
    }
  }

 private:
  Matrices<T> s_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace

Rungs library_cublas_rungs() {
  return {rung(works, "cublas",
               []<class T>(const Matrices<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<Cublas<T>>(s, on);
               })};
}

}  // namespace portcost::transpose
