// SPDX-License-Identifier: Apache-2.0
// Included first where the Kokkos variants are built for tests of teams: a thread falls behind now
// and then, so that where a barrier is missing the others run ahead of it far enough to be seen.
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

namespace portcost::test {

inline void stagger() {
  static std::atomic<unsigned> threads{0};
  thread_local std::minstd_rand random(1000 + threads++);
  if (random() % 32 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace portcost::test

// The kernels call these without an edit in any of them.
#define team_barrier() team_barrier(), portcost::test::stagger()
#define PORTCOST_AT_START() portcost::test::stagger()
