// SPDX-License-Identifier: Apache-2.0
// Common to CUDA's steps whose launches overlap: those of a run on two streams, as one graph.
#pragma once

#include "src/contract/rung.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost {

// Streams while a graph is made of what they are given. `ahead` has what the next round needs
// first, `rest`, and `other` where there are two chains, what may be done beside it. `priorities`:
// the first goes before the others. Without them a launch begins when all blocks of those before it
// have begun.
class TwoStreams {
 public:
  explicit TwoStreams(bool priorities) {
    int least = 0, most = 0;
    if (priorities) cuda_check(cudaDeviceGetStreamPriorityRange(&least, &most));
    cuda_check(cudaStreamCreateWithPriority(&rest, cudaStreamNonBlocking, least));
    cuda_check(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, least));
    cuda_check(cudaStreamCreateWithPriority(&ahead, cudaStreamNonBlocking, most));
    for (cudaEvent_t* event : {&ready_, &rested_, &other_rested_}) {
      cuda_check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
  }
  ~TwoStreams() {
    for (cudaEvent_t event : {ready_, rested_, other_rested_}) cudaEventDestroy(event);
    for (cudaStream_t stream : {ahead, rest, other}) cudaStreamDestroy(stream);
  }
  TwoStreams(const TwoStreams&) = delete;
  TwoStreams& operator=(const TwoStreams&) = delete;

  // What comes on `rest` waits for what is on `ahead`.
  void rest_waits() const {
    cuda_check(cudaEventRecord(ready_, ahead));
    cuda_check(cudaStreamWaitEvent(rest, ready_, 0));
  }
  // `rest` has all of a round; what comes on `ahead` waits for that.
  void rest_ends() const { cuda_check(cudaEventRecord(rested_, rest)); }
  void ahead_waits() const { cuda_check(cudaStreamWaitEvent(ahead, rested_, 0)); }
  // The same with two chains.
  void both_wait() const {
    rest_waits();
    cuda_check(cudaStreamWaitEvent(other, ready_, 0));
  }
  void both_end() const {
    rest_ends();
    cuda_check(cudaEventRecord(other_rested_, other));
  }
  void ahead_waits_for_both() const {
    ahead_waits();
    cuda_check(cudaStreamWaitEvent(ahead, other_rested_, 0));
  }

  cudaStream_t rest = nullptr, other = nullptr, ahead = nullptr;

 private:
  cudaEvent_t ready_ = nullptr, rested_ = nullptr, other_rested_ = nullptr;
};

// A run as one graph, made once of what enqueue(streams) launches; it begins and ends on `ahead`.
class TwoStreamGraph final : public Execution {
 public:
  template <class Enqueue>
  TwoStreamGraph(const Stream& stream, bool priorities, const Enqueue& enqueue)
      : stream_(stream.native()), streams_(priorities) {
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamBeginCapture(streams_.ahead, cudaStreamCaptureModeThreadLocal));
    enqueue(streams_);
    cuda_check(cudaStreamEndCapture(streams_.ahead, &graph));
    cuda_check(cudaGraphInstantiate(&runs_, graph,
                                    priorities ? cudaGraphInstantiateFlagUseNodePriority : 0));
    cuda_check(cudaGraphDestroy(graph));
    cuda_check(cudaGraphUpload(runs_, stream_));
  }
  ~TwoStreamGraph() override { cudaGraphExecDestroy(runs_); }
  TwoStreamGraph(const TwoStreamGraph&) = delete;
  TwoStreamGraph& operator=(const TwoStreamGraph&) = delete;

  void run(int) override { cuda_check(cudaGraphLaunch(runs_, stream_)); }

 private:
  cudaStream_t stream_;
  TwoStreams streams_;
  cudaGraphExec_t runs_ = nullptr;
};

}  // namespace portcost
