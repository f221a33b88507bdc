// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos: ranges, and Kokkos's pools of generators (the
// tutorials' random_numbers example).
#include <Kokkos_Random.hpp>
#include <limits>
#include <memory>

#include "variants/random/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::random {

namespace {

using Space = KokkosSpace;
template <class T>
using Vector = Kokkos::View<T*, Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using DefaultRange = Kokkos::RangePolicy<Space>;  // counts in 32 bits on a GPU
using LongRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Policy, class Body>
void over(const Stream& stream, std::uint64_t count, const Body& body) {
  using Index = typename Policy::index_type;
  Kokkos::parallel_for("portcost::random::usual",
                       Policy(kokkos_space(stream), 0, static_cast<Index>(count)), body);
}
// In Kokkos's default index type where it holds all iterations.
template <class Body>
void over(const Stream& stream, std::uint64_t count, const Body& body) {
  const bool few = count < std::numeric_limits<int>::max();
  few ? over<DefaultRange>(stream, count, body) : over<LongRange>(stream, count, body);
}

template <class Rule>
struct OfNumber {
  Vector<typename Rule::T> out;
  PhiloxSeed seed;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    out(i) = Rule::number(static_cast<std::uint64_t>(i), seed);
  }
};

// `calls` calls an iteration, `stride` calls from each other.
template <class Rule, int calls>
struct OfCalls {
  using Pack = Group<Rule, 1>;
  Vector<typename Rule::T> out;
  Vector<Pack> whole;
  PhiloxSeed seed;
  std::uint64_t stride;
  KOKKOS_FUNCTION void operator()(const std::int64_t first) const {
    for (int k = 0; k < calls; ++k) {
      const std::uint64_t call =
          static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(k) * stride;
      if (call < whole.extent(0)) {
        whole(call) = group<Rule, 1>(call, seed);
      } else {
        for (std::uint64_t i = call * Pack::count; i < out.extent(0); ++i)
          out(i) = Rule::number(i, seed);
      }
    }
  }
};
template <int calls, class Rule>
void fill_calls(const Filling<Rule>& s, const Stream& on) {
  using Pack = Group<Rule, 1>;
  const std::uint64_t all = ceil_div(s.n, std::uint64_t{Pack::count});
  const std::uint64_t stride = ceil_div(all, std::uint64_t{calls});
  over(on, stride,
       OfCalls<Rule, calls>{Vector<typename Rule::T>(s.out, s.n),
                            Vector<Pack>(reinterpret_cast<Pack*>(s.out), s.n / Pack::count), s.seed,
                            stride});
}

// An iteration takes a generator from the pool, draws `draws` numbers and gives it back.
// Neighbouring iterations write neighbouring numbers.
template <class Rule, class Pool>
struct OfPool {
  using T = typename Rule::T;
  Vector<T> out;
  Pool pool;
  std::uint64_t stride;
  KOKKOS_FUNCTION void operator()(const std::int64_t first) const {
    auto generator = pool.get_state();
    for (std::uint64_t i = static_cast<std::uint64_t>(first); i < out.extent(0); i += stride) {
      if constexpr (Rule::kind == Kind::normal) {
        out(i) = static_cast<T>(generator.normal());
      } else {
        out(i) = Kokkos::rand<decltype(generator), T>::draw(generator);
      }
    }
    pool.free_state(generator);
  }
};

template <class Rule, class Pool, bool anew>
class Pooled final : public Execution {
 public:
  Pooled(const Filling<Rule>& s, const Stream& on) : s_(s), stream_(on), pool_(s.seed) {}
  void run(int) override {
    if (anew) pool_ = Pool(s_.seed);
    *s_.own = true;
    const std::uint64_t stride = ceil_div(s_.n, std::uint64_t{draws});
    over(stream_, stride,
         OfPool<Rule, Pool>{Vector<typename Rule::T>(s_.out, s_.n), pool_, stride});
  }
  bool queued_ahead() const override { return !anew; }

 private:
  Filling<Rule> s_;
  const Stream& stream_;
  Pool pool_;
};

template <bool anew>
constexpr auto pool =
    []<class Rule>(const Filling<Rule>& s, const Stream& on) -> std::unique_ptr<Execution> {
  if (s.pool == 1024) {
    return std::make_unique<Pooled<Rule, Kokkos::Random_XorShift1024_Pool<Space>, anew>>(s, on);
  }
  return std::make_unique<Pooled<Rule, Kokkos::Random_XorShift64_Pool<Space>, anew>>(s, on);
};

constexpr auto one_number = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  over(on, s.n, OfNumber<Rule>{Vector<typename Rule::T>(s.out, s.n), s.seed});
};
constexpr auto one_call = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  fill_calls<1>(s, on);
};
constexpr auto many_calls = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  fill_calls<8>(s, on);
};

}  // namespace

Rungs kokkos_usual_rungs() {
  return {rung(works, "one_number", one_number).written(Way::usual),
          rung(works, "one_call", one_call).written(Way::usual),
          rung(works, "many_calls", many_calls).written(Way::usual),
          rung(works, "pool", pool<false>).written(Way::usual),
          rung(works, "pool_setup", pool<true>).written(Way::usual)};
}

}  // namespace portcost::random
