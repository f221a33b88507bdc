// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: memcpy of one array or row after the other, and by all threads.
#include <cstring>

#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

template <class T>
void one_by_one(const Batch<T>& s, const Stream&) {
  for (std::int64_t i = 0; i < s.count; ++i) {
    std::memcpy(s.target + i * s.pitch, s.arrays[i], s.row_bytes());
  }
}

template <class T>
void row_by_row(const Batch<T>& s, const Stream&) {
  for (std::int64_t i = 0; i < s.count; ++i) {
    std::memcpy(s.target + i * s.pitch, s.section + i * s.pitch, s.row_bytes());
  }
}

template <class T>
void whole_section(const Batch<T>& s, const Stream&) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < s.count; ++i) {
    std::memcpy(s.target + i * s.pitch, s.section + i * s.pitch, s.row_bytes());
  }
}

}  // namespace

Rungs openmp_rungs() {
  return {
      rung(works, "arrays_one_by_one", [](const auto& s, const Stream& on) { one_by_one(s, on); }),
      rung(works, "section_row_by_row", [](const auto& s, const Stream& on) { row_by_row(s, on); }),
      rung(works, "section_2d", [](const auto& s, const Stream& on) { whole_section(s, on); })};
}

}  // namespace portcost::transfer_batching
