// SPDX-License-Identifier: Apache-2.0
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

struct Data final : DataOf<Keys> {
  using DataOf::DataOf;
  Keys work(int) const override {
    return {in.data(), static_cast<unsigned>(in.size()), out.data(), bins,
            static_cast<unsigned>(processors(stream().place()))};
  }

  unsigned bins = static_cast<unsigned>(size("bins"));
  Buffer<unsigned> in = input(extent("n"), [this, skew = skew_of(problem())](std::uint64_t i) {
    return key_of(skew, seed(), i, bins);
  });
  Output<unsigned> out{*this, "counts", {bins}};
};

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
      .cost = [](const Problem& p) -> Cost {
        return {{4 * (real(p, "n") + real(p, "bins")), "read"}};
      },
      // From bound by the launch to bound by memory; 256 bins, and the others at the main count.
      .measured = {.device = "2^28,256 16^3..16^6,256",
                   .device_full = "2^28,256|64|4096 4^6..4^13,256",
                   .host = "2^24,256 16^3..16^5,256",
                   .host_full = "2^24,256|64|4096 4^6..4^11,256"},
      .checked = "0|1|3|8191|8193|99991|2000003,64|256|4096",
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
