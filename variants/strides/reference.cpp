// SPDX-License-Identifier: Apache-2.0
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

// Elements from `from` on, `from_apart` from one to the next, to `to` and on.
template <class T>
void line(const Copies<T>& s, std::int64_t from, std::int64_t from_apart, std::int64_t to,
          std::int64_t to_apart) {
  for (std::int64_t i = 0; i < s.n; ++i) s.b[to + i * to_apart] = s.a[from + i * from_apart];
}
template <class T>
void rows(const Copies<T>& s, std::int64_t pitch) {
  for (std::int64_t r = 0; r < s.rows; ++r) {
    for (std::int64_t c = 0; c < s.columns; ++c) s.b[r * pitch + c] = s.a[r * pitch + c];
  }
}

constexpr auto gather = [](const auto& s, const Stream&) {
  for (int i = 0; i < s.n; ++i) s.b[i] = s.a[picked(s, i)];
};
template <bool alike>
constexpr auto scale = []<class T>(const Copies<T>& s, const Stream&) {
  const Coefficients<T> table;
  for (int i = 0; i < s.n; ++i) s.b[i] = s.a[i] * table(which<alike>(i));
};

}  // namespace

Rungs reference_rungs() {
  return {
      rung(works, "reads", [](const auto& s, const Stream&) { line(s, s.offset, s.stride, 0, 1); }),
      rung(works, "writes",
           [](const auto& s, const Stream&) { line(s, 0, 1, s.offset, s.stride); }),
      rung(works, "both",
           [](const auto& s, const Stream&) { line(s, s.offset, s.stride, s.offset, s.stride); }),
      rung(works, "packed_rows", [](const auto& s, const Stream&) { rows(s, s.columns); })
          .unless(no_rows),
      rung(works, "padded_rows", [](const auto& s, const Stream&) { rows(s, s.pitch); })
          .unless(no_rows),
      rung(works, "gather", gather).unless(no_rows),
      rung(works, "gather_read_only", gather).unless(no_rows),
      rung(works, "gather_texture", gather).unless(no_rows),
      rung(works, "scaled_alike", scale<true>).unless(no_rows),
      rung(works, "scaled_apart", scale<false>).unless(no_rows)};
}

}  // namespace portcost::strides
