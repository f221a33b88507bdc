// SPDX-License-Identifier: Apache-2.0
// transpose over processes: distributed arrays, and their redistributions.
#include "variants/transpose/ranks.hpp"

#include "variants/shared/data.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

using distributed::Index;
using distributed::Redistribution;

constexpr std::size_t rows_axis = 1, columns_axis = 2;

Index extents(const Problem& p, std::string_view rows, std::string_view columns) {
  return {p.size.at("batch"), p.size.at(rows), p.size.at(columns)};
}

}  // namespace

template <class T>
RanksData<T>::RanksData(const Problem& p, Stream& stream)
    : InstanceOf<RanksTask<RanksData<T>>>(stream),
      chunks_(static_cast<int>(p.parameters.whole("chunks"))),
      path_(path_of(p, "path")),
      processors_(distributed::communicator_of(stream), distributed::Processor{stream.place(), 1}),
      given_(processors_, cut(extents(p, "ny", "nx"), rows_axis), &stream),
      columns_shape_(cut(extents(p, "ny", "nx"), columns_axis)),
      transposed_(processors_, cut(extents(p, "nx", "ny"), rows_axis), &stream) {
  given_.fill([=, seed = p.seed, ny = p.size.at("ny"), nx = p.size.at("nx")](const Index& at) {
    return element<T>(seed, static_cast<std::uint64_t>((at[0] * ny + at[1]) * nx + at[2]));
  });
}

template <class T>
void RanksData<T>::reset() {
  poison(transposed_);
  if (packed_) poison(*packed_);
  if (columns_) poison(*columns_);
}

template <class T>
distributed::Array<T>& RanksData<T>::packed() {
  if (!packed_) {
    const Index& global = transposed_.shape().distribution.global();
    packed_.emplace(processors_, cut(global, columns_axis), &this->stream());
  }
  return *packed_;
}

template <class T>
distributed::Array<T>& RanksData<T>::columns() {
  if (!columns_) columns_.emplace(processors_, columns_shape_, &this->stream());
  return *columns_;
}

template <class T>
Redistribution& RanksData<T>::exchange() {
  if (!exchange_) {
    exchange_.emplace(packed(), transposed_, path_, distributed::Portion{0, 1, false});
  }
  return *exchange_;
}

template <class T>
std::deque<Redistribution>& RanksData<T>::exchange_in_chunks() {
  for (int chunk = static_cast<int>(in_chunks_.size()); chunk < chunks_; ++chunk) {
    in_chunks_.emplace_back(packed(), transposed_, path_,
                            distributed::Portion{chunk, chunks_, false});
  }
  return in_chunks_;
}

template <class T>
Redistribution& RanksData<T>::to_columns() {
  if (!to_columns_) to_columns_.emplace(given_, columns(), path_);
  return *to_columns_;
}

template <class T>
distributed::MappedParts& RanksData<T>::rows_of_all() {
  if (!rows_of_all_) rows_of_all_.emplace(given_);
  return *rows_of_all_;
}

template <class T>
distributed::MappedParts& RanksData<T>::transposed_of_all() {
  if (!transposed_of_all_) transposed_of_all_.emplace(transposed_);
  return *transposed_of_all_;
}

template <class T>
Answer RanksData<T>::answer() {
  const Index& n = transposed_.shape().distribution.global();
  return collected(transposed_, "out", {static_cast<std::size_t>(n[0] * n[1] * n[2])});
}

std::string too_many_ranks(const Problem& p) {
  const auto why_not = [&](const char* axis, std::string_view what) {
    return distributed::why_not_shared(p.size.at(axis), std::max(1, p.ranks),
                                       distributed::Sharing::ceil, what);
  };
  const std::string rows = why_not("ny", "rows");
  return rows.empty() ? why_not("nx", "columns") : rows;
}

std::string unfit_for_direct(const Problem& p) {
  if (path_of(p, "path") != distributed::Path::direct_loads)
    return "it is of path=direct_loads alone";
  if (p.ranks > RowsWithRanks<float>::most_ranks)
    return "it knows the rows of 16 processes at most";
  return too_many_ranks(p);
}

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

template class RanksData<float>;
template class RanksData<double>;

}  // namespace portcost::transpose
