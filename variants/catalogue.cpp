// SPDX-License-Identifier: Apache-2.0
#include "variants/catalogue.hpp"

#include <array>

#include "variants/atomics/problem.hpp"
#include "variants/block_vote/problem.hpp"
#include "variants/divergence/problem.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/histogram/problem.hpp"
#include "variants/message_passing/problem.hpp"
#include "variants/sum/problem.hpp"

namespace portcost {

namespace {

constexpr std::array rows{
    &heat2d::algorithm,          &sum::algorithm,     &histogram::algorithm,
    &block_vote::algorithm,      &atomics::algorithm, &divergence::algorithm,
    &message_passing::algorithm,
};

}  // namespace

std::span<const Algorithm* const> catalogue() { return rows; }

}  // namespace portcost
