// SPDX-License-Identifier: Apache-2.0
// Each step's additions one after another, in the step's order.
#include <vector>

#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

// Joins by halves of the next power of two, or in a row.
template <class Sum>
Sum joined(std::vector<Sum> of, bool tree) {
  std::size_t half = 1;
  while (2 * half < of.size()) half *= 2;
  for (; tree && half > 0; half /= 2) {
    for (std::size_t i = 0; i < half && i + half < of.size(); ++i) of[i].join(of[i + half]);
    if (of.size() > half) of.resize(half);
  }
  for (std::size_t i = 1; i < of.size(); ++i) of[0].join(of[i]);
  return of[0];
}

// The sum of the rows from number `first` to `end`.
template <class Step, class Sum, class T>
Sum team(const T* in, std::uint64_t first, std::uint64_t end) {
  std::vector<Sum> of_threads;
  for (unsigned thread = 0; thread < threads; ++thread) {
    std::vector<Sum> of_lanes;
    for (unsigned j = 0; j < lanes_of_a_thread<T>; ++j) {
      std::vector<Sum> of_rows(Step::pairs ? pair_rows : 1);
      for (std::uint64_t i = first + thread * lanes_of_a_thread<T> + j; i < end; i += row<T>) {
        of_rows[Step::pairs ? (i - first) / row<T> : 0].add(in[i]);
      }
      of_lanes.push_back(joined(of_rows, true));
    }
    of_threads.push_back(joined(of_lanes, Step::tree));
  }
  return joined(of_threads, Step::tree);
}

template <class T>
void add(Serial, const Numbers<T>& s) {
  Plain<T> sum;
  for (std::uint64_t i = 0; i < s.n; ++i) sum.add(s.in[i]);
  sum.store(s.out);
}

template <class Step, class T>
void add(Step, const Numbers<T>& s) {
  using Sum = typename Step::template Of<T>;
  std::vector<T> numbers(s.in, s.in + s.n);
  for (;;) {
    const std::uint64_t stretch = row<T> * (Step::pairs ? pair_rows : plan_of<T>(s.n).rows);
    std::vector<Sum> sums;
    for (std::uint64_t first = 0; first < std::max<std::uint64_t>(1, numbers.size());
         first += stretch) {
      sums.push_back(team<Step, Sum>(numbers.data(), first,
                                     std::min<std::uint64_t>(first + stretch, numbers.size())));
    }
    if (!Step::pairs || sums.size() == 1) return joined(sums, Step::tree).store(s.out);
    numbers.clear();
    for (const Sum& sum : sums) numbers.push_back(static_cast<T>(sum.sum));
  }
}

}  // namespace

Rungs reference_rungs() {
  return each_method([]<class Step>(Step, std::string_view name) {
    return rung(works, name, [](const auto& s, const Stream&) { add(Step(), s); });
  });
}

}  // namespace portcost::summation
