// SPDX-License-Identifier: Apache-2.0
// Portable variants: a call is a deep_copy or a parallel_for on an execution-space instance. Tuned,
// instances lie on the harness's queues, which events order: Kokkos has no events of its own. As
// the documentation teaches them, instances come from partition_space, with a fence of each at the
// end, and, for one that must wait for another, a fence between; without overlap, deep_copy has no
// instance. The usual kernel is a range; by the book it is that of book.hpp.
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "src/support/error.hpp"
#include "variants/shared/kokkos_graph.hpp"
#include "variants/shared/kokkos_team.hpp"
#include "variants/transfer_overlap/kokkos/book.hpp"
#include "variants/transfer_overlap/problem.hpp"
#if PORTCOST_HAS_CUDA
#include "src/memory/cuda_check.hpp"
#endif

namespace portcost::transfer_overlap {

namespace {

using Space = KokkosSpace;
using Device = Space::memory_space;
#if PORTCOST_HAS_CUDA
using Host = Kokkos::SharedHostPinnedSpace;
#else
using Host = Kokkos::HostSpace;
#endif

template <class T, class Memory>
using Elements = Kokkos::View<T*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// The Views of a piece's two ends.
template <class T>
Elements<T, Host> on_host(T* a, const Piece& p) {
  return Elements<T, Host>(a + p.first, static_cast<std::size_t>(p.count));
}
template <class T>
Elements<T, Device> on_device(T* room, const Piece& p) {
  return Elements<T, Device>(room + p.at, static_cast<std::size_t>(p.count));
}

// The work on a piece, elements first .. first + data.extent(0) - 1 of the array.
template <bool fast, class T>
struct Increase {
  Elements<T, Device> data;
  std::int64_t first;

  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i) const {
    data(i) = increased<fast>(data(i), static_cast<T>(first + i));
  }
};

// The usual kernel: a range in the space's own index type, as long as that reaches.
struct ByRange {
  template <bool fast, class T>
  static void increase(const Space& space, T* room, const Piece& p) {
    const Increase<fast, T> body{on_device(room, p), p.first};
    const char* const label = "portcost::transfer_overlap::increase";
    if (p.count <= std::numeric_limits<int>::max()) {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(p.count)),
                           body);
    } else {
      using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
      Kokkos::parallel_for(label, Policy(space, 0, p.count), body);
    }
  }
};

// The team kernel: a thread an element, in teams of as many threads as the native blocks have.
template <bool fast, class T>
struct IncreaseTeams {
  using On = Teams<kernel_threads / 32, 0, Lanes::one>;
  using Index = On::Index;
  T* at;
  std::int64_t first, count;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::int64_t begin = std::int64_t{team.league_rank()} * kernel_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{kernel_threads}), [&](Index item) {
      const std::int64_t i = begin + item;
      if (i < count) at[i] = increased<fast>(at[i], static_cast<T>(first + i));
    });
  }
};
struct ByTeams {
  template <bool fast, class T>
  static void increase(const Space& space, T* room, const Piece& p) {
    using Made = IncreaseTeams<fast, T>;
    static_assert(most_elements / kernel_threads <= Made::On::most_teams);
    const auto league = static_cast<int>(ceil_div(p.count, std::int64_t{kernel_threads}));
    Kokkos::parallel_for("portcost::transfer_overlap::increase", Made::On::policy(space, league),
                         Made{room + p.at, p.first, p.count});
  }
};

// The kernel of book.hpp.
static_assert(kernel_threads == 128, "as book.hpp has them");
struct ByTheBook {
  template <bool fast, class T>
  static void increase(const Space& space, T* room, const Piece& p) {
    const book::Piece<T> piece(room + p.at, static_cast<std::size_t>(p.count));
    book::increase<fast>(space, team_size(kernel_threads / 32), piece, p.first);
  }
};

template <class Kernel, class T>
void increase_by(const Overlap<T>& s, const Space& space, T* room, const Piece& p) {
  with_math<kokkos_shapes>(
      s, [&](auto fast) { Kernel::template increase<decltype(fast)::value>(space, room, p); });
}

// deep_copy and the kernel on an execution-space instance for each queue.
template <class Kernel, class T>
class OnInstances {
 public:
  OnInstances(const Overlap<T>& s, T* room, std::vector<Space> spaces)
      : s_(s), room_(room), spaces_(std::move(spaces)) {}
  void in(const Piece& p) const {
    Kokkos::deep_copy(space(p), on_device(room_, p), on_host(s_.a, p));
  }
  void kernel(const Piece& p) const { increase_by<Kernel>(s_, space(p), room_, p); }
  void out(const Piece& p) const {
    Kokkos::deep_copy(space(p), on_host(s_.a, p), on_device(room_, p));
  }

 protected:
  const std::vector<Space>& spaces() const { return spaces_; }
  const Space& space(const Piece& p) const { return spaces_[static_cast<std::size_t>(p.queue)]; }

 private:
  Overlap<T> s_;
  T* room_;
  std::vector<Space> spaces_;
};

// Without events the host orders the calls.
struct WithoutEvents {
  void emptied(const Piece&) const {}
};

// Tuned: instances on the harness's queues, which it orders by events.
template <class T>
class Calls final : public OnQueues, public OnInstances<ByTeams, T> {
 public:
  Calls(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room)
      : OnQueues(on, plan), OnInstances<ByTeams, T>(s, room, spaces_of(*this, on, plan)) {}

