// SPDX-License-Identifier: Apache-2.0
// fft_poisson over processes: distributed arrays, their redistributions and plans.
#include "variants/fft_poisson/ranks.hpp"

#include "variants/shared/data.hpp"

namespace portcost::fft_poisson {

using distributed::Box;
using distributed::Index;

template <class T>
RanksData<T>::RanksData(const Problem& p, Stream& stream)
    : InstanceOf<RanksTask<RanksData<T>>>(stream),
      shape_(shape_of(p)),
      laplace_(operator_of(p)),
      slowest_(shape_.z > 1 ? 0 : 1),
      processors_(distributed::communicator_of(stream), {stream.place(), 1}),
      f_(processors_, cut(shape_.x, slowest_), &stream),
      out_(processors_, f_.shape(), &stream),
      slabs_(processors_, cut(shape_.modes(), slowest_), &stream),
      columns_(processors_, cut(shape_.modes(), slowest_ + 1), &stream),
      to_columns_(slabs_, columns_, path_of(p, "path")),
      to_slabs_(columns_, slabs_, path_of(p, "path")) {
  f_.fill([this, seed = p.seed](const Index& at) {
    const std::int64_t number = (at[0] * shape_.y + at[1]) * shape_.x + at[2];
    return element<T>(seed, static_cast<std::uint64_t>(number),
                      static_cast<std::uint64_t>(shape_.numbers()));
  });
  const Box slab = f_.parts()[0].layout.corners, mine = columns_.parts()[0].layout.corners;
  const std::int64_t whole = mine.extent(slowest_);
  in_slabs_ = fft::plan_if_present<T>(
      {shape_.x, slowest_ == 0 ? shape_.y : 1, 1, slab.extent(slowest_)}, stream);
  in_columns_ = fft::plan_if_present<T>({whole, 1, 1, mine.volume() / whole, true}, stream);
  std::vector<T> eigenvalues;
  for (const std::size_t axis : {2, 1, 0}) {
    for (std::int64_t j = mine.begin[axis]; j < mine.end[axis]; ++j) {
      eigenvalues.push_back(static_cast<T>(eigenvalue(laplace_, j, extents(shape_.x)[axis])));
    }
  }
  eigenvalues_ =
      filled(eigenvalues.size(), stream, [&](std::uint64_t i) { return eigenvalues[i]; });
}

template <class T>
void RanksData<T>::reset() {
  poison(out_);
  poison(slabs_);
  poison(columns_);
}

template <class T>
Answer RanksData<T>::answer() {
  const auto extent = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return collected(out_, "u", {extent(shape_.z), extent(shape_.y), extent(shape_.x)});
}

template <class T>
void RanksData<T>::forward() {
  in_slabs_.forward(first(f_), first(slabs_));
  to_columns_.run(slabs_, columns_);
  in_columns_.forward(first(columns_));
}

template <class T>
void RanksData<T>::backward() {
  in_columns_.backward(first(columns_));
  to_slabs_.run(columns_, slabs_);
  in_slabs_.backward(first(slabs_), first(out_));
}

template <class T>
Grid<T> RanksData<T>::modes() const {
  const Index n = columns_.parts()[0].layout.corners.extents();
  // As many numbers along x as have the rank's modes.
  return {nullptr,
          nullptr,
          first(columns_),
          nullptr,
          eigenvalues_.data(),
          static_cast<int>(2 * n[2] - 2),
          static_cast<int>(n[1]),
          static_cast<int>(n[0]),
          laplace_};
}

std::string unfit_over_ranks(const Problem& p, Place place) {
  if (place == Place::host && distributed::needs_gpus(path_of(p, "path"))) {
    return std::string(distributed::hosts_refuse);
  }
  const auto why_not = [&](std::int64_t points, std::string_view what) {
    return distributed::why_not_shared(points, std::max(1, p.ranks), distributed::Sharing::even,
                                       what);
  };
  const fft::Shape s = shape_of(p);
  const std::string slabs = s.z > 1 ? why_not(s.z, "planes") : why_not(s.y, "rows");
  if (!slabs.empty()) return slabs;
  return s.z > 1 ? why_not(s.y, "rows") : why_not(s.modes(), "modes along x");
}

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

template class RanksData<float>;
template class RanksData<double>;

}  // namespace portcost::fft_poisson
