// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: memcpy of one array or row after the other, and by all threads.
#include <cstring>

#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

template <From from>
constexpr auto one_by_one = []<class T>(const Batch<T>& s, const Stream&) {
  for (std::int64_t i = 0; i < s.count; ++i) {
    std::memcpy(s.target + s.at(i), row_of<from>(s, i), s.row_bytes());
  }
};

constexpr auto whole_section = []<class T>(const Batch<T>& s, const Stream&) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < s.count; ++i) {
    std::memcpy(s.target + s.at(i), row_of<From::section>(s, i), s.row_bytes());
  }
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "arrays_one_by_one", one_by_one<From::arrays>),
          rung(works, "section_row_by_row", one_by_one<From::section>),
          rung(works, "section_2d", whole_section), rung(works, "section_3d", whole_section)};
}

}  // namespace portcost::transfer_batching
