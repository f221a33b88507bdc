// SPDX-License-Identifier: Apache-2.0
// LAPACK's LU, of OpenBLAS. It is column-major: its matrix is the transposed one, with the right
// sides as a last row, and the other of its two factors has the pivots on its diagonal. Afterwards
// the elements below the diagonal are therefore divided by the pivots, and the elements above
// multiplied.
//
// LAPACK exchanges its rows, the columns here, where another element of the pivot's row is greater.
// In matrix=dominant no element is: the diagonal outweighs its row and its column, which
// elimination preserves (Higham, theorem 9.9), and the right sides, below 1 at first, stay small.
#include <fmt/format.h>
#include <omp.h>

#include "src/support/error.hpp"
#include "variants/gauss/problem.hpp"

extern "C" {
void sgetrf_(const int* rows, const int* columns, float* a, const int* pitch, int* exchanged,
             int* info);
void dgetrf_(const int* rows, const int* columns, double* a, const int* pitch, int* exchanged,
             int* info);
void openblas_set_num_threads(int count);
}

namespace portcost::gauss {

namespace {

void factor(const int* rows, const int* columns, float* a, const int* pitch, int* exchanged,
            int* info) {
  sgetrf_(rows, columns, a, pitch, exchanged, info);
}
void factor(const int* rows, const int* columns, double* a, const int* pitch, int* exchanged,
            int* info) {
  dgetrf_(rows, columns, a, pitch, exchanged, info);
}

std::string_view unfit(const Problem& p) {
  if (input_of(p).kind == Kind::dominant) return {};
  return "LAPACK exchanges rows, which only matrix=dominant gives it no reason to";
}

template <class T>
class Lapack final : public Execution {
 public:
  explicit Lapack(const System<T>& s)
      : s_(s), exchanged_(static_cast<std::size_t>(s.n)), pivots_(static_cast<std::size_t>(s.n)) {
    openblas_set_num_threads(omp_get_max_threads());
  }

  void run(int) override {
    const int rows = s_.n + 1, pitch = static_cast<int>(s_.pitch);
    int info = 0;
    factor(&rows, &s_.n, s_.a, &pitch, exchanged_.data(), &info);
    require(info >= 0, fmt::format("LAPACK's getrf refuses argument {}", -info));
    for (int k = 0; k < s_.n; ++k) {
      const int with = exchanged_[static_cast<std::size_t>(k)] - 1;
      require(with == k,
              fmt::format("LAPACK has exchanged columns {} and {} of the matrix", k, with));
    }
    for (int k = 0; k < s_.n; ++k) {
      const T pivot = pivots_[static_cast<std::size_t>(k)] = s_.row(k)[k];
      if (!s_.refuses(k, pivot)) continue;
      *s_.bad_pivot = k;
      return;
    }
    scale();
  }

 private:
  void scale() const {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < s_.n; ++i) {
      T* const row = s_.row(i);
      const T pivot = row[i];
      for (int j = 0; j < i; ++j) row[j] = multiplier(row[j], pivots_[static_cast<std::size_t>(j)]);
      for (int j = i + 1; j <= s_.n; ++j) row[j] *= pivot;
    }
  }

  System<T> s_;
  std::vector<int> exchanged_;  // for each row, the row exchanged with it, from 1
  std::vector<T> pivots_;
};

}  // namespace

Rungs library_lapack_rungs() {
  return {rung(works, "lapack",
               []<class T>(const System<T>& s, const Stream&) -> std::unique_ptr<Execution> {
                 return std::make_unique<Lapack<T>>(s);
               })
              .unless(unfit)};
}

}  // namespace portcost::gauss
