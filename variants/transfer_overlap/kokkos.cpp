// SPDX-License-Identifier: Apache-2.0
// Portable variants: an execution-space instance on each queue of the harness, which orders them by
// events. Kokkos has no events of its own.
#include <memory>
#include <vector>

#include "src/support/error.hpp"
#include "variants/shared/kokkos_graph.hpp"
#include "variants/transfer_overlap/kokkos/calls.hpp"
#if PORTCOST_HAS_CUDA
#include "src/memory/cuda_check.hpp"
#endif

namespace portcost::transfer_overlap {

namespace {

template <class T>
class Calls final : public OnQueues {
 public:
  Calls(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room)
      : OnQueues(on, plan), a_(s.a), room_(room), spaces_{kokkos_space(on)} {
#if PORTCOST_HAS_CUDA
    for (int i = 1; i < plan.queues; ++i) spaces_.emplace_back(queue(i));
#else
    for (int i = 1; i < plan.queues; ++i) spaces_.push_back(spaces_[0]);  // a host has one
#endif
  }
  void in(const Piece& p) const {
    Kokkos::deep_copy(space(p), on_device(room_, p), on_host(a_, p));
  }
  void kernel(const Piece& p) const { ByTeams::increase(space(p), room_, p); }
  void out(const Piece& p) const {
    Kokkos::deep_copy(space(p), on_host(a_, p), on_device(room_, p));
  }

 private:
  const Space& space(const Piece& p) const { return spaces_[static_cast<std::size_t>(p.queue)]; }

  T *a_, *room_;
  std::vector<Space> spaces_;  // one a queue
};

template <class Order, class T>
std::unique_ptr<Execution> with_calls(const Overlap<T>& s, const Stream& on, const Plan& plan,
                                      T* room) {
  return pipeline<Order>(s, plan, std::make_unique<Calls<T>>(s, on, plan, room));
}

#if PORTCOST_HAS_CUDA
#ifdef PORTCOST_HAS_KOKKOS_GRAPH_OF_CALLS

// The calls of a plan as one graph, made once. Nodes of Kokkos's graphs are kernels alone, so CUDA
// records what Kokkos's calls enqueue, and Kokkos makes its graph of that.
template <class T>
class Graph final : public Execution {
 public:
  Graph(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room) : on_(on) {
    require(s.pinned, "the copies of a graph need pinned memory, which was refused");
    const Stream recorded(Place::device);
    Calls<T> calls(s, recorded, plan, room);
    // Kokkos's first launch copies what its atomics need, which no graph can have.
    calls.kernel(plan.piece(0));
    recorded.synchronize();
    cuda_check(cudaStreamBeginCapture(recorded.native(), cudaStreamCaptureModeThreadLocal));
    calls.begin();
    OneLoop()(plan, calls);
    calls.end();
    cuda_check(cudaStreamEndCapture(recorded.native(), &calls_));
    graph_ = std::make_unique<OfKokkos>(
        Kokkos::Experimental::create_graph_from_native(kokkos_space(on), calls_));
    graph_->instantiate();
  }
  ~Graph() override {
    graph_.reset();
    if (calls_ != nullptr) cudaGraphDestroy(calls_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void run(int) override { graph_->submit(kokkos_space(on_)); }

 private:
  using OfKokkos = Kokkos::Experimental::Graph<Space>;

  const Stream& on_;
  cudaGraph_t calls_ = nullptr;  // Kokkos does not own it
  std::unique_ptr<OfKokkos> graph_;
};

#endif
#endif

}  // namespace

Rungs kokkos_rungs() {
  Rungs result;
  result.push_back(rung(works, "sequential", [](const auto& s, const Stream& on) {
                     return with_calls<OneLoop>(s, on, s.cut.whole(), s.room->whole());
                   }).unless(larger_than_device));
#if PORTCOST_HAS_CUDA
  result.push_back(rung(works, "v1", [](const auto& s, const Stream& on) {
                     return with_calls<OneLoop>(s, on, s.cut.chunked(), s.room->whole());
                   }).unless(larger_than_device));
  result.push_back(rung(works, "v2", [](const auto& s, const Stream& on) {
                     return with_calls<ThreeLoops>(s, on, s.cut.chunked(), s.room->whole());
                   }).unless(larger_than_device));
  result.push_back(rung(works, "v3", [](const auto& s, const Stream& on) {
                     return with_calls<ThreeLoopsMarked>(s, on, s.cut.chunked(), s.room->whole());
                   }).unless(larger_than_device));
#ifdef PORTCOST_HAS_KOKKOS_GRAPH_OF_CALLS
  result.push_back(
      rung(works, "graph",
           []<class T>(const Overlap<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
             return std::make_unique<Graph<T>>(s, on, s.cut.chunked(), s.room->whole());
           })
          .unless(larger_than_device));
#else
  result.push_back(absent_rung("graph", "a graph of copies and kernels needs Kokkos 4.6 on a GPU"));
#endif
#endif
  result.push_back(rung(works, "ring", [](const auto& s, const Stream& on) {
    return with_calls<OneLoop>(s, on, s.cut.ring(), s.room->ring());
  }));
  return result;
}

}  // namespace portcost::transfer_overlap
