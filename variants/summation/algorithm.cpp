// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/shared/data.hpp"
#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 36, "numbers to add"}};
constexpr std::array parameter_keys{ParameterKey::choice("data", data_names, "the numbers")};

template <class T>
struct Series final : DataOf<Numbers<T>> {
  using DataOf<Numbers<T>>::DataOf;
  Numbers<T> work(int) const override {
    const auto of = [](const Buffer<double>& at) { return const_cast<double*>(at.data()); };
    return {in.data(), n, const_cast<T*>(out.data()), {of(partials), of(second)}, of(lanes)};
  }

  std::size_t n = this->extent("n");
  Buffer<T> in = this->input(n, [this, data = data_of(this->problem())](std::uint64_t i) {
    return number<T>(data, this->seed(), i, n);
  });
  Output<T> out{*this, "sum", {2}};
  Workspace<double> partials{*this, ceil_div(bytes_of_partials<T>(n), std::uint64_t{8})},
      second{*this, ceil_div(bytes_of_partials<T>(teams_of_pairs<T>(n)), std::uint64_t{8})},
      lanes{*this, bytes_of_lanes<T>(n) / 8};
};

}  // namespace

Algorithm algorithm() {
  return {
      .name = "summation",
      .summary = "the sum of n numbers by methods that differ in rounding",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      // The numbers, a lane's accumulator per eight numbers, a partial sum per 4096 numbers.
      .footprint =
          [](const Problem& p) { return real(p, "n") * bytes(p.type) * 1.126 + 8.1 * (1 << 20); },
      .cost = [](const Problem& p) -> Cost {
        return {{real(p, "n") * bytes(p.type), "read"}};
      },
      // serial takes up to 2^22.
      .measured = {.device = "2^28 2^22 2^16 2^10",
                   .device_full = "2^10..2^28",
                   .host = "2^24 2^22 2^16 2^10",
                   .host_full = "2^10..2^26"},
      .checked = "0|1|2|511|4097|8191|8193|65537|1000003|9000001",
      .drawn = {{0, 100'000, {0,     1,     2,     3,     5,     255,   257,   511,
                              513,   1023,  1025,  2047,  4097,  8191,  8193,  16383,
                              16385, 32767, 32769, 65535, 65537, 99991, 131073}}},
      .make = make_instance<Series, float, double>,
      .agreement = "bit for bit, by the order of additions of each step",
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::summation
