// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/monte_carlo/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::monte_carlo {

namespace {

constexpr std::array size_keys{
    SizeKey{"pairs", std::int64_t{1} << 30, 0, most_pairs, "random points of the unit square"}};

// One per team of the largest launch in a device's shape: tests run this shape on a host.
template <class T>
std::uint64_t partials_of(std::uint64_t pairs, Place place) {
  const int teams = teams_of(Place::device, processors(place));
  return std::max(teams_of_one_pair<T>(Place::device, pairs), static_cast<std::uint64_t>(teams));
}
static_assert(teams_of_one_pair<double>(Place::device, most_pairs) >=
              teams_of_one_pair<double>(Place::host, most_pairs));
static_assert(teams_of(Place::device, 1) >= teams_of(Place::host, 1));
std::uint64_t stored_of(std::uint64_t pairs) { return pairs <= most_stored ? 2 * pairs : 0; }

template <class T>
struct Counted final : DataOf<Drawing<T>> {
  using DataOf<Drawing<T>>::DataOf;
  Drawing<T> work(int) const override {
    return {pairs,           this->seed(),   hits.data(),
            partials.data(), numbers.data(), processors(this->stream().place())};
  }

  std::uint64_t pairs = this->extent("pairs");
  Output<std::uint64_t> hits{*this, "hits", {1}};
  Workspace<std::uint64_t> partials{*this, partials_of<T>(pairs, this->stream().place())};
  Workspace<T> numbers{*this, stored_of(pairs)};
};

double calls_of(const Problem& p) { return std::ceil(real(p, "pairs") * 2 * bytes(p.type) / 16); }

}  // namespace

Algorithm algorithm() {
  return {
      .name = "monte_carlo",
      .summary = "pi: how many of so many random points lie in a quarter circle",
      .size_keys = size_keys,
      // The numbers of `stored`, a partial sum per 256 calls on a device, and 16 MiB.
      .footprint =
          [](const Problem& p) {
            return static_cast<double>(stored_of(count(p, "pairs"))) * bytes(p.type) +
                   calls_of(p) / 32 + (1 << 24);
          },
      // A Philox call has 20 multiplications of 32 bits to 64; the second one of the first round
      // multiplies 0, and the first one of the second round depends on the upper half of the
      // counter alone, so that a device can keep its product. A host's vector unit makes two
      // multiplications in place of four fused multiply-adds of f32, so a multiplication counts as
      // four operations.
      .cost = [](const Problem& p) -> Cost {
        return {{4 * 19 * calls_of(p), "fma f32"}};
      },
      .device_cost = [](const Problem& p) -> Cost {
        return {{18 * calls_of(p), "multiply u32"}};
      },
      .measured = {.device = "2^32 2^20 2^24 2^28",
                   .device_full = "2^34 2^20..2^34",
                   .host = "2^26 2^20",
                   .host_full = "2^28 2^20..2^28"},
      .checked = "0|1|2|8191|8193|1000003",
      .drawn = {{0, 200'000, {0,    1,    2,    3,    31,    32,    33,    63,    64,   65,
                              127,  255,  256,  257,  511,   512,   513,   1023,  1025, 4095,
                              4097, 8191, 8192, 8193, 16383, 16385, 65537, 131073}}},
      .make = make_instance<Counted, float, double>,
      .agreement = "exact",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::monte_carlo
