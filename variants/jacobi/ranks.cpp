// SPDX-License-Identifier: Apache-2.0
// jacobi over processes: the parts of the grid, and the data of a run that all ranks share.
#include "variants/jacobi/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/distributed/files.hpp"
#include "src/distributed/reductions.hpp"
#include "src/support/error.hpp"
#include "variants/shared/data.hpp"

namespace portcost::jacobi {

namespace {

using distributed::Box;
using distributed::Distribution;
using distributed::Index;
using distributed::Part;
using distributed::Processors;
using distributed::Shape;

// The default is J2 of the HOWTO: rows in blocks of equal height, the last block perhaps lower.
Distribution::Settings settings_of(const Cut& cut, const Processors& processors) {
  if (cut.kind == Cut::Kind::tiles) return {{1, 0, 0}};
  Distribution::Settings settings{{1, processors.count(), 1}};
  if (cut.weighted) settings.weights = processors.weights();
  if (!cut.weighted && cut.depth == 1) settings.sharing = distributed::Sharing::ceil;
  return settings;
}

template <class T>
Shape shape_of(const Input& input, const Cut& cut, const Processors& processors) {
  const Shape parts =
      portcost::cut(processors, {1, input.rows, input.columns}, settings_of(cut, processors));
  return {parts.distribution, {{0, cut.depth, 1}}, margin<T>};
}

std::size_t bytes_of(std::int64_t elements, std::size_t element) {
  return static_cast<std::size_t>(elements) * element;
}

}  // namespace

template <class T>
Field<T>::Field(const Input& input, Coefficients<T> c, const Cut& cut, const Stream& stream,
                distributed::Path path, bool with_values)
    : c_(c),
      processors_(distributed::communicator_of(stream), cut.mine),
      right_(processors_, shape_of<T>(input, cut, processors_), &stream),
      first_(processors_, right_.shape(), &stream),
      front_(processors_, right_.shape(), &stream),
      back_(processors_, right_.shape(), &stream),
      halos_(front_, path) {
  for (std::size_t i = 0; i < parts(); ++i) residuals_.emplace_back(1, part(i).place);
  if (with_values) {
    fill(input);
  } else {
    for (const auto* array : {&right_, &front_, &back_}) poison(*array);
  }
}

template <class T>
void Field<T>::fill(const Input& input) {
  const Box domain = this->domain();
  right_.fill(
      [&](const Index& at) {
        return domain.contains(at) ? static_cast<T>(input.right_side(at[1], at[2])) : T(0);
      },
      true);
  first_.fill([&](const Index& at) { return static_cast<T>(input.start(at[1], at[2])); }, true);
  reset();
}

// On a host by the threads that will sweep the rows.
template <class T>
void Field<T>::poison(const distributed::Array<T>& array) const {
  for (const Part& part : array.parts()) {
    const std::size_t size = bytes_of(part.layout.elements(), sizeof(T));
    if (part.place == Place::device) {
      poison_bytes(part.data, size, array.stream(part));
      continue;
    }
    const std::int64_t rows = part.layout.ghost_corners.extent(1);
    distributed::by_all_threads(0, rows, [&](std::int64_t row) {
      const std::size_t begin =
          size / static_cast<std::size_t>(rows) * static_cast<std::size_t>(row);
      const std::size_t end = row + 1 < rows ? begin + size / static_cast<std::size_t>(rows) : size;
      std::memset(part.data + begin, 0xFF, end - begin);
    });
  }
}

template <class T>
void Field<T>::reset() {
  now_ = &front_;
  next_ = &back_;
  for (std::size_t i = 0; i < parts(); ++i) {
    const Part &first = first_.parts()[i], &front = front_.parts()[i], &back = back_.parts()[i];
    const std::size_t size = bytes_of(first.layout.elements(), sizeof(T));
    copy_bytes(front.data, front.place, first.data, first.place, size, stream(i));
    poison_bytes(back.data, size, stream(i));
    copy_frame(first, back);
    stream(i).synchronize();
  }
}

// Copies a part's frame, which no exchange touches.
template <class T>
void Field<T>::copy_frame(const Part& from, const Part& to) const {
  const Box domain = this->domain();
  const Box whole = common(domain.grown({0, 1, 1}), from.layout.ghost_corners);
  Box north = whole, south = whole, west = whole, east = whole;
  north.end[1] = 0;
  south.begin[1] = domain.end[1];
  west.end[2] = 0;
  east.begin[2] = domain.end[2];
  const std::size_t pitch = bytes_of(from.layout.pitch, sizeof(T));
  for (const Box& side : {north, south, west, east}) {
    if (side.empty()) continue;
    const std::int64_t at = from.layout.at(side.begin) * static_cast<std::int64_t>(sizeof(T));
    copy_rows(to.data + at, pitch, from.data + at, pitch, bytes_of(side.extent(2), sizeof(T)),
              static_cast<std::size_t>(side.extent(1)), right_.stream(from));
  }
}

template <class T>
Sweep<T> Field<T>::sweep(std::size_t i, const Box& box) const {
  const std::int64_t at = part(i).layout.at(box.begin);
  return {now_->data(now_->parts()[i]) + at,
          next_->data(next_->parts()[i]) + at,
          right_.data(right_.parts()[i]) + at,
          static_cast<int>(box.extent(1)),
          static_cast<int>(box.extent(2)),
          static_cast<int>(part(i).layout.pitch),
          c_};
}

template <class T>
RanksData<T>::RanksData(const Problem& p, Stream& stream)
    : InstanceOf<RanksTask<RanksData<T>>>(stream),
      input_(input_of(p)),
      phases_(p),
      depth_(static_cast<int>(p.parameters.whole("depth"))),
      host_share_(p.parameters.real("host_share")),
      path_(path_of(p, "halos")),
      residuals_(phases_.checks() ? static_cast<std::size_t>(phases_.count()) : 0) {
  const Coefficients<double> c = coefficients_of(p);
  c_ = {static_cast<T>(c.x), static_cast<T>(c.y), static_cast<T>(c.beta)};
}

template <class T>
Field<T>& RanksData<T>::field(const Cut& cut) {
  const auto alike = [](const distributed::Processor& one, const distributed::Processor& other) {
    return one.place == other.place && one.weight == other.weight;
  };
  const auto same = [&](const Cut& other) {
    return other.kind == cut.kind && other.depth == cut.depth && other.weighted == cut.weighted &&
           std::ranges::equal(other.mine, cut.mine, alike);
  };
  const distributed::Communicator& ranks = distributed::communicator_of(this->stream());
  for (const Kept& kept : kept_) {
    // Weights differ between ranks: all ranks keep the field, or all make a new one.
    if (!ranks.any(!same(kept.cut))) return *kept.field;
  }
  kept_.push_back({cut, std::make_unique<Field<T>>(input_, c_, cut, this->stream(), path_)});
  return *kept_.back().field;
}

template <class T>
std::unique_ptr<Field<T>> RanksData<T>::trial(const Cut& cut) const {
  return std::make_unique<Field<T>>(input_, c_, cut, this->stream(), path_, false);
}

template <class T>
void RanksData<T>::reset() {
  for (const Kept& kept : kept_) kept.field->reset();
  // The elements behind the end stay poisoned, as in a workspace of one process.
  if (!residuals_.empty()) std::memset(residuals_.data(), 0xFF, residuals_.size() * sizeof(T));
  sweeps_ = 0;
}

template <class T>
void RanksData<T>::ran(Field<T>& field, int phase, T residual) {
  last_ = &field;
  sweeps_ = phases_.sweeps_until(phase);
  if (phases_.checks()) residuals_[static_cast<std::size_t>(phase)] = residual;
}

template <class T>
bool RanksData<T>::ends(int phase) {
  return phases_.stops() &&
         static_cast<double>(residuals_[static_cast<std::size_t>(phase)]) <= phases_.tolerance();
}

template <class T>
const Field<T>& RanksData<T>::last() const {
  require(last_ != nullptr, "no step over processes has run");
  return *last_;
}

template <class T>
Answer RanksData<T>::found() {
  Answer result;
  if (!phases_.checks() || distributed::communicator_of(this->stream()).rank() != 0) return result;
  const Stream host(Place::host);
  result.arrays.push_back(dense("residual", residuals_.data(), {residuals_.size()}, host));
  result.arrays.push_back(dense_one("sweeps", static_cast<int>(sweeps_), host));
  return result;
}

template <class T>
Answer RanksData<T>::answer() {
  Answer result =
      collected(last().now(), "temperature",
                {static_cast<std::size_t>(input_.rows), static_cast<std::size_t>(input_.columns)});
  Answer more = found();
  for (Array& one : more.arrays) result.arrays.push_back(std::move(one));
  return result;
}

template <class T>
void RanksData<T>::write_field(const std::string& path, std::string_view header) {
  distributed::gather(last().now(), path, header);
}

template <class T>
bool RanksData<T>::field_is_finite() {
  const distributed::Range<T> range = distributed::range(last().now());
  return std::isfinite(range.least) && std::isfinite(range.greatest);
}

std::unique_ptr<Instance> make_over_ranks(const Problem& problem, Stream& stream) {
  return make_instance<RanksData, float, double>(problem, stream);
}

template class Field<float>;
template class Field<double>;
template class RanksData<float>;
template class RanksData<double>;

}  // namespace portcost::jacobi
