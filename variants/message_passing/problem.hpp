// SPDX-License-Identifier: Apache-2.0
// message_passing: in every round, each member of a group writes a message, fences and takes a
// ticket; the member that arrives last reads all messages of the group and adds up their words. No
// team waits for another. Plain C++.
//
//   for group, member:  messages[group][member][word] = message_word(seed, round, ...); fence
//                       if (arrived[group]++ == members - 1) { fence
//                         sums[round][group] = sum of messages[group][*][*]; arrived[group] = 0 }
#pragma once

#include <cstdint>

#include "src/contract/rung.hpp"
#include "variants/message_passing/rule.hpp"

namespace portcost::message_passing {

/// The round that every variant receives.
struct Round {
  std::uint32_t* messages;  // members * words a group, the same memory in every round
  std::uint32_t* arrived;   // one a group, zero before and after
  std::uint32_t* sums;      // of this round, one a group
  std::uint32_t groups, members, words;
  std::uint32_t seed, round, rounds = 1;

  PORTCOST_HOST_DEVICE constexpr std::uint32_t group_words() const { return members * words; }
  PORTCOST_HOST_DEVICE constexpr std::uint64_t first_of_group(std::uint32_t group) const {
    return std::uint64_t{group} * group_words();
  }
  PORTCOST_HOST_DEVICE constexpr std::uint32_t word(std::uint64_t at) const {
    return message_word(seed, round, at);
  }
};

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// team_fence: a team is a group, and its warps take the members in turn. In the ticket steps a
/// team is a member.
inline constexpr unsigned lanes = 32, warps = 8, threads = lanes * warps;

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Round> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::message_passing
