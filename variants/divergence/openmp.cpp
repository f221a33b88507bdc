// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a row of 32 numbers in vector registers. A vector has no branches, only
// masks, so both branches of if_else are computed and one is kept.
#include "variants/divergence/problem.hpp"

namespace portcost::divergence {

namespace {

struct Row {
  alignas(64) float at[lanes];
};

void then_row(Row& row) {
#pragma omp simd
  for (unsigned lane = 0; lane < lanes; ++lane) row.at[lane] = then_stretch(row.at[lane]);
}
void else_row(Row& row) {
#pragma omp simd
  for (unsigned lane = 0; lane < lanes; ++lane) row.at[lane] = else_stretch(row.at[lane]);
}
void keep(Row& row, const Row& other, unsigned from, unsigned end) {
#pragma omp simd
  for (unsigned lane = 0; lane < lanes; ++lane) {
    row.at[lane] = lane >= from && lane < end ? other.at[lane] : row.at[lane];
  }
}

// A row of one lane's numbers: one branch for all.
void same_branch(const Work& s, unsigned row_number, Row& row) {
  const bool other = row_number < s.diverging;
  for (unsigned k = 0; k < most_trips * s.trip; ++k) other ? else_row(row) : then_row(row);
}

void both_branches(const Work& s, unsigned, Row& row) {
  Row other = row;
  for (unsigned k = 0; k < most_trips * s.trip && s.diverging < lanes; ++k) then_row(row);
  for (unsigned k = 0; k < most_trips * s.trip && s.diverging > 0; ++k) else_row(other);
  keep(row, other, 0, s.diverging);
}

// All lanes make all trips, and keep what theirs have left.
void all_trips(const Work& s, unsigned, Row& row) {
  Row x = row;
  for (unsigned t = 0; t < most_trips; ++t) {
    for (unsigned k = 0; k < s.trip; ++k) then_row(x);
#pragma omp simd
    for (unsigned lane = 0; lane < lanes; ++lane) {
      row.at[lane] = t < trips_of(lane) ? x.at[lane] : row.at[lane];
    }
  }
}

// A number at a time, each with its own trips.
void own_trips(const Work& s, unsigned, Row& row) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    float x = row.at[lane];
    for (unsigned t = 0; t < trips_of(lane); ++t) {
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
    }
    row.at[lane] = x;
  }
}

// body(s, row's number, row) for all rows of all tiles.
template <bool transposed, class Body>
void for_rows(const Work& s, const Body& body) {
  const auto tiles = static_cast<std::int64_t>(tiles_of(s.n));
#pragma omp parallel for schedule(static)
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::uint64_t first = static_cast<std::uint64_t>(t) * tile;
    for (unsigned r = 0; r < rows; ++r) {
      Row row{};
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const std::uint64_t i = first + position_of<transposed>(r * lanes + lane);
        if (i < s.n) row.at[lane] = s.in[i];
      }
      body(s, r, row);
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const std::uint64_t i = first + position_of<transposed>(r * lanes + lane);
        if (i < s.n) s.out[i] = row.at[lane];
      }
    }
  }
}

}  // namespace

Rungs openmp_rungs() {
  return {
      rung(works, "uniform", [](const Work& s, const Stream&) { for_rows<true>(s, same_branch); })
          .unless(tiles_alone),
      rung(works, "if_else",
           [](const Work& s, const Stream&) { for_rows<false>(s, both_branches); })
          .unless(tiles_alone),
      rung(works, "loop_678", [](const Work& s, const Stream&) { for_rows<false>(s, own_trips); })
          .unless(tiles_alone),
      rung(works, "loop_uniform", [](const Work& s, const Stream&) {
        for_rows<false>(s, all_trips);
      }).unless(tiles_alone)};
}

}  // namespace portcost::divergence
