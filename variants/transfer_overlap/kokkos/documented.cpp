// SPDX-License-Identifier: Apache-2.0
// Portable variants as the documentation teaches them: instances from partition_space, a fence of
// each at the end, and, for one that must wait for another, a fence between. Without overlap:
// deep_copy without an instance. The usual kernel is a range; by the book it is that of book.hpp.
#include <memory>
#include <utility>
#include <vector>

#include "variants/transfer_overlap/kokkos/book.hpp"
#include "variants/transfer_overlap/kokkos/calls.hpp"

namespace portcost::transfer_overlap {

namespace {

// The kernel of book.hpp.
static_assert(kernel_threads == 128, "as book.hpp has them");
struct ByTheBook {
  template <class T>
  static void increase(const Space& space, T* room, const Piece& p) {
    const book::Piece<T> piece(room + p.at, static_cast<std::size_t>(p.count));
    book::increase(space, team_size(kernel_threads / 32), piece, p.first);
  }
};

// On the harness's stream, and waiting: deep_copy without an instance waits for all of the device.
template <class Kernel, class T>
class Waiting {
 public:
  Waiting(const Overlap<T>& s, const Stream& on, T* room) : a_(s.a), room_(room), on_(on) {}
  void begin() const {}
  void end() const {}
  void in(const Piece& p) const { Kokkos::deep_copy(on_device(room_, p), on_host(a_, p)); }
  void kernel(const Piece& p) const { Kernel::increase(kokkos_space(on_), room_, p); }
  void out(const Piece& p) const { Kokkos::deep_copy(on_host(a_, p), on_device(room_, p)); }
  void mark(const Piece&) const {}
  void emptied(const Piece&) const {}
  void wait(const Piece&, const Piece&) const {}
  CUstream_st* queue(int) const { return on_.native(); }
  bool waits() const { return true; }

 private:
  T *a_, *room_;
  const Stream& on_;
};

#if PORTCOST_HAS_CUDA

// On instances of Kokkos's own, in the order of the host alone.
template <class Kernel, class T>
class Partitioned {
 public:
  Partitioned(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room)
      : a_(s.a),
        room_(room),
        on_(on),
        spaces_(Kokkos::Experimental::partition_space(
            kokkos_space(on), std::vector<int>(static_cast<std::size_t>(plan.queues), 1))) {}
  void begin() const { kokkos_space(on_).fence("portcost: what came before"); }
  void in(const Piece& p) const {
    Kokkos::deep_copy(space(p), on_device(room_, p), on_host(a_, p));
  }
  void kernel(const Piece& p) const { Kernel::increase(space(p), room_, p); }
  void out(const Piece& p) const {
    Kokkos::deep_copy(space(p), on_host(a_, p), on_device(room_, p));
  }
  void emptied(const Piece&) const {}
  void wait(const Piece&, const Piece& before) const {
    space(before).fence("portcost: the buffer is empty");
  }
  void end() const {
    for (const Space& one : spaces_) one.fence("portcost: all pieces are back");
  }
  void mark(const Piece&) const {}
  CUstream_st* queue(int number) const {
    return spaces_[static_cast<std::size_t>(number)].cuda_stream();
  }
  bool waits() const { return true; }

 private:
  const Space& space(const Piece& p) const { return spaces_[static_cast<std::size_t>(p.queue)]; }

  T *a_, *room_;
  const Stream& on_;
  std::vector<Space> spaces_;
};

template <class Order, class Kernel, class T>
std::unique_ptr<Execution> partitioned(const Overlap<T>& s, const Stream& on, const Plan& plan,
                                       T* room) {
  return pipeline<Order>(s, plan, std::make_unique<Partitioned<Kernel, T>>(s, on, plan, room));
}

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

Rungs kokkos_documented_rungs() {
  Rungs result;
  const auto add = [&](Rung one) { result.push_back(std::move(one)); };
  add(rung(works, "sequential", sequential<ByRange>).written(Way::usual));
  add(rung(works, "sequential", sequential<ByTheBook>).written(Way::book));
#if PORTCOST_HAS_CUDA
  add(rung(works, "v1", chunked<OneLoop, ByRange>).written(Way::usual));
  add(rung(works, "v1", chunked<OneLoop, ByTheBook>).written(Way::book));
  add(rung(works, "v2", chunked<ThreeLoops, ByRange>).written(Way::usual));
  add(rung(works, "v2", chunked<ThreeLoops, ByTheBook>).written(Way::book));
#endif
  for (Rung& one : result) one.unfit = larger_than_device;
#if !PORTCOST_HAS_CUDA
  add(rung(works, "ring", ring_in_turn<ByRange>).written(Way::usual));
  add(rung(works, "ring", ring_in_turn<ByTheBook>).written(Way::book));
#else
  add(rung(works, "ring", ring<ByRange>).written(Way::usual));
  add(rung(works, "ring", ring<ByTheBook>).written(Way::book));
#endif
  return result;
}

}  // namespace portcost::transfer_overlap
