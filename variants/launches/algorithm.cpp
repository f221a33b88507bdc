// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "variants/launches/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::launches {

namespace {

constexpr std::array size_keys{SizeKey{"n", 256, 1, most_numbers, "numbers that a kernel maps"},
                               SizeKey{"kernels", 100, 1, most_kernels, "kernels of a run"},
                               SizeKey{"bytes", 32, 32, 8192, "of a functor", false, sizes}};
constexpr std::array parameter_keys{
    ParameterKey::whole("streams", 1, "fences: streams that take the kernels in turn", 1, 16)};
constexpr std::array types{ElementType::i32};

struct Data final : DataOf<Work> {
  Data(const Problem& p, Stream& on) : DataOf(p, on) {
    for (int i = 0; i < most_words; ++i) table.push_back(number(most_numbers + i));
  }
  Work work(int) const override {
    return {x.data(), table.data(), size("n"), size("kernels"), size("bytes"), &queues};
  }
  std::uint32_t number(std::uint64_t at) const {
    return static_cast<std::uint32_t>(random_bits(seed(), at));
  }

  Restored<std::uint32_t> x{*this, "x",
                            input(extent("n"), [this](std::uint64_t i) { return number(i); })};
  std::vector<std::uint32_t> table;
  Queues queues{stream(), static_cast<int>(problem().parameters.whole("streams"))};
};

}  // namespace

Algorithm algorithm() {
  return {
      .name = "launches",
      .summary =
          "many small kernels in turn, fenced or as a graph, with functors of 32 bytes to 8 KiB",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .absent = absent_without_cuda({}, {"graph", "fence_instance", "fence_device"}),
      .footprint = [](const Problem& p) { return 16 * real(p, "n"); },
      // A scale, not a bound: a single pass over the numbers.
      .cost = [](const Problem& p) -> Cost {
        return {{8 * real(p, "n"), "copy"}};
      },
      .measured = {.device = "256,100,32|256|1024|4096|8192 256,1|10|1000,32"},
      .checked = "1,1,32 255,2,256 257,3,1024 2045,4,8192 1000,7,4096",
      .drawn = {{1, 5000, {1, 255, 256, 257}}, {1, 12}, {.corners = {32, 256, 1024, 4096, 8192}}},
      .make = make_instance<Data>,
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::launches
