// SPDX-License-Identifier: Apache-2.0
// host_reader's half on the host: a thread that reads messages while the kernel writes them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "src/memory/buffer.hpp"
#include "src/memory/host_memory.hpp"
#include "variants/message_passing/problem.hpp"

namespace portcost::message_passing {

/// write(round, stream) launches the kernel: members write into page-locked memory of the host,
/// each its message, then 1 into its own word of `arrived`. Throws Failure where a word stays 0 for
/// a minute.
class HostReader final : public Execution {
 public:
  HostReader(const Round& s, const Stream& on, Launch<Round> write)
      : s_(s),
        stream_(on),
        write_(std::move(write)),
        memory_(4 * (s.first_of_group(s.groups) + flags()), HostKind::mapped),
        sums_(s.groups) {}
  int phases() const override { return static_cast<int>(s_.rounds); }
  bool queued_ahead() const override { return false; }
  void run(int phase) override {
    auto* message = reinterpret_cast<std::uint32_t*>(memory_.data());
    auto* flag = message + s_.first_of_group(s_.groups);
    std::fill_n(flag, flags(), 0u);
    Round s = s_;
    s.round = static_cast<std::uint32_t>(phase);
    s.messages = reinterpret_cast<std::uint32_t*>(memory_.on_device());
    s.arrived = s.messages + (flag - message);
    write_(s, stream_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (std::uint32_t& sum : sums_) {
      sum = 0;
      for (std::uint32_t member = 0; member < s.members; ++member, message += s.words) {
        const std::atomic_ref<std::uint32_t> written(*flag++);
        while (written.load(std::memory_order_acquire) == 0) {
          if (std::chrono::steady_clock::now() < end) continue;
          throw Failure("no message of the kernel reached the host within a minute");
        }
        sum = std::accumulate(message, message + s.words, sum);
      }
    }
    copy_bytes(s.sums + std::uint64_t{s.groups} * s.round, stream_.place(), sums_.data(),
               Place::host, 4 * sums_.size(), stream_);
  }

 private:
  std::uint64_t flags() const { return std::uint64_t{s_.groups} * s_.members; }

  Round s_;
  const Stream& stream_;
  Launch<Round> write_;
  HostMemory memory_;
  std::vector<std::uint32_t> sums_;
};

/// The step, by its kernel.
template <class Write>
Rung host_reader_step(const Write& write) {
  return rung(works, "host_reader",
              [=](const Round& s, const Stream& on) -> std::unique_ptr<Execution> {
                return std::make_unique<HostReader>(s, on, write);
              });
}

}  // namespace portcost::message_passing
