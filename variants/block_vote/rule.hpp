// SPDX-License-Identifier: Apache-2.0
// What an element says, and how votes are packed so that one addition counts all three.
#pragma once

#include "src/support/host_device.hpp"

namespace portcost::block_vote {

/// NaN is non-zero; zero of either sign is not.
template <class T>
PORTCOST_HOST_DEVICE constexpr bool non_zero(T x) {
  return !(x == T(0));
}
template <class T>
PORTCOST_HOST_DEVICE constexpr bool is_nan(T x) {
  return x != x;
}
/// In [0, 1], both ends and -0 included; NaN is not.
template <class T>
PORTCOST_HOST_DEVICE constexpr bool in_range(T x) {
  return static_cast<bool>(static_cast<int>(x >= T(0)) & static_cast<int>(x <= T(1)));  // no branch
}

/// The votes of one element in one word: non-zero, NaN and out of range in ten bits each. The votes
/// of up to 1023 elements may be added up. Zero is neutral: it votes for nothing.
template <class T>
PORTCOST_HOST_DEVICE constexpr unsigned votes_of(T x) {
  return static_cast<unsigned>(non_zero(x)) + (static_cast<unsigned>(is_nan(x)) << 10) +
         (static_cast<unsigned>(!in_range(x)) << 20);
}
/// The same by selections, for where the votes of one element are added at once: what is out of
/// range is not zero, and NaN is neither zero nor in range, so that the last that holds says all.
template <class T>
PORTCOST_HOST_DEVICE constexpr unsigned votes_selected(T x) {
  unsigned votes = static_cast<unsigned>(non_zero(x));
  if (!in_range(x)) votes = 1u + (1u << 20);
  if (is_nan(x)) votes = 1u + (1u << 10) + (1u << 20);
  return votes;
}
/// Votes added up become a ballot: the count, and one voice each for NaN and for out of range.
/// Ballots of up to 1023 voters over up to 2047 elements may be added up.
PORTCOST_HOST_DEVICE constexpr unsigned ballot_of(unsigned votes) {
  return (votes & 1023u) + ((votes >> 10 & 1023u) != 0 ? 1u << 11 : 0u) +
         (votes >> 20 != 0 ? 1u << 21 : 0u);
}
/// A tile's three numbers from its ballots: how many are non-zero, whether any is NaN, whether all
/// are in range.
PORTCOST_HOST_DEVICE constexpr int non_zeros(unsigned ballots) {
  return static_cast<int>(ballots & 2047u);
}
PORTCOST_HOST_DEVICE constexpr int any_nan(unsigned ballots) {
  return (ballots >> 11 & 1023u) != 0;
}
PORTCOST_HOST_DEVICE constexpr int all_in_range(unsigned ballots) { return ballots >> 21 == 0; }

}  // namespace portcost::block_vote
