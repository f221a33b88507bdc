// SPDX-License-Identifier: Apache-2.0
// in_flight: an array is read by a given number of threads with a given number of loads each, and
// no thread begins its next loads before all of these have arrived. Plain C++.
//
//   the sum, modulo 2^32, of a[i] for i < n
#pragma once

#include <cstdint>
#include <string_view>

#include "src/contract/rung.hpp"
#include "src/support/golden_step.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::in_flight {

inline constexpr std::int64_t most_elements = std::int64_t{1} << 31;
/// What a multiprocessor holds at most.
inline constexpr int most_threads = 2048;

/// The array as every variant receives it, 256-byte aligned, of numbers from 0 to 2^31 - 1. On
/// return the elements of `sums`, one a thread, add up to the sum.
struct Reading {
  const std::int32_t* a;
  std::uint32_t* sums;
  std::int64_t n;
  int workers;  // threads in all: on a GPU those of a multiprocessor times their number
};

/// The input. Its highest bit is 0, which no compiler knows: added to where a thread reads next, it
/// makes that wait for what is read.
constexpr std::int32_t element(std::uint64_t seed, std::uint64_t at) {
  return static_cast<std::int32_t>(random_bits(seed, at) >> 33);
}
PORTCOST_HOST_DEVICE constexpr int no_step(std::uint32_t loaded) {
  return static_cast<int>(loaded >> 31);
}

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

/// GPUs: teams of two warps, 32 of which fill a multiprocessor. A team reads a piece at a time, of
/// `loads` elements a thread, and then the piece that lies as many teams further on.
inline constexpr int lanes = 32, warps = 2, threads = lanes * warps;

/// Hosts: a load is a line of the cache. Lines are read in an order in which no neighbours follow
/// each other, so that what the processor fetches ahead of its own is of no use.
inline constexpr int line = 64 / sizeof(std::int32_t);
struct Walk {
  std::int64_t lines, apart;

  explicit Walk(std::int64_t n) : lines(n / line), apart(golden_step(lines)) {}
  /// The line that is read as the i-th of all, and the one that is read after `at`.
  PORTCOST_HOST_DEVICE std::int64_t begin(std::int64_t i) const { return i * apart % lines; }
  PORTCOST_HOST_DEVICE std::int64_t next(std::int64_t at) const {
    return at + apart >= lines ? at + apart - lines : at + apart;
  }
};
/// The first of the lines of the given thread, as numbers of the order in which they are read.
PORTCOST_HOST_DEVICE constexpr std::int64_t first_line(std::int64_t lines, int worker,
                                                       int workers) {
  return lines / workers * worker + lines % workers * worker / workers;
}

/// Why a GPU does not take a problem; empty where it does.
inline std::string_view no_whole_teams(const Problem& p) {
  if (p.size.at("threads") % threads == 0) return {};
  return "a multiprocessor has whole teams of 64 threads here: threads is a multiple of 64";
}

/// What a variant is given, and Algorithm::judge (truth.cpp).
inline constexpr Works<Reading> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::in_flight
