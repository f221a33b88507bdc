// SPDX-License-Identifier: Apache-2.0
// For CUDA's steps whose launches overlap: the launches of a run on several streams, as one graph.
#pragma once

#include "src/contract/rung.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost {

inline cudaStream_t nonblocking_stream(int priority) {
  cudaStream_t stream = nullptr;
  cuda_check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
  return stream;
}

// A stream beside `ahead` during the capture of a graph.
class Branch {
 public:
  Branch(cudaStream_t ahead, int priority) : ahead_(ahead), stream_(nonblocking_stream(priority)) {
    cuda_check(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming));
    cuda_check(cudaEventCreateWithFlags(&ended_, cudaEventDisableTiming));
  }
  ~Branch() {
    cudaEventDestroy(begun_);
    cudaEventDestroy(ended_);
    cudaStreamDestroy(stream_);
  }
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;

  operator cudaStream_t() const { return stream_; }

  // Later launches on it wait for the launches so far on `ahead`.
  void waits() const {
    cuda_check(cudaEventRecord(begun_, ahead_));
    cuda_check(cudaStreamWaitEvent(stream_, begun_, 0));
  }
  // ends() marks the end of its round; launches on `ahead` after joins() wait for the mark.
  void ends() const { cuda_check(cudaEventRecord(ended_, stream_)); }
  void joins() const { cuda_check(cudaStreamWaitEvent(ahead_, ended_, 0)); }

 private:
  cudaStream_t ahead_, stream_;
  cudaEvent_t begun_ = nullptr, ended_ = nullptr;
};

// `ahead` has the launches that the next round needs first, `side` and `soon` the launches that it
// needs later, `rest` the launches that overlap with it. `priorities`: the streams have priority in
// this order. Without priorities a launch begins when all blocks of the earlier launches have
// begun.
class GraphStreams {
 public:
  explicit GraphStreams(bool priorities) : GraphStreams(priorities ? Order() : Order{0, 0}) {}
  ~GraphStreams() { cudaStreamDestroy(ahead); }
  GraphStreams(const GraphStreams&) = delete;
  GraphStreams& operator=(const GraphStreams&) = delete;

  const cudaStream_t ahead;
  const Branch side, soon, rest;

 private:
  // The device's range; the smaller number has priority.
  struct Order {
    Order() { cuda_check(cudaDeviceGetStreamPriorityRange(&least, &most)); }
    Order(int least, int most) : least(least), most(most) {}
    int second() const { return most < least ? most + 1 : most; }
    int least = 0, most = 0;
  };
  explicit GraphStreams(const Order& order)
      : ahead(nonblocking_stream(order.most)),
        side(ahead, order.second()),
        soon(ahead, order.second()),
        rest(ahead, order.least) {}
};

// A run as one graph, captured once from enqueue(streams); it begins and ends on `ahead`.
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
  GraphStreams streams_;
  cudaGraphExec_t runs_ = nullptr;
};

}  // namespace portcost
