// SPDX-License-Identifier: Apache-2.0
// Each thread of a team writes a message of 256 words and takes a ticket in scratch; the last one
// adds up all messages. With Kokkos's fences, which are the device's; with fences of the block
// (CUDA alone); and with a barrier in the place of fences and tickets.
#include "timing.hpp"

using Words = Kokkos::View<int**, Kokkos::LayoutRight>;
constexpr int members = 8, words = 256, group_words = members * words;
enum class By { device_fence, block_fence, barrier };

template <By by>
KOKKOS_FUNCTION void fence() {
#ifdef KOKKOS_ENABLE_CUDA
  if (by == By::block_fence) {
    KOKKOS_IF_ON_DEVICE((__threadfence_block(); return;))
  }
#endif
  Kokkos::memory_fence();
}

template <By by, class Sums>
void run(const Words& messages, const Sums& sums) {
  Teams<256> policy(messages.extent_int(0), on_gpu ? members : 1, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch<int>::shmem_size()));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Member& team) {
        const int group = team.league_rank();
        const auto add = [&](int i, int& into) { into += messages(group, i); };
        int sum = 0, ticket = 0;
        const Scratch<int> taken(team.team_scratch(0));
        Kokkos::single(Kokkos::PerTeam(team), [&] { taken() = 0; });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, members), [&](int m) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, m * words, (m + 1) * words),
                               [&](int i) { messages(group, i) = group + i; });
          if (by == By::barrier) return;
          Kokkos::single(
              Kokkos::PerThread(team),
              [&](int& mine) {
                fence<by>();
                mine = Kokkos::atomic_fetch_add(&taken(), 1);
                fence<by>();
              },
              ticket);
          if (ticket != members - 1) return;
          Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, messages.extent_int(1)), add,
                                  sum);
          Kokkos::single(Kokkos::PerThread(team), [&] { sums(group) = sum; });
        });
        if (by != By::barrier) return;
        team.team_barrier();
        Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, messages.extent_int(1)), add, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { sums(group) = sum; });
      });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int groups = size_from(argc, argv, 1 << 14);
  const Words messages("messages", groups, group_words);
  const Kokkos::View<int*> sums("sums", groups);
  constexpr int n = group_words;
  const auto right = KOKKOS_LAMBDA(int g) { return sums(g) == n * g + n / 2 * (n - 1); };
  time("fences of the device", sums, right, [&] { run<By::device_fence>(messages, sums); });
  time("fences of the block", sums, right, [&] { run<By::block_fence>(messages, sums); });
  time("a barrier", sums, right, [&] { run<By::barrier>(messages, sums); });
}
