// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: asynchronous copies and a kernel on the streams of a plan.
#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"
#include "variants/transfer_overlap/problem.hpp"

namespace portcost::transfer_overlap {

namespace {

// Elements first .. first + count - 1 of the array, which lie at `at`.
template <bool fast, class T>
__global__ __launch_bounds__(kernel_threads) void increase(T* at, std::int64_t first,
                                                           std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kernel_threads + threadIdx.x;
  if (i < count) at[i] = increased<fast>(at[i], static_cast<T>(first + i));
}

template <class T>
class Calls final : public OnQueues {
 public:
  Calls(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room)
      : OnQueues(on, plan), s_(s), room_(room) {}
  void in(const Piece& p) const {
    cuda_check(cudaMemcpyAsync(room_ + p.at, s_.a + p.first, bytes(p), cudaMemcpyHostToDevice,
                               queue(p.queue)));
  }
  void kernel(const Piece& p) const {
    const auto blocks = static_cast<unsigned>(ceil_div(p.count, std::int64_t{kernel_threads}));
    with_math<Place::device>(s_, [&](auto fast) {
      increase<fast.value>
          <<<blocks, kernel_threads, 0, queue(p.queue)>>>(room_ + p.at, p.first, p.count);
    });
    cuda_check(cudaGetLastError());
  }
  void out(const Piece& p) const {
    cuda_check(cudaMemcpyAsync(s_.a + p.first, room_ + p.at, bytes(p), cudaMemcpyDeviceToHost,
                               queue(p.queue)));
  }

 private:
  static std::size_t bytes(const Piece& p) { return static_cast<std::size_t>(p.count) * sizeof(T); }

  Overlap<T> s_;
  T* room_;
};

// The calls of a plan as one graph, made once. Its nodes depend on each other as the calls do.
template <class T>
class Graph final : public Execution {
 public:
  Graph(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room) : on_(on.native()) {
    require(s.pinned, "the copies of a graph need pinned memory, which was refused");
    const Stream captured(Place::device);
    Calls<T> calls(s, captured, plan, room);
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamBeginCapture(captured.native(), cudaStreamCaptureModeThreadLocal));
    calls.begin();
    OneLoop()(plan, calls);
    calls.end();
    cuda_check(cudaStreamEndCapture(captured.native(), &graph));
    const cudaError_t made = cudaGraphInstantiate(&runs_, graph, 0);
    cuda_check(cudaGraphDestroy(graph));
    cuda_check(made);
    cuda_check(cudaGraphUpload(runs_, on_));
  }
  ~Graph() override {
    if (runs_ != nullptr) cudaGraphExecDestroy(runs_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void run(int) override { cuda_check(cudaGraphLaunch(runs_, on_)); }

 private:
  cudaStream_t on_;
  cudaGraphExec_t runs_ = nullptr;
};

}  // namespace

Rungs cuda_rungs() {
  return with_reasons<Place::device>(
      {rung(works, "sequential", whole_with<Calls>),
       rung(works, "v1", chunked_with<Calls, OneLoop>),
       rung(works, "v2", chunked_with<Calls, ThreeLoops>),
       rung(works, "v3", chunked_with<Calls, ThreeLoopsMarked>),
       rung(works, "graph",
            []<class T>(const Overlap<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
              return std::make_unique<Graph<T>>(s, on, s.cut.chunked(), s.room->whole());
            }),
       rung(works, "ring", ring_with<Calls>)});
}

}  // namespace portcost::transfer_overlap
