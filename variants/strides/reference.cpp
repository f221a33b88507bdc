// SPDX-License-Identifier: Apache-2.0
// The obvious serial answers, one a step.
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

template <class T>
void reads(const Copies<T>& s) {
  for (std::int64_t i = 0; i < s.n; ++i) s.b[i] = s.a[s.offset + i * s.stride];
}
template <class T>
void writes(const Copies<T>& s) {
  for (std::int64_t i = 0; i < s.n; ++i) s.b[s.offset + i * s.stride] = s.a[i];
}
template <class T>
void both(const Copies<T>& s) {
  for (std::int64_t i = 0; i < s.n; ++i) {
    s.b[s.offset + i * s.stride] = s.a[s.offset + i * s.stride];
  }
}
template <class T>
void rows(const Copies<T>& s, std::int64_t pitch) {
  for (std::int64_t r = 0; r < s.rows; ++r) {
    for (std::int64_t c = 0; c < s.columns; ++c) s.b[r * pitch + c] = s.a[r * pitch + c];
  }
}

}  // namespace

Rungs reference_rungs() {
  return {rung(works, "reads", [](const auto& s, const Stream&) { reads(s); }),
          rung(works, "writes", [](const auto& s, const Stream&) { writes(s); }),
          rung(works, "both", [](const auto& s, const Stream&) { both(s); }),
          rung(works, "packed_rows", [](const auto& s, const Stream&) { rows(s, s.columns); })
              .unless(no_rows),
          rung(works, "padded_rows", [](const auto& s, const Stream&) {
            rows(s, s.pitch);
          }).unless(no_rows)};
}

}  // namespace portcost::strides
