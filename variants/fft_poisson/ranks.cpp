// SPDX-License-Identifier: Apache-2.0
// The step over processes, written once for all models; a model provides the kernel.
#include "variants/fft_poisson/ranks.hpp"

#include <tuple>

#include "src/distributed/exchange.hpp"
#include "variants/shared/data.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::fft_poisson {

namespace {

using distributed::Index;
using distributed::Sharing;

template <class T>
class RanksData;
constexpr RanksWorks<RanksData> ranks_works;

// A rank's share of a problem. Arrays are z, y, x or modes of x, without padding. Slabs are cut
// along the slowest axis, rows of a plane or planes of a grid in 3D. Columns are cut along the next
// axis, so that the slowest axis is whole.
template <class T>
class RanksData final : public InstanceOf<RanksTask<RanksData<T>>> {
 public:
  RanksData(const Problem& p, Stream& stream)
      : InstanceOf<RanksTask<RanksData<T>>>(stream),
        shape_(shape_of(p)),
        processors_(distributed::communicator_of(stream), {stream.place(), 1}),
        f_(processors_, shape(shape_.x, slowest_), &stream),
        out_(processors_, f_.shape(), &stream),
        slabs_(processors_, shape(shape_.modes(), slowest_), &stream),
        columns_(processors_, shape(shape_.modes(), slowest_ + 1), &stream),
        to_columns_(slabs_, columns_, path_of(p, "path")),
        to_slabs_(columns_, slabs_, path_of(p, "path")) {
    f_.fill([this, seed = p.seed](const Index& at) {
      const std::int64_t number = (at[0] * shape_.y + at[1]) * shape_.x + at[2];
      return element<T>(seed, static_cast<std::uint64_t>(number),
                        static_cast<std::uint64_t>(shape_.numbers()));
    });
    const distributed::Box slab = f_.parts()[0].layout.corners,
                           mine = columns_.parts()[0].layout.corners;
    const std::int64_t whole = mine.extent(slowest_);
    in_slabs_ = fft::plan_if_present<T>(
        {shape_.x, slowest_ == 0 ? shape_.y : 1, 1, slab.extent(slowest_)}, stream);
    in_columns_ = fft::plan_if_present<T>({whole, 1, 1, mine.volume() / whole, true}, stream);
    std::vector<T> all;
    for (const std::size_t axis : {2, 1, 0}) {
      const std::int64_t nodes = Index{shape_.z, shape_.y, shape_.x}[axis];
      for (std::int64_t j = mine.begin[axis]; j < mine.end[axis]; ++j) {
        all.push_back(static_cast<T>(eigenvalue(operator_of(p), j, nodes)));
      }
    }
    eigenvalues_ = filled(all.size(), stream, [&](std::uint64_t i) { return all[i]; });
    const auto extent = [&](std::size_t axis) { return static_cast<int>(mine.extent(axis)); };
    // As many numbers along x as have the rank's modes.
    modes_ = {nullptr,           nullptr,   first(columns_), nullptr,       eigenvalues_.data(),
              2 * extent(2) - 2, extent(1), extent(0),       operator_of(p)};
  }

  void reset() override {
    poison(out_);
    poison(slabs_);
    poison(columns_);
  }
  Answer answer() override {
    const auto extent = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    return collected(out_, "u", {extent(shape_.z), extent(shape_.y), extent(shape_.x)});
  }
  bool repeatable() const override { return true; }
  RanksTask<RanksData<T>> work(int) const override { return {const_cast<RanksData*>(this)}; }
  bool queued_ahead() const override { return false; }

  void run(Divide<T> divide) {
    in_slabs_.forward(first(f_), first(slabs_));
    to_columns_.run(slabs_, columns_);
    in_columns_.forward(first(columns_));
    divide(modes_, 1 / static_cast<double>(shape_.factor()), this->stream());
    in_columns_.backward(first(columns_));
    to_slabs_.run(columns_, slabs_);
    in_slabs_.backward(first(slabs_), first(out_));
  }

 private:
  template <class Element>
  static Element* first(const distributed::Array<Element>& array) {
    return array.data(array.parts()[0]);
  }
  distributed::Shape shape(std::int64_t of_x, std::size_t axis) const {
    return cut(processors_, {shape_.z, shape_.y, of_x}, axis, Sharing::even);
  }

  fft::Shape shape_;
  std::size_t slowest_ = shape_.z > 1 ? 0 : 1;
  distributed::Processors processors_;
  distributed::Array<T> f_, out_;
  distributed::Array<fft::Complex<T>> slabs_, columns_;
  distributed::Redistribution to_columns_, to_slabs_;
  fft::Plan<T> in_slabs_, in_columns_;
  Buffer<T> eigenvalues_;
  Grid<T> modes_;
};

std::string unfit(const Problem& p) {
  const auto why_not = [&](std::int64_t points, std::string_view what) {
    return distributed::why_not_shared(points, std::max(1, p.ranks), Sharing::even, what);
  };
  const fft::Shape s = shape_of(p);
  const std::string slabs = s.z > 1 ? why_not(s.z, "planes") : why_not(s.y, "rows");
  if (!slabs.empty()) return slabs;
  return s.z > 1 ? why_not(s.y, "rows") : why_not(s.modes(), "modes along x");
}

}  // namespace

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

Rungs slabs(Divide<float> in_f32, Divide<double> in_f64, Way way, Place place) {
  const auto run = [=, all = std::tuple(in_f32, in_f64)]<class T>(
                       const RanksTask<RanksData<T>>& task, const Stream&) {
    task.data->run(std::get<Divide<T>>(all));
  };
  return fft::where_present(
      place, {rung(ranks_works, "slabs", run).unless(on_path("path", place, unfit)).written(way)});
}

}  // namespace portcost::fft_poisson
