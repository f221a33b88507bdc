// SPDX-License-Identifier: Apache-2.0
// Sum, minimum, maximum, norm and inner product of distributed arrays, the same to the bit for any
// number of processes, any shares and any places; and what goes element by element.
#pragma once

#include "src/distributed/array.hpp"
#include "src/support/exact_sum.hpp"

namespace portcost::distributed {

/// The exact sum of the elements that all ranks own (ghost points count nowhere), or of their
/// products with those of `times`, an array of the same shape over the same processors (throws
/// UsageError): no addition rounds, so that no order matters (ExactSum). value() rounds once.
/// Collective.
///
/// Of T float or double.
template <class T>
ExactSum exact_sum(const Array<T>& array, const Array<T>* times = nullptr);

/// The sum, rounded once.
template <class T>
double sum(const Array<T>& array) {
  return exact_sum(array).value();
}
/// The square root of the sum of squares (2-norm), within one unit in the last place.
template <class T>
double norm(const Array<T>& array) {
  return exact_sum(array, &array).root();
}
/// The inner product, rounded once.
template <class T>
double dot(const Array<T>& x, const Array<T>& y) {
  return exact_sum(x, &y).value();
}

/// copy: to = from, ghost points included. axpy: y += a x of own points, rounded once. Arrays as in
/// exact_sum, made with one stream, on which devices only enqueue. Not collective.
template <class T>
void copy(const Array<T>& from, Array<T>& to);
template <class T>
void axpy(T a, const Array<T>& x, Array<T>& y);

/// The least and the greatest element; both NaN where any is. A zero is +0, also where the elements
/// are -0.
template <class T>
struct Range {
  T least, greatest;
};
template <class T>
Range<T> range(const Array<T>& array);
template <class T>
T min(const Array<T>& array) {
  return range(array).least;
}
template <class T>
T max(const Array<T>& array) {
  return range(array).greatest;
}

/// Adds up what each rank has added to a sum of its own. Collective.
ExactSum sum_of_all(const Communicator& ranks, ExactSum mine);

namespace detail {
/// What one device part adds, and its range; complete on return. (reductions.cu)
template <class T>
void add_device_part(const T* first, const T* times, const Layout& layout, ExactSum& sum,
                     const Stream& stream);
template <class T>
void device_axpy(T a, const T* x, T* y, const Layout& layout, const Stream& stream);
template <class T>
Range<T> device_range(const T* first, const Layout& layout, const Stream& stream);
}  // namespace detail

}  // namespace portcost::distributed
