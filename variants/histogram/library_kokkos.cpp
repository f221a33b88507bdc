// SPDX-License-Identifier: Apache-2.0
// Kokkos's own answer to many threads that add to few addresses: ScatterView, which is atomics on a
// device and a copy a thread on a host.
#include <Kokkos_ScatterView.hpp>

#include "variants/histogram/problem.hpp"
#include "variants/kokkos_space.hpp"

namespace portcost::histogram {

namespace {

using Counts = Kokkos::View<unsigned*, KokkosSpace>;  // of memory that it does not own
using Scatter =
    Kokkos::Experimental::ScatterView<unsigned*, KokkosSpace::array_layout, KokkosSpace>;

struct CountKey {
  const unsigned* in;
  Scatter scatter;

  KOKKOS_FUNCTION void operator()(int i) const {
    const auto counts = scatter.access();
    counts(in[i]) += 1u;
  }
};

class ScatterView final : public Execution {
 public:
  ScatterView(const Keys& keys, const Stream& stream)
      : keys_(keys),
        space_(kokkos_space(stream)),
        counts_(keys.out, keys.bins),
        scatter_(counts_) {}

  void run(int) override {
    Kokkos::deep_copy(space_, counts_, 0u);
    scatter_.reset(space_);
    Kokkos::parallel_for("portcost::histogram::scatter_view",
                         Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<int>>(
                             space_, 0, static_cast<int>(keys_.n)),
                         CountKey{keys_.in, scatter_});
    Kokkos::Experimental::contribute(space_, counts_, scatter_);
  }

 private:
  Keys keys_;
  KokkosSpace space_;
  Counts counts_;
  Scatter scatter_;
};

}  // namespace

Rungs library_kokkos_rungs() {
  return {rung(works, "scatter_view",
               [](const Keys& s, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<ScatterView>(s, on);
               })};
}

}  // namespace portcost::histogram