 private:
  static std::vector<Space> spaces_of([[maybe_unused]] const OnQueues& queues, const Stream& on,
                                      const Plan& plan) {
    std::vector<Space> result{kokkos_space(on)};
#if PORTCOST_HAS_CUDA
    for (int i = 1; i < plan.queues; ++i) result.emplace_back(queues.queue(i));
#else
    for (int i = 1; i < plan.queues; ++i) result.push_back(result[0]);  // a host has one
#endif
    return result;
  }
};

// On the harness's stream, and waiting: deep_copy without an instance waits for all of the device.
template <class Kernel, class T>
class Waiting : public WithoutEvents {
 public:
  Waiting(const Overlap<T>& s, const Stream& on, T* room) : s_(s), room_(room), on_(on) {}
  void begin() const {}
  void end() const {}
  void in(const Piece& p) const { Kokkos::deep_copy(on_device(room_, p), on_host(s_.a, p)); }
  void kernel(const Piece& p) const { increase_by<Kernel>(s_, kokkos_space(on_), room_, p); }
  void out(const Piece& p) const { Kokkos::deep_copy(on_host(s_.a, p), on_device(room_, p)); }
  void wait(const Piece&, const Piece&) const {}
  CUstream_st* queue(int) const { return on_.native(); }
  bool waits() const { return true; }

 private:
  Overlap<T> s_;
  T* room_;
  const Stream& on_;
};

#if PORTCOST_HAS_CUDA

// On instances of Kokkos's own, in the order of the host alone.
template <class Kernel, class T>
class Partitioned : public WithoutEvents, public OnInstances<Kernel, T> {
 public:
  Partitioned(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room)
      : OnInstances<Kernel, T>(
            s, room,
            Kokkos::Experimental::partition_space(
                kokkos_space(on), std::vector<int>(static_cast<std::size_t>(plan.queues), 1))),
        on_(on) {}
  void begin() const { kokkos_space(on_).fence("portcost: what came before"); }
  void wait(const Piece&, const Piece& before) const {
    this->space(before).fence("portcost: the buffer is empty");
  }
  void end() const {
    for (const Space& one : this->spaces()) one.fence("portcost: all pieces are back");
  }
  CUstream_st* queue(int number) const {
    return this->spaces()[static_cast<std::size_t>(number)].cuda_stream();
  }
  bool waits() const { return true; }

 private:
  const Stream& on_;
};

template <class Order, class Kernel, class T>
std::unique_ptr<Execution> partitioned(const Overlap<T>& s, const Stream& on, const Plan& plan,
                                       T* room) {
  return pipeline<Order>(s, plan, std::make_unique<Partitioned<Kernel, T>>(s, on, plan, room));
}

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

template <class Kernel, class T>
std::unique_ptr<Execution> waiting(const Overlap<T>& s, const Stream& on, const Plan& plan,
                                   T* room) {
  return pipeline<OneLoop>(s, plan, std::make_unique<Waiting<Kernel, T>>(s, on, room));
}

// A step with one of the kernels.
template <class Kernel>
constexpr auto sequential = [](const auto& s, const Stream& on) {
  return waiting<Kernel>(s, on, s.cut.whole(), s.room->whole());
};
#if PORTCOST_HAS_CUDA
template <class Order, class Kernel>
constexpr auto chunked = [](const auto& s, const Stream& on) {
  return partitioned<Order, Kernel>(s, on, s.cut.chunked(), s.room->whole());
};
template <class Kernel>
constexpr auto ring = [](const auto& s, const Stream& on) {
  return partitioned<OneLoop, Kernel>(s, on, s.cut.ring(), s.room->ring());
};
#else
template <class Kernel>
constexpr auto ring_in_turn = [](const auto& s, const Stream& on) {
  return waiting<Kernel>(s, on, s.cut.ring(), s.room->ring());
};
#endif

}  // namespace

Rungs kokkos_rungs() {
  Rungs result;
  const auto add = [&](Rung one) { result.push_back(std::move(one)); };
  add(rung(works, "sequential", whole_with<Calls>));
#if PORTCOST_HAS_CUDA
  add(rung(works, "v1", chunked_with<Calls, OneLoop>));
  add(rung(works, "v2", chunked_with<Calls, ThreeLoops>));
  add(rung(works, "v3", chunked_with<Calls, ThreeLoopsMarked>));
#ifdef PORTCOST_HAS_KOKKOS_GRAPH_OF_CALLS
  add(rung(works, "graph",
           []<class T>(const Overlap<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
             return std::make_unique<Graph<T>>(s, on, s.cut.chunked(), s.room->whole());
           }));
#else
  add(absent_rung("graph", "a graph of copies and kernels needs Kokkos 4.6 on a GPU"));
#endif
#endif
  add(rung(works, "sequential", sequential<ByRange>).written(Way::usual));
  add(rung(works, "sequential", sequential<ByTheBook>).written(Way::book));
#if PORTCOST_HAS_CUDA
  add(rung(works, "v1", chunked<OneLoop, ByRange>).written(Way::usual));
  add(rung(works, "v1", chunked<OneLoop, ByTheBook>).written(Way::book));
  add(rung(works, "v2", chunked<ThreeLoops, ByRange>).written(Way::usual));
  add(rung(works, "v2", chunked<ThreeLoops, ByTheBook>).written(Way::book));
#endif
  add(rung(works, "ring", ring_with<Calls>));
#if !PORTCOST_HAS_CUDA
  add(rung(works, "ring", ring_in_turn<ByRange>).written(Way::usual));
  add(rung(works, "ring", ring_in_turn<ByTheBook>).written(Way::book));
#else
  add(rung(works, "ring", ring<ByRange>).written(Way::usual));
  add(rung(works, "ring", ring<ByTheBook>).written(Way::book));
#endif
  return with_reasons<kokkos_shapes>(std::move(result));
}

}  // namespace portcost::transfer_overlap
