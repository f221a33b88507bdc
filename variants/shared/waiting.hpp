// SPDX-License-Identifier: Apache-2.0
// Runs that cannot be queued ahead of the device.
#pragma once

#include <memory>
#include <utility>

#include "src/contract/rung.hpp"

namespace portcost {

/// A run that waits for its own work, or for that of the run before: it cannot be queued ahead of
/// the device.
template <class Work, class F>
class Waiting final : public Execution {
 public:
  Waiting(Work work, const Stream& stream, F what)
      : work_(std::move(work)), stream_(stream), run_(std::move(what)) {}
  void run(int) override { run_(work_, stream_); }
  bool queued_ahead() const override { return false; }

 private:
  Work work_;
  const Stream& stream_;
  F run_;
};
template <class Work, class F>
std::unique_ptr<Execution> waiting(const Work& s, const Stream& on, F what) {
  return std::make_unique<Waiting<Work, F>>(s, on, std::move(what));
}

}  // namespace portcost
