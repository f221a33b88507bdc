// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 4): a range
// over all keys, atomic additions to a View, and ScatterView, which is Kokkos's answer to many
// threads that add to few addresses. Each form stands beside the same form with its documented
// options set.
#include <Kokkos_ScatterView.hpp>
#include <cstdint>
#include <memory>
#include <string_view>

#include "variants/histogram/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::histogram {

namespace {

using Space = KokkosSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using In = Kokkos::View<const unsigned*, Space::memory_space, Unmanaged>;
using Counts = Kokkos::View<unsigned*, Space::memory_space, Unmanaged>;
using AtomicCounts = Kokkos::View<unsigned*, Space::memory_space,
                                  Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Atomic>>;

using DefaultRange = Kokkos::RangePolicy<Space>;  // counts in 32 bits on a GPU
using LongRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

Counts zeroed(const Keys& s, const Stream& stream) {
  const Counts counts(s.out, s.bins);
  Kokkos::deep_copy(kokkos_space(stream), counts, 0u);
  return counts;
}

template <class Policy>
void one_by_one(const Keys& s, const Stream& stream) {
  using Index = typename Policy::index_type;
  const Counts counts = zeroed(s, stream);
  const In in(s.in, s.n);
  Kokkos::parallel_for(
      "portcost::histogram::usual", Policy(kokkos_space(stream), 0, static_cast<Index>(s.n)),
      KOKKOS_LAMBDA(const Index i) { compat::atomic_inc(&counts(in(i))); });
}

// Keys i, i + stride, ...: `items` of them an iteration, all loaded before the first is counted.
template <int items>
void several(const Keys& s, const Stream& stream) {
  using Index = typename DefaultRange::index_type;
  const Counts counts = zeroed(s, stream);
  const In in(s.in, s.n);
  const auto n = static_cast<Index>(s.n), stride = static_cast<Index>(ceil_div(s.n, items));
  Kokkos::parallel_for(
      "portcost::histogram::usual", DefaultRange(kokkos_space(stream), 0, stride),
      KOKKOS_LAMBDA(const Index i) {
        unsigned key[items];
#pragma unroll
        for (int k = 0; k < items; ++k) {
          const Index at = i + static_cast<Index>(k) * stride;
          key[k] = at < n ? in(at) : 0;
        }
#pragma unroll
        for (int k = 0; k < items; ++k) {
          if (i + static_cast<Index>(k) * stride < n) compat::atomic_inc(&counts(key[k]));
        }
      });
}

// A View whose every access is atomic.
void atomic_view(const Keys& s, const Stream& stream) {
  using Index = typename DefaultRange::index_type;
  const AtomicCounts counts = zeroed(s, stream);
  const In in(s.in, s.n);
  Kokkos::parallel_for(
      "portcost::histogram::usual", DefaultRange(kokkos_space(stream), 0, static_cast<Index>(s.n)),
      KOKKOS_LAMBDA(const Index i) { ++counts(in(i)); });
}

// A chunk of keys a team, with the team size that Kokkos chooses.
void teams(const Keys& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  constexpr unsigned stretch = 4096;
  const Counts counts = zeroed(s, stream);
  const In in(s.in, s.n);
  const unsigned n = s.n;
  Kokkos::parallel_for(
      "portcost::histogram::usual",
      Policy(kokkos_space(stream), static_cast<int>(ceil_div(n, stretch)), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const unsigned begin = stretch * static_cast<unsigned>(team.league_rank());
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, static_cast<int>(compat::min(n - begin, stretch))),
            [&](const int i) {
              compat::atomic_inc(&counts(in(begin + static_cast<unsigned>(i))));
            });
      });
}

// ---- ScatterView. It needs a View with the memory's default traits, over memory that it does not
// own.

using Scattered = Kokkos::View<unsigned*, Space>;
namespace scatter = Kokkos::Experimental;
/// Kokkos's choice: a copy of the counts a thread on a host, atomic additions to the counts on a
/// GPU.
using OwnScatter = scatter::ScatterView<unsigned*, Space::array_layout, Space>;
/// Without copies, in every place.
using AtomicScatter =
    scatter::ScatterView<unsigned*, Space::array_layout, Space, scatter::ScatterSum,
                         scatter::ScatterNonDuplicated, scatter::ScatterAtomic>;

template <class View>
void count_scattered(const Keys& s, const Stream& stream, const View& scattered) {
  using Index = typename DefaultRange::index_type;
  const In in(s.in, s.n);
  Kokkos::parallel_for(
      "portcost::histogram::usual", DefaultRange(kokkos_space(stream), 0, static_cast<Index>(s.n)),
      KOKKOS_LAMBDA(const Index i) {
        const auto counts = scattered.access();
        counts(in(i)) += 1u;
      });
}

// Its data are the counts, so there is nothing to reset or to contribute.
void atomic_scatter(const Keys& s, const Stream& stream) {
  const Scattered counts(zeroed(s, stream).data(), s.bins);
  count_scattered(s, stream, AtomicScatter(counts));
}

// With copies, which are kept between runs.
class CopiesScattered final : public Execution {
 public:
  CopiesScattered(const Keys& keys, const Stream& stream)
      : keys_(keys), stream_(stream), counts_(keys.out, keys.bins), scattered_(counts_) {}

  void run(int) override {
    const Space& space = kokkos_space(stream_);
    zeroed(keys_, stream_);
    scattered_.reset(space);
    count_scattered(keys_, stream_, scattered_);
    scatter::contribute(space, counts_, scattered_);
  }

 private:
  Keys keys_;
  const Stream& stream_;
  Scattered counts_;
  OwnScatter scattered_;
};

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "global_atomics", f).written(Way::usual, dials);
  };
  return joined({{usual("", one_by_one<DefaultRange>), usual("index=int64", one_by_one<LongRange>),
                  usual("items=8", several<8>), usual("view=atomic", atomic_view),
                  usual("view=scatter", atomic_scatter), usual("policy=team", teams)},
                 // A GPU's default ScatterView makes no copies, so it is the form above.
                 host_row(rung(works, "scratch_atomics",
                               [](const Keys& s, const Stream& on) -> std::unique_ptr<Execution> {
                                 return std::make_unique<CopiesScattered>(s, on);
                               })
                              .written(Way::usual))});
}

}  // namespace portcost::histogram
