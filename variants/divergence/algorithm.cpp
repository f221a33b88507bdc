// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/divergence/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::divergence {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", 1 << 24, 1, most_numbers, "numbers"},
    SizeKey{"diverging", lanes / 2, 0, lanes, "lanes of 32 that take the other branch", false},
    SizeKey{"trip", 4, 0, 1 << 20, "stretches of 16 multiply-adds in a trip; a branch has 8 trips",
            false}};
constexpr std::array parameter_keys{
    ParameterKey::choice("block", block_names, "threads of a GPU's block")};
constexpr std::array types{ElementType::f32};

struct Data final : DataOf<Work> {
  using DataOf::DataOf;
  Work work(int) const override {
    return {in.data(), out.data(), in.size(), diverging, trip, block};
  }

  Buffer<float> in = input(extent("n"), [this](std::uint64_t i) { return number(seed(), i); });
  Output<float> out{*this, "out", {in.size()}};
  unsigned diverging = static_cast<unsigned>(size("diverging"));
  unsigned trip = static_cast<unsigned>(size("trip"));
  std::size_t block = problem().parameters.number_of("block", block_names);
};

// What a warp with all lanes on one path, or making 8 trips, has to do.
Cost cost(const Problem& p) {
  const double n = real(p, "n"), length = most_trips * stretch_length * real(p, "trip");
  return {{2 * n * sizeof(float), "copy"}, {2 * n * length, "fma f32"}};
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "divergence",
      .summary = "branches and loops that the lanes of a warp take differently",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      // Numbers, results, and two answers to compare.
      .footprint = [](const Problem& p) { return 4 * sizeof(float) * real(p, "n"); },
      .cost = cost,
      // From none to all lanes on the other branch; the main size has half of them there.
      .measured = {.device = "2^24,16,4 2^24,0|1|32,4",
                   .device_full = "2^24,16,4 2^24,0|1|2|4|8|24|28|30|31|32,4",
                   .host = "2^20,16,4 2^20,0|1|32,4",
                   .host_full = "2^20,16,4 2^20,0|1|2|4|8|24|28|30|31|32,4"},
      .checked = "1,16,1 31,7,1 1024,0,2 1024,32,2 1025,1,3 4099,31,1 100003,16,4",
      .drawn = {{1, 6000, {1, 31, 32, 33, 1023, 1024, 1025, 4099}}, {0, lanes}, {0, 3}},
      .make = make_instance<Data>,
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::divergence
