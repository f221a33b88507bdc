// SPDX-License-Identifier: Apache-2.0
// Native CPU variants. A team is one thread, so a team's fence need only constrain the compiler.
#include <atomic>

#include "variants/message_passing/problem.hpp"

namespace portcost::message_passing {

namespace {

void write_message(const Round& s, std::uint64_t first) {
#pragma omp simd
  for (std::uint32_t i = 0; i < s.words; ++i) s.messages[first + i] = s.word(first + i);
}

std::uint32_t read_group(const Round& s, std::uint32_t group) {
  const std::uint32_t* const from = s.messages + s.first_of_group(group);
  std::uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::uint32_t i = 0; i < s.group_words(); ++i) sum += from[i];
  return sum;
}

// Writes the member's message; the last member to arrive then reads all messages of the group.
template <class Fence>
void pass(const Round& s, std::uint32_t group, std::uint32_t member, const Fence& fence) {
  write_message(s, s.first_of_group(group) + std::uint64_t{member} * s.words);
  fence();
  const std::atomic_ref<std::uint32_t> arrived(s.arrived[group]);
  if (arrived.fetch_add(1, std::memory_order_relaxed) != s.members - 1) return;
  fence();
  s.sums[group] = read_group(s, group);
  arrived.store(0, std::memory_order_relaxed);
}

template <class Fence>
void pass_all(const Round& s, const Fence& fence) {
  const auto all = static_cast<std::int64_t>(std::uint64_t{s.groups} * s.members);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < all; ++i) {
    pass(s, static_cast<std::uint32_t>(i / s.members), static_cast<std::uint32_t>(i % s.members),
         fence);
  }
}

void team_fence(const Round& s, const Stream&) {
  const auto groups = static_cast<std::int64_t>(s.groups);
#pragma omp parallel for schedule(static)
  for (std::int64_t group = 0; group < groups; ++group) {
    std::uint32_t arrived = 0;
    for (std::uint32_t member = 0; member < s.members; ++member) {
      const auto own = static_cast<std::uint32_t>(group);
      write_message(s, s.first_of_group(own) + std::uint64_t{member} * s.words);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (arrived++ == s.members - 1) s.sums[own] = read_group(s, own);
    }
  }
}

void device_ticket(const Round& s, const Stream&) {
  pass_all(s, [] { std::atomic_thread_fence(std::memory_order_acq_rel); });
}

void system_ticket(const Round& s, const Stream&) {
  pass_all(s, [] { std::atomic_thread_fence(std::memory_order_seq_cst); });
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "team_fence", team_fence), rung(works, "device_ticket", device_ticket),
          rung(works, "system_ticket", system_ticket)};
}

}  // namespace portcost::message_passing
