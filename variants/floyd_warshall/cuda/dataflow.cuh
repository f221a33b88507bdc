// SPDX-License-Identifier: Apache-2.0
// All rounds in one launch, native: blocks draw tickets and spin on the counters of the tiles that
// their tile depends on.
#pragma once

#include "src/memory/buffer.hpp"
#include "variants/floyd_warshall/cuda/tiles.cuh"
#include "variants/floyd_warshall/schedule.hpp"

namespace portcost::floyd_warshall {

// The work of a block's first thread: it draws tickets, spins and increments counters. Its state
// lies in shared memory, because a tile needs all registers.
template <class T>
class Tickets {
 public:
  __device__ Tickets(const Graph<T>& g, const Flow& flow) : g_(g), flow_(flow) {}

  // Draws the next ticket and spins until its tile can be relaxed; or no ticket is left. `section`
  // is the section of the previous ticket.
  __device__ Task next(int& section) const {
    const int ticket = atomicAdd(flow_.state + Flow::ticket, 1);
    while (flow_.sections[section + 1].first_ticket <= ticket) ++section;
    const Section& now = flow_.sections[section];
    if (now.region.depth == 0) return Task::none();
    const Task task = Task::of(now, ticket);
    if (!there({Flow::panel, now.panel_parts})) return Task::none();
    if (now.touches && !there(flow_.before(now.round, task.at))) return Task::none();
    __threadfence();  // what has been counted is read after its count
    return task;
  }

  __device__ void done(const Task& task) const {
    if (task.closes && stopped()) return;
    __threadfence();  // what is counted was written before
    if (task.round < 0) {
      atomicAdd(flow_.state + Flow::panel, 1);
    } else {
      atomicExch(flow_.state + flow_.tile(task.at), task.round + 1);
      atomicAdd(flow_.state + flow_.row(task.round, task.at.row), 1);
      atomicAdd(flow_.state + flow_.col(task.round, task.at.col), 1);
    }
  }

 private:
  // Spins on a counter; returns false where there is a negative cycle, which stops all counters.
  __device__ bool there(Awaited awaited) const {
    const volatile int* const count = flow_.state + awaited.place;
    while (!stopped()) {
      if (*count >= awaited.least) return true;
    }
    return false;
  }
  __device__ bool stopped() const { return *static_cast<const volatile int*>(g_.negative) >= 0; }

  const Graph<T>& g_;
  const Flow& flow_;
};

template <class Shape, bool paths, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams) flow_kernel(Graph<T> g, Flow flow) {
  static_assert(Shape::close_scratch + 2 * Shape::tile <= Shape::scratch && sizeof(T) == 4);
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
  __shared__ Task shared_task;
  __shared__ int section;
  const Tickets<T> tickets(g, flow);
  if (threadIdx.x == 0) section = 0;
  for (;;) {
    if (threadIdx.x == 0) shared_task = tickets.next(section);
    __syncthreads();
    const Task task = shared_task;
    if (task.depth == 0) return;
    if (task.closes) {
      close_tile<Shape, paths>(g, task.k, scratch,
                               reinterpret_cast<int*>(scratch + Shape::close_scratch));
    } else {
      take_tile<Shape, false, paths>(g, task.at, task.k, task.depth, scratch);
    }
    __syncthreads();
    if (threadIdx.x == 0) tickets.done(shared_task);
  }
}

// A run resets the counters and launches as many blocks as the GPU has threads for. Blocks that do
// not fit at first find no work when they start.
template <class T>
class Dataflow final : public Execution {
 public:
  Dataflow(const Graph<T>& g, const Stream& stream) : g_(g), stream_(stream.native()) {
    int device = 0, multiprocessors = 0, threads = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    with_paths(g, [&](auto paths) {
      using Shape = RegisterShape<paths.value>;
      flow_.tiles = tiles_of(g.n, Shape::tile);
      flow_.depth = flow_depth(flow_.tiles);
      blocks_ =
          flow_teams_of(flow_.tiles, multiprocessors * (threads / Shape::threads), multiprocessors);
    });
    const std::vector<Section> sections = flow_sections(flow_.tiles, flow_.depth);
    sections_ = Buffer<Section>(sections.size(), Place::device);
    sections_.upload(sections, stream);
    state_ = Buffer<int>(Flow::state_size(flow_.tiles, flow_.depth), Place::device);
    flow_.sections = sections_.data();
    flow_.state = state_.data();
  }

  void run(int) override {
    cuda_check(cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream_));
    with_paths(g_, [&](auto paths) {
      using Shape = RegisterShape<paths.value>;
      flow_kernel<Shape, paths.value><<<blocks_, Shape::threads, 0, stream_>>>(g_, flow_);
    });
    cuda_check(cudaGetLastError());
  }

 private:
  Graph<T> g_;
  cudaStream_t stream_;
  Flow flow_{};
  Buffer<Section> sections_;
  Buffer<int> state_;
  int blocks_ = 0;
};

}  // namespace portcost::floyd_warshall
