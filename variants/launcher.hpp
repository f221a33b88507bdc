// SPDX-License-Identifier: Apache-2.0
// What rows of the catalogue share: the Execution of a variant that is one function, and the rule
// that answers agree bit for bit. Plain C++.
#pragma once

#include <memory>

#include "src/contract/algorithm.hpp"

namespace portcost {

/// A variant that is one function, made ready: each run calls launch(work, stream), which only
/// enqueues. Work is the problem as the function receives it, a small struct of sizes and of raw
/// pointers into an Instance, which must outlive this.
template <class Work>
class Launcher final : public Execution {
 public:
  using Launch = void (*)(const Work&, const Stream&);

  Launcher(const Work& work, const Stream& stream, Launch launch)
      : work_(work), stream_(stream), launch_(launch) {}
  void run(int) override { launch_(work_, stream_); }

 private:
  Work work_;
  const Stream& stream_;
  Launch launch_;
};

/// A Launcher, its Work taken from the arguments.
template <class Work>
std::unique_ptr<Execution> make_launcher(const Work& work, const Stream& stream,
                                         typename Launcher<Work>::Launch launch) {
  return std::make_unique<Launcher<Work>>(work, stream, launch);
}

/// compare_exact as an Algorithm's rule of agreement, the same for every problem.
inline Disagreement compare_bit_for_bit(const Problem&, const Answer& left, const Answer& right,
                                        const Stream& stream) {
  return compare_exact(left, right, stream);
}

}  // namespace portcost
