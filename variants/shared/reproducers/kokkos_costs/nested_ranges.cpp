// SPDX-License-Identifier: Apache-2.0
// A team of 8 threads with 32 lanes copies a tile of 32 rows and 32 columns of a matrix whose rows
// are padded, four rows a lane: by a ThreadVectorRange in a TeamThreadRange, by one
// TeamVectorRange, the same where nvcc knows the team's size, and by CUDA.
#include "timing.hpp"

using Rows = Kokkos::View<float**, Kokkos::LayoutRight>;  // a row is longer than what is copied
enum class Form { nested, flat, told };

struct Copy {
  Rows from, to;
  int columns;
  KOKKOS_FUNCTION void lane(int row, int column) const {
    if (column >= columns) return;
    const int rows = to.extent_int(0);
    float own[4];
    for (int k = 0; k < 4 && row + 8 * k < rows; ++k) own[k] = from(row + 8 * k, column);
    for (int k = 0; k < 4 && row + 8 * k < rows; ++k) to(row + 8 * k, column) = own[k];
  }
};

template <Form form>
void run(const Copy& copy) {
  const int tiles = (copy.columns + 31) / 32, lines = (copy.to.extent_int(0) + 31) / 32;
  Kokkos::parallel_for(
      Teams<256>(tiles * lines, on_gpu ? 8 : 1, 32), KOKKOS_LAMBDA(const Member& team) {
        if (form == Form::told) tell_team_size<8, 32>();
        const int row = team.league_rank() / tiles * 32, column = team.league_rank() % tiles * 32;
        if (form == Form::nested) {
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 8), [&](int y) {
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 32),
                                 [&](int x) { copy.lane(row + y, column + x); });
          });
        } else {
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 8 * 32),
                               [&](int i) { copy.lane(row + i / 32, column + i % 32); });
        }
      });
}

#ifdef KOKKOS_ENABLE_CUDA
__global__ void __launch_bounds__(256) copy_kernel(const Copy copy) {
  copy.lane(static_cast<int>(blockIdx.y * 32 + threadIdx.y), blockIdx.x * 32 + threadIdx.x);
}
#endif
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int rows = size_from(argc, argv, 1 << 15), columns = 1023;
  const Rows from("from", rows, columns + 1), to("to", rows, columns + 1);
  Kokkos::deep_copy(from, 3);
  const Copy copy{from, to, columns};
  const auto right = KOKKOS_LAMBDA(std::int64_t i) {
    return to.data()[i] == (i % (columns + 1) < columns ? 3 : 0);
  };
  time("TeamThreadRange and ThreadVectorRange", to, right, [&] { run<Form::nested>(copy); });
  time("TeamVectorRange", to, right, [&] { run<Form::flat>(copy); });
  time("TeamVectorRange, team size known", to, right, [&] { run<Form::told>(copy); });
#ifdef KOKKOS_ENABLE_CUDA
  const dim3 grid((columns + 31) / 32, (rows + 31) / 32), block(32, 8);
  time("CUDA", to, right, [&] { copy_kernel<<<grid, block, 0, Space().cuda_stream()>>>(copy); });
#endif
}
