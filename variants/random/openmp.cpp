// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a part of the array a thread.
#include <omp.h>

#include <random>

#include "variants/random/problem.hpp"

namespace portcost::random {

namespace {

constexpr auto one_number = []<class Rule>(const Filling<Rule>& s, const Stream&) {
#pragma omp parallel for schedule(static) num_threads(s.processors)
  for (std::uint64_t i = 0; i < s.n; ++i) s.out[i] = Rule::number(i, s.seed);
};

// Groups of `calls` calls, and the numbers behind the last whole group.
template <int calls, class Rule>
void fill_groups(const Filling<Rule>& s) {
  using Pack = Group<Rule, calls>;
  const std::uint64_t groups = s.n / Pack::count;
  auto* const packs = reinterpret_cast<Pack*>(s.out);
#pragma omp parallel for schedule(static) num_threads(s.processors)
  for (std::uint64_t g = 0; g < groups; ++g) packs[g] = group<Rule, calls>(g * calls, s.seed);
  for (std::uint64_t i = groups * Pack::count; i < s.n; ++i) s.out[i] = Rule::number(i, s.seed);
}

constexpr auto one_call = []<class Rule>(const Filling<Rule>& s, const Stream&) {
  fill_groups<1>(s);
};
// Calls side by side in vectors.
constexpr auto many_calls = []<class Rule>(const Filling<Rule>& s, const Stream&) {
  fill_groups<shape_in(Place::host).calls>(s);
};

// The standard library's generator, one a thread; `anew`: made in every run.
template <class Rule, bool anew>
class Engines final : public Execution {
 public:
  explicit Engines(const Filling<Rule>& s) : s_(s) { set_up(); }
  void run(int) override {
    using T = typename Rule::T;
    if (anew) set_up();
    *s_.own = true;
    const auto all = engines_.size();
#pragma omp parallel for schedule(static) num_threads(s_.processors)
    for (std::size_t e = 0; e < all; ++e) {
      std::mt19937_64 bits = engines_[e].of;  // a line of a cache that is this thread's alone
      std::conditional_t<Rule::kind == Kind::normal, std::normal_distribution<T>,
                         std::uniform_real_distribution<T>>
          numbers;
      const std::uint64_t each = ceil_div(s_.n, std::uint64_t{all}), first = e * each;
      for (std::uint64_t i = first; i < std::min(s_.n, first + each); ++i)
        s_.out[i] = numbers(bits);
      engines_[e].of = bits;
    }
  }

 private:
  struct alignas(64) Engine {
    std::mt19937_64 of;
  };
  void set_up() {
    engines_.clear();
    for (int e = 0; e < s_.processors; ++e) {
      engines_.push_back({std::mt19937_64(random_bits(s_.seed, static_cast<std::uint64_t>(e)))});
    }
  }
  Filling<Rule> s_;
  std::vector<Engine> engines_;
};

template <bool anew>
constexpr auto pool =
    []<class Rule>(const Filling<Rule>& s, const Stream&) -> std::unique_ptr<Execution> {
  return std::make_unique<Engines<Rule, anew>>(s);
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "one_number", one_number), rung(works, "one_call", one_call),
          rung(works, "many_calls", many_calls), rung(works, "pool", pool<false>),
          rung(works, "pool_setup", pool<true>)};
}

}  // namespace portcost::random
