// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "variants/random/problem.hpp"

namespace portcost::random {

namespace {

// The standard library's generator.
constexpr auto engine = []<class Rule>(const Filling<Rule>& s, const Stream&) {
  using T = typename Rule::T;
  std::mt19937_64 bits(std::uint64_t{s.seed});
  std::conditional_t<Rule::kind == Kind::normal, std::normal_distribution<T>,
                     std::uniform_real_distribution<T>>
      numbers;
  for (std::uint64_t i = 0; i < s.n; ++i) s.out[i] = numbers(bits);
  *s.own = true;
};

}  // namespace

Rungs reference_rungs() {
  return {rung(works, "one_number",
               []<class Rule>(const Filling<Rule>& s, const Stream&) {
                 for (std::uint64_t i = 0; i < s.n; ++i) s.out[i] = Rule::number(i, s.seed);
               }),
          rung(works, "pool", engine), rung(works, "pool_setup", engine)};
}

}  // namespace portcost::random
