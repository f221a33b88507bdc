// SPDX-License-Identifier: Apache-2.0
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

template <From from>
Rung elements(std::string_view step) {
  return rung(works, step, [](const auto& s, const Stream&) {
    for (std::int64_t i = 0; i < s.count; ++i) {
      for (std::int64_t j = 0; j < s.n; ++j) s.target[s.at(i) + j] = row_of<from>(s, i)[j];
    }
  });
}

}  // namespace

Rungs reference_rungs() {
  constexpr auto arrays = elements<From::arrays>, section = elements<From::section>;
  return {arrays("arrays_one_by_one"),  section("section_row_by_row"), section("section_2d"),
          section("section_3d"),        arrays("arrays_packed"),       section("section_packed"),
          section("section_over_link"), arrays("arrays_over_link"),    arrays("arrays_batched")};
}

}  // namespace portcost::transfer_batching
