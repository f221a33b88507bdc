// SPDX-License-Identifier: Apache-2.0
// Portable variants as the documentation teaches them: instances from partition_space, a fence of
// each at the end, and, for one that must wait for another, a fence between. Without overlap:
// deep_copy and parallel_for without an instance.
#include <limits>
#include <memory>
#include <vector>

#include "variants/transfer_overlap/kokkos/calls.hpp"

namespace portcost::transfer_overlap {

namespace {

// In the space's own index type, as long as that reaches.
template <class T>
void increase(const Space& space, T* room, const Piece& p) {
  const Increase<T> body{on_device(room, p), p.first};
  const char* const label = "portcost::transfer_overlap::increase";
  if (p.count <= std::numeric_limits<int>::max()) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(p.count)),
                         body);
  } else {
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(label, Policy(space, 0, p.count), body);
  }
}

// On the harness's stream, and waiting: deep_copy without an instance waits for all of the device.
template <class T>
class Waiting {
 public:
  Waiting(const Overlap<T>& s, const Stream& on, T* room) : a_(s.a), room_(room), on_(on) {}
  void begin() const {}
  void end() const {}
  void in(const Piece& p) const { Kokkos::deep_copy(on_device(room_, p), on_host(a_, p)); }
  void kernel(const Piece& p) const { increase(kokkos_space(on_), room_, p); }
  void out(const Piece& p) const { Kokkos::deep_copy(on_host(a_, p), on_device(room_, p)); }
  void mark(const Piece&) const {}
  void emptied(const Piece&) const {}
  void wait(const Piece&, const Piece&) const {}
  CUstream_st* queue(int) const { return on_.native(); }

 private:
  T *a_, *room_;
  const Stream& on_;
};

#if PORTCOST_HAS_CUDA

// On instances of Kokkos's own, in the order of the host alone.
template <class T>
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
  void kernel(const Piece& p) const { increase(space(p), room_, p); }
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

 private:
  const Space& space(const Piece& p) const { return spaces_[static_cast<std::size_t>(p.queue)]; }

  T *a_, *room_;
  const Stream& on_;
  std::vector<Space> spaces_;
};

template <class Order, class T>
std::unique_ptr<Execution> partitioned(const Overlap<T>& s, const Stream& on, const Plan& plan,
                                       T* room) {
  return pipeline<Order>(s, plan, true, std::make_unique<Partitioned<T>>(s, on, plan, room));
}

#endif

template <class T>
std::unique_ptr<Execution> waiting(const Overlap<T>& s, const Stream& on, const Plan& plan,
                                   T* room) {
  return pipeline<OneLoop>(s, plan, true, std::make_unique<Waiting<T>>(s, on, room));
}

}  // namespace

Rungs kokkos_usual_rungs() {
  Rungs result;
  result.push_back(rung(works, "sequential",
                        [](const auto& s, const Stream& on) {
                          return waiting(s, on, s.cut.whole(), s.room->whole());
                        })
                       .written(Way::usual)
                       .unless(larger_than_device));
#if PORTCOST_HAS_CUDA
  result.push_back(rung(works, "v1",
                        [](const auto& s, const Stream& on) {
                          return partitioned<OneLoop>(s, on, s.cut.chunked(), s.room->whole());
                        })
                       .written(Way::usual)
                       .unless(larger_than_device));
  result.push_back(rung(works, "v2",
                        [](const auto& s, const Stream& on) {
                          return partitioned<ThreeLoops>(s, on, s.cut.chunked(), s.room->whole());
                        })
                       .written(Way::usual)
                       .unless(larger_than_device));
  result.push_back(rung(works, "ring", [](const auto& s, const Stream& on) {
                     return partitioned<OneLoop>(s, on, s.cut.ring(), s.room->ring());
                   }).written(Way::usual));
#else
  result.push_back(rung(works, "ring", [](const auto& s, const Stream& on) {
                     return waiting(s, on, s.cut.ring(), s.room->ring());
                   }).written(Way::usual));
#endif
  return result;
}

}  // namespace portcost::transfer_overlap
