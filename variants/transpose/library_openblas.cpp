// SPDX-License-Identifier: Apache-2.0
// OpenBLAS's omatcopy. It uses one thread, so each OpenMP thread calls it on bands of rows.
#include <algorithm>

#include "variants/transpose/problem.hpp"

extern "C" {
void cblas_somatcopy(int order, int exchange, int rows, int columns, float factor, const float* a,
                     int a_pitch, float* b, int b_pitch);
void cblas_domatcopy(int order, int exchange, int rows, int columns, double factor, const double* a,
                     int a_pitch, double* b, int b_pitch);
}

namespace portcost::transpose {

namespace {

constexpr int row_major = 101, transposed = 112;  // the values of cblas.h
constexpr int band = 512;                         // rows

void transpose_one(int rows, int nx, int ny, const float* a, float* b) {
  cblas_somatcopy(row_major, transposed, rows, nx, 1, a, nx, b, ny);
}
void transpose_one(int rows, int nx, int ny, const double* a, double* b) {
  cblas_domatcopy(row_major, transposed, rows, nx, 1, a, nx, b, ny);
}

constexpr auto run = []<class T>(const Matrices<T>& s, const Stream&) {
  const int bands = ceil_div(s.ny, band);
#pragma omp parallel for collapse(2) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int k = 0; k < bands; ++k) {
      const int i = k * band;
      transpose_one(std::min(band, s.ny - i), s.nx, s.ny, s.row_of_a(m, i), s.row_of_b(m, 0) + i);
    }
  }
};

}  // namespace

Rungs library_openblas_rungs() { return {rung(works, "openblas", run)}; }

}  // namespace portcost::transpose
