// SPDX-License-Identifier: Apache-2.0
// histogram's row: names, sizes, inputs.
#include <array>

#include "variants/histogram/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::histogram {

namespace {

constexpr std::array<std::int64_t, 3> all_bins{few_bins, some_bins, many_bins};
constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, most_keys, "keys"},
    SizeKey{"bins", some_bins, few_bins, many_bins, "bins: 64, 256 or 4096", false, all_bins}};
constexpr std::array parameter_keys{ParameterKey::choice(
    "skew", skew_names, "the keys: uniform, or nine of ten in bin 0 and the rest Zipf-like")};
constexpr std::array types{ElementType::i32};

// The keys, which no run writes, and the counts, which a run first zeroes.
struct Data final : DataOf<Keys> {
  using DataOf::DataOf;
  Keys work(int) const override {
    return {in.data(), static_cast<unsigned>(in.size()), out.data(), bins,
            static_cast<unsigned>(processors(stream().place()))};
  }

  unsigned bins = static_cast<unsigned>(size("bins"));
  Buffer<unsigned> in =
      filled(count(problem(), "n"), stream(), [this, skew = skew_of(problem())](std::uint64_t i) {
        return key_of(skew, problem().seed, i, bins);
      });
  Output<unsigned> out{*this, "counts", {bins}};
};

// From bound by the launch to bound by memory; 256 bins, and the others at the main count.
std::vector<Numbers> measured(Campaign campaign, Place place) {
  const bool full = campaign == Campaign::full;
  const int main = place == Place::device ? 28 : 24;
  std::vector<Numbers> result{{std::int64_t{1} << main, some_bins}};
  if (full) {
    for (const std::int64_t bins : {few_bins, many_bins}) result.push_back({result[0][0], bins});
  }
  for (const auto n : powers_of_two(12, main - 1, full ? 2 : 4)) result.push_back({n, some_bins});
  return result;
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "histogram",
      .summary = "counts of n keys in 64, 256 or 4096 bins",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .unequal_work = {{"lane_private", "loads", unneeded_load}},
      // The keys, the counts, two answers, and what is too small to count.
      .footprint = [](const Problem& p) { return 4 * real(p, "n") + 16 * real(p, "bins") + 4096; },
      // Every key is read once, every count written.
      .cost = [](const Problem& p) -> Cost {
        return {{4 * (real(p, "n") + real(p, "bins")), "read"}};
      },
      .measured = measured,
      .checked =
          crossed({{0, 1, 3, 8191, 8193, 99991, 2'000'003}, {few_bins, some_bins, many_bins}}),
      .drawn = {{0, 300'000, {0,    1,    2,    3,    4,    5,     7,     31,
                              33,   127,  255,  257,  1023, 1025,  2047,  2049,
                              4095, 4097, 8191, 8192, 8193, 16385, 65537, 270337}},
                {.corners = {all_bins.begin(), all_bins.end()}}},
      .make = make_instance<Data>,
      .agreement = "equal",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::histogram
