// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: copies into a second array and back, and the loop between them, each by all
// threads. Nothing overlaps; what ring's small buffers bring is that they stay in a cache.
#include <omp.h>

#include <cstring>

#include "variants/transfer_overlap/problem.hpp"

namespace portcost::transfer_overlap {

namespace {

template <class T>
class Calls final : public OnQueues {
 public:
  Calls(const Overlap<T>& s, const Stream& on, const Plan& plan, T* room)
      : OnQueues(on, plan), a_(s.a), room_(room) {}
  void in(const Piece& p) const { copy(room_ + p.at, a_ + p.first, p.count); }
  void kernel(const Piece& p) const {
    T* const at = room_ + p.at;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < p.count; ++i) {
      at[i] = increased(at[i], static_cast<T>(p.first + i));
    }
  }
  void out(const Piece& p) const { copy(a_ + p.first, room_ + p.at, p.count); }

 private:
  static void copy(T* to, const T* from, std::int64_t count) {
#pragma omp parallel
    {
      const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
      const std::int64_t begin = count * thread / threads, end = count * (thread + 1) / threads;
      if (begin < end) {
        std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
      }
    }
  }

  T *a_, *room_;
};

}  // namespace

Rungs openmp_rungs() {
  return with_reasons<Place::host>(
      {rung(works, "sequential", whole_with<Calls>), rung(works, "ring", ring_with<Calls>)});
}

}  // namespace portcost::transfer_overlap
