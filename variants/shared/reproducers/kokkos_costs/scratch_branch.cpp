// SPDX-License-Identifier: Apache-2.0
// Each thread of a team of 128 adds up products of numbers in three scratch Views, teams of even
// rank in one order and the others in another. The Views are made in each branch, or before it. In
// a branch nvcc 13.0 loses that they are shared memory: it takes generic loads and stores.
#include "timing.hpp"

using Sums = Kokkos::View<float**, Kokkos::LayoutRight>;
constexpr int threads = 128, depth = 32, rounds = 64;

struct Tiles {
  Scratch<float[depth][threads]> left;
  Scratch<float[depth]> right;
  Scratch<float[threads]> scale;
  KOKKOS_FUNCTION explicit Tiles(const Member& team)
      : left(team.team_scratch(0)), right(team.team_scratch(0)), scale(team.team_scratch(0)) {}
  template <bool up>
  KOKKOS_FUNCTION float sum(int i) const {
    float result = 0;
    for (int k = 0; k < rounds; ++k) {
#pragma unroll 8
      for (int d = 0; d < depth; ++d) {
        const int at = up ? (d + k) % depth : (rounds + d - k) % depth;
        result += left(at, i) * right(at) * scale(threads - 1 - i);
      }
    }
    return result;
  }
};

template <bool up>
KOKKOS_FUNCTION void add(const Member& team, const Tiles& tiles, const Sums& sums) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int i) {
    for (int d = 0; d < depth; ++d) tiles.left(d, i) = d;
    tiles.right(i % depth) = 2;
    tiles.scale(i) = 1;
  });
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads),
                       [&](int i) { sums(team.league_rank(), i) = tiles.template sum<up>(i); });
}

template <bool inside>
void run(const Sums& sums) {
  Teams<threads> policy(sums.extent_int(0), on_gpu ? threads : 1, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(4 * threads * (depth + 2) + 64));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Member& team) {
        const bool up = team.league_rank() % 2 == 0;
        if (inside) {
          up ? add<true>(team, Tiles(team), sums) : add<false>(team, Tiles(team), sums);
        } else {
          const Tiles tiles(team);
          up ? add<true>(team, tiles, sums) : add<false>(team, tiles, sums);
        }
      });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Sums sums("sums", size_from(argc, argv, 1 << 14), threads);
  const auto right = KOKKOS_LAMBDA(std::int64_t i) {
    return sums.data()[i] == rounds * depth * (depth - 1);
  };
  time("scratch Views made in each branch", sums, right, [&] { run<true>(sums); });
  time("scratch Views made before the branch", sums, right, [&] { run<false>(sums); });
}
