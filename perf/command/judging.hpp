// SPDX-License-Identifier: Apache-2.0
// Whether the answers of what is measured together are right: compared with each other, and with
// a truth that no variant shares.
#pragma once

#include <string>
#include <vector>

#include "src/contract/algorithm.hpp"

namespace portcost {

struct Answered {
  const Variant* variant = nullptr;
  Answer answer;
};

struct Finding {
  std::string truth;         // what the answers were compared with, besides each other
  std::string disagreement;  // one line; empty when all is right
};

/// Compares every answer with the first by the algorithm's rule, then holds the first against the
/// truth; where two differ, says of each whether it is wrong. Of several ranks the answers are rank
/// 0's, and all get its finding. Collective.
Finding judge_answers(const Algorithm& algorithm, const Problem& problem,
                      const std::vector<Answered>& answers, const Instance& instance);

}  // namespace portcost
