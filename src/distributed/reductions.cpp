// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/reductions.hpp"

#include <cmath>

#include "src/distributed/mpi_calls.hpp"

namespace portcost::distributed {

namespace {

// Rows of a part's own points, shared among threads: row(its first element, its length).
template <class Row>
void for_own_rows(const Layout& layout, const Row& row) {
  const Box& box = layout.corners;
  const std::int64_t rows = box.extent(1), count = box.extent(0) * rows;
#pragma omp for schedule(static) nowait
  for (std::int64_t i = 0; i < count; ++i) {
    const Index point{box.begin[0] + i / rows, box.begin[1] + i % rows, box.begin[2]};
    row(layout.at(point), static_cast<std::size_t>(box.extent(2)));
  }
}

template <class T>
void add_host_part(const T* data, const T* times, const Layout& layout, ExactSum& sum) {
#pragma omp parallel
  {
    ExactSum own;
    for_own_rows(layout, [&](std::int64_t at, std::size_t count) {
      const std::span<const T> row(data + at, count);
      times != nullptr ? own.add_products(row, {times + at, count}) : own.add(row);
    });
#pragma omp critical(portcost_exact_sum)
    sum.add(own);
  }
}

template <class T>
constexpr Range<T> nothing() {
  return {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()};
}

template <class T>
Range<T> both(Range<T> a, const Range<T>& b) {
  if (std::isnan(a.least)) return a;
  if (std::isnan(b.least)) return b;
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

template <class T>
Range<T> host_range(const T* data, const Layout& layout) {
  Range<T> result = nothing<T>();
#pragma omp parallel
  {
    Range<T> own = nothing<T>();
    bool nan = false;
    for_own_rows(layout, [&](std::int64_t at, std::size_t count) {
      for (const T x : std::span<const T>(data + at, count)) {
        nan = nan || x != x;
        own.least = x < own.least ? x : own.least;
        own.greatest = x > own.greatest ? x : own.greatest;
      }
    });
    if (nan) own.least = own.greatest = std::numeric_limits<T>::quiet_NaN();
#pragma omp critical(portcost_range)
    result = both(result, own);
  }
  return result;
}

void demand_alike(const ArrayBase& one, const ArrayBase& other) {
  if (one.shape() == other.shape() && &one.processors() == &other.processors()) return;
  throw UsageError(
      "dot, copy and axpy need arrays of one shape on the same processors: use Redistribution "
      "first");
}

}  // namespace

ExactSum sum_of_all(const Communicator& ranks, ExactSum mine) {
  mine.normalise();
  ExactSum result;
  const WaitsForOthers now;
  mpi_check(MPI_Allreduce(mine.data().data(), result.data().data(), ExactSum::words, MPI_INT64_T,
                          MPI_SUM, comm_of(ranks)));
  return result;
}

template <class T>
ExactSum exact_sum(const Array<T>& array, const Array<T>* times) {
  if (times != nullptr) demand_alike(array, *times);
  ExactSum mine;
  for (const Part& part : array.parts()) {
    const T* const other = times == nullptr ? nullptr : times->data(part_of(*times, part.number));
    if (part.place == Place::host) {
      add_host_part(array.data(part), other, part.layout, mine);
    } else if constexpr (PORTCOST_HAS_CUDA) {
      detail::add_device_part(array.data(part), other, part.layout, mine, array.stream(part));
    }
  }
  return sum_of_all(array.processors().ranks(), mine);
}

template <class T>
Range<T> range(const Array<T>& array) {
  Range<T> mine = nothing<T>();
  for (const Part& part : array.parts()) {
    if (part.place == Place::host) {
      mine = both(mine, host_range(array.data(part), part.layout));
    } else if constexpr (PORTCOST_HAS_CUDA) {
      mine = both(mine, detail::device_range(array.data(part), part.layout, array.stream(part)));
    }
  }
  // MPI_MAX says nothing of NaN, so that is a number of its own.
  const bool nan = std::isnan(mine.least);
  double own[3] = {nan ? 1.0 : 0.0, nan ? 0.0 : -static_cast<double>(mine.least),
                   nan ? 0.0 : static_cast<double>(mine.greatest)};
  double all[3];
  const MPI_Comm comm = comm_of(array.processors().ranks());
  mpi_check(waiting([&] { return MPI_Allreduce(own, all, 3, MPI_DOUBLE, MPI_MAX, comm); }));
  constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();
  if (all[0] > 0) return {not_a_number, not_a_number};
  // Which of two zeros is found depends on the order; the sum is +0 for either.
  return {static_cast<T>(-all[1]) + T(0), static_cast<T>(all[2]) + T(0)};
}

template <class T>
void copy(const Array<T>& from, Array<T>& to) {
  demand_alike(from, to);
  for (const Part& part : from.parts()) {
    copy_bytes(to.data(part_of(to, part.number)), part.place, part.data, part.place,
               from.span(part).size_bytes(), from.stream(part));
  }
}

template <class T>
void axpy(T a, const Array<T>& x, Array<T>& y) {
  demand_alike(x, y);
  for (const Part& part : x.parts()) {
    const T* const from = x.data(part);
    T* const to = y.data(part_of(y, part.number));
    if (part.place == Place::host) {
#pragma omp parallel
      for_own_rows(part.layout, [&](std::int64_t at, std::size_t count) {
        for (const std::int64_t end = at + static_cast<std::int64_t>(count); at < end; ++at) {
          to[at] = std::fma(a, from[at], to[at]);
        }
      });
    } else if constexpr (PORTCOST_HAS_CUDA) {
      detail::device_axpy(a, from, to, part.layout, x.stream(part));
    }
  }
}

template ExactSum exact_sum(const Array<float>&, const Array<float>*);
template ExactSum exact_sum(const Array<double>&, const Array<double>*);
template void copy(const Array<float>&, Array<float>&);
template void copy(const Array<double>&, Array<double>&);
template void axpy(float, const Array<float>&, Array<float>&);
template void axpy(double, const Array<double>&, Array<double>&);
template Range<float> range(const Array<float>&);
template Range<double> range(const Array<double>&);

}  // namespace portcost::distributed
