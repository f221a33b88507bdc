// SPDX-License-Identifier: Apache-2.0
// Portable variants: an execution-space instance on each queue of the harness, which orders them by
// events. Kokkos has no events of its own.
#include <memory>
#include <vector>

#include "variants/transfer_overlap/kokkos/calls.hpp"

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
  void kernel(const Piece& p) const { ByTeams<Way::tuned>::increase(space(p), room_, p); }
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
  result.push_back(absent_rung("graph", "Kokkos's graphs hold kernels, and no copies"));
#endif
  result.push_back(rung(works, "ring", [](const auto& s, const Stream& on) {
    return with_calls<OneLoop>(s, on, s.cut.ring(), s.room->ring());
  }));
  return result;
}

}  // namespace portcost::transfer_overlap
