// SPDX-License-Identifier: Apache-2.0
// fft_poisson over processes (ranks): each rank has a slab of the grid, rows of a plane or planes
// of a grid in 3D. Needs MPI; does not include it.
#pragma once

#include "src/distributed/exchange.hpp"
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::fft_poisson {

template <class T>
class RanksData;

inline constexpr RanksWorks<RanksData> ranks_works;

/// A rank's share of a problem. Arrays are z, y, x or modes of x, without padding. A slab is cut
/// along the slowest axis, which the other transforms leave alone; the axis is whole where the
/// modes are cut along the axis after it.
template <class T>
class RanksData final : public InstanceOf<RanksTask<RanksData<T>>> {
 public:
  /// Collective. Throws SharedUsageError, which names the numbers, where there are too many
  /// processes for either axis.
  RanksData(const Problem& problem, Stream& stream);

  void reset() override;
  Answer answer() override;
  bool repeatable() const override { return true; }
  RanksTask<RanksData<T>> work(int) const override { return {const_cast<RanksData*>(this)}; }
  bool queued_ahead() const override { return false; }

  /// From f to modes(), and from modes() to the answer. Collective.
  void forward();
  void backward();
  /// The rank's modes as those of a grid: all of the slowest axis.
  Grid<T> modes() const;
  /// What both transforms multiply by.
  double factor() const { return static_cast<double>(shape_.factor()); }

 private:
  using Spectrum = distributed::Array<fft::Complex<T>>;
  template <class Element>
  static Element* first(const distributed::Array<Element>& array) {
    return array.data(array.parts()[0]);
  }
  distributed::Index extents(std::int64_t of_x) const { return {shape_.z, shape_.y, of_x}; }
  distributed::Shape cut(std::int64_t of_x, std::size_t axis) const {
    return portcost::cut(processors_, extents(of_x), axis, distributed::Sharing::even);
  }

  fft::Shape shape_;
  Operator laplace_;
  std::size_t slowest_;
  distributed::Processors processors_;
  distributed::Array<T> f_, out_;
  Spectrum slabs_, columns_;
  distributed::Redistribution to_columns_, to_slabs_;
  fft::Plan<T> in_slabs_, in_columns_;
  Buffer<T> eigenvalues_;
};

/// The reason why steps over processes in a place refuse a problem, or an empty text.
std::string unfit_over_ranks(const Problem& problem, Place place);

/// `slabs`, with a model's modes(grid, factor, on) between the transforms.
template <class Modes>
Rungs slabs(const Modes& modes, Place place, Way way = Way::tuned) {
  const auto run = [modes]<class T>(const RanksTask<RanksData<T>>& task, const Stream& on) {
    task.data->forward();
    modes(task.data->modes(), 1 / task.data->factor(), on);
    task.data->backward();
  };
  const auto unfit = [place](const Problem& p) { return unfit_over_ranks(p, place); };
  return fft::where_present(place, {rung(ranks_works, "slabs", run).unless(unfit).written(way)});
}

}  // namespace portcost::fft_poisson
