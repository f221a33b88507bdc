// SPDX-License-Identifier: Apache-2.0
#include "variants/catalogue.hpp"

#include <array>

#include "variants/block_vote/problem.hpp"
#include "variants/heat2d/problem.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost {

namespace {

constexpr std::array rows{
    &heat2d::algorithm,
    &histogram::algorithm,
    &block_vote::algorithm,
};

}  // namespace

std::span<const Algorithm* const> catalogue() { return rows; }

}  // namespace portcost
