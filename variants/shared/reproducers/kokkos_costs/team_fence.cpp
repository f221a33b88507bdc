// SPDX-License-Identifier: Apache-2.0
// Each thread of teams of 128 stores a word and fences, 64 times: without a fence, with
// Kokkos::memory_fence, which is the device's, and with a fence of the block (CUDA alone).
#include "timing.hpp"

using Policy = Kokkos::TeamPolicy<Kokkos::LaunchBounds<128>>;
using Member = Policy::member_type;
using Words = Kokkos::View<int**, Kokkos::LayoutRight>;

template <class Fence>
void run(const Words& words, const Fence& fence) {
  Kokkos::parallel_for(
      Policy(static_cast<int>(words.extent(0)), on_gpu ? 4 : 1, 32),
      KOKKOS_LAMBDA(const Member& team) {
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 128), [&](int i) {
          for (int k = 0; k < 64; ++k) {
            words(team.league_rank(), i) = k;
            fence();
          }
        });
      });
}

struct None {
  KOKKOS_FUNCTION void operator()() const {}
};
struct Device {
  KOKKOS_FUNCTION void operator()() const { Kokkos::memory_fence(); }
};
struct Block {
  KOKKOS_FUNCTION void operator()() const {
#ifdef KOKKOS_ENABLE_CUDA
    KOKKOS_IF_ON_DEVICE((__threadfence_block();))
#endif
  }
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Words words("words", size_from(argc, argv, 1 << 14), 128);
  time("no fence", [&] { run(words, None()); });
  time("Kokkos::memory_fence", [&] { run(words, Device()); });
  time("fence of the block", [&] { run(words, Block()); });
}
