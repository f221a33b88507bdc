// SPDX-License-Identifier: Apache-2.0
// Common to CUDA's steps whose launches overlap: those of a run on two streams, as one graph.
#pragma once

#include "src/contract/rung.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost {

// Two streams while a graph is made of what they are given. `ahead` has what the next round needs
// first, `rest` what may be done beside it. `priorities`: the first goes before the other. Without
// them a launch begins when all blocks of those before it have begun.
class TwoStreams {
 public:
  explicit TwoStreams(bool priorities) {
    int least = 0, most = 0;
    if (priorities) cuda_check(cudaDeviceGetStreamPriorityRange(&least, &most));
    cuda_check(cudaStreamCreateWithPriority(&rest, cudaStreamNonBlocking, least));
    cuda_check(cudaStreamCreateWithPriority(&ahead, cudaStreamNonBlocking, most));
    cuda_check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
    cuda_check(cudaEventCreateWithFlags(&rested_, cudaEventDisableTiming));
  }
  ~TwoStreams() {
    cudaEventDestroy(ready_);
    cudaEventDestroy(rested_);
    cudaStreamDestroy(ahead);
    cudaStreamDestroy(rest);
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

  cudaStream_t rest = nullptr, ahead = nullptr;

 private:
  cudaEvent_t ready_ = nullptr, rested_ = nullptr;
};

// And a third, `side`, for what the next round needs soon, but not first.
class ThreeStreams : public TwoStreams {
 public:
  explicit ThreeStreams(bool priorities) : TwoStreams(priorities) {
    int least = 0, most = 0;
    if (priorities) cuda_check(cudaDeviceGetStreamPriorityRange(&least, &most));
    cuda_check(
        cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, most < least ? most + 1 : most));
    cuda_check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
    cuda_check(cudaEventCreateWithFlags(&sided_, cudaEventDisableTiming));
  }
  ~ThreeStreams() {
    cudaEventDestroy(ready_);
    cudaEventDestroy(sided_);
    cudaStreamDestroy(side);
  }

  // What comes on `side` waits for what is on `ahead`, and the other way round.
  void side_waits() const {
    cuda_check(cudaEventRecord(ready_, ahead));
    cuda_check(cudaStreamWaitEvent(side, ready_, 0));
  }
  void ahead_waits_for_side() const {
    cuda_check(cudaEventRecord(sided_, side));
    cuda_check(cudaStreamWaitEvent(ahead, sided_, 0));
  }

  cudaStream_t side = nullptr;

 private:
  cudaEvent_t ready_ = nullptr, sided_ = nullptr;
};

// And a fourth, `soon`, for what is needed after that on `side`.
class FourStreams : public ThreeStreams {
 public:
  explicit FourStreams(bool priorities) : ThreeStreams(priorities) {
    int least = 0, most = 0;
    if (priorities) cuda_check(cudaDeviceGetStreamPriorityRange(&least, &most));
    cuda_check(
        cudaStreamCreateWithPriority(&soon, cudaStreamNonBlocking, most < least ? most + 1 : most));
    cuda_check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
    cuda_check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
  }
  ~FourStreams() {
    cudaEventDestroy(ready_);
    cudaEventDestroy(done_);
    cudaStreamDestroy(soon);
  }

  // What comes on `soon` waits for what is on `ahead`, and the other way round.
  void soon_waits() const {
    cuda_check(cudaEventRecord(ready_, ahead));
    cuda_check(cudaStreamWaitEvent(soon, ready_, 0));
  }
  void ahead_waits_for_soon() const {
    cuda_check(cudaEventRecord(done_, soon));
    cuda_check(cudaStreamWaitEvent(ahead, done_, 0));
  }

  cudaStream_t soon = nullptr;

 private:
  cudaEvent_t ready_ = nullptr, done_ = nullptr;
};

// A run as one graph, made once of what enqueue(streams) launches; it begins and ends on `ahead`.
template <class Streams>
class StreamGraph final : public Execution {
 public:
  template <class Enqueue>
  StreamGraph(const Stream& stream, bool priorities, const Enqueue& enqueue)
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
  ~StreamGraph() override { cudaGraphExecDestroy(runs_); }
  StreamGraph(const StreamGraph&) = delete;
  StreamGraph& operator=(const StreamGraph&) = delete;

  void run(int) override { cuda_check(cudaGraphLaunch(runs_, stream_)); }

 private:
  cudaStream_t stream_;
  Streams streams_;
  cudaGraphExec_t runs_ = nullptr;
};
using TwoStreamGraph = StreamGraph<TwoStreams>;
using ThreeStreamGraph = StreamGraph<ThreeStreams>;
using FourStreamGraph = StreamGraph<FourStreams>;

}  // namespace portcost
