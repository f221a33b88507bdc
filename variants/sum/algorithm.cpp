// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/shared/data.hpp"
#include "variants/sum/known_defects.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "numbers to add"}};
constexpr std::array parameter_keys{ParameterKey::choice("data", data_names, "the numbers")};
constexpr std::array types{ElementType::i32, ElementType::f32, ElementType::f64};

template <class T>
struct Series final : DataOf<Numbers<T>> {
  using DataOf<Numbers<T>>::DataOf;
  Numbers<T> work(int) const override {
    return {in.data(),      in.size(),
            out.data(),     {partials.data(), partials_of_these.data()},
            arrived.data(), processors(this->stream().place())};
  }

  std::size_t n = this->extent("n");
  Buffer<T> in = this->input(n, [this, data = data_of(this->problem())](std::uint64_t i) {
    return number<T>(data, this->seed(), i, n);
  });
  Output<T> out{*this, "sum", {1}};
  Workspace<T> partials{*this, partials_of(n)},
      partials_of_these{*this, partials_of(partials.size())};
  Restored<unsigned> arrived{*this, this->input(1, [](std::uint64_t) { return 0u; })};
};

}  // namespace

Algorithm algorithm() {
  return {
      .name = "sum",
      .summary = "sum of n numbers",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .known_defects = known_defects,
      // The numbers; partial sums, one for 256; and what is too small to count.
      .footprint =
          [](const Problem& p) {
            return real(p, "n") * bytes(p.type) * (1 + 1.01 / (one_number * threads)) + 4096;
          },
      .cost = [](const Problem& p) -> Cost {
        return {{(real(p, "n") + 1) * bytes(p.type), "read"}};
      },
      // From bound by the launch to bound by memory, through the slides' 2^16.
      .measured = {.device = "2^28 2^10 2^16 2^22",
                   .device_full = "2^28 2^10..2^30",
                   .host = "2^26 2^10",
                   .host_full = "2^26 2^10..2^28"},
      .host_sizes = {"2^20..2^28", 4},
      .checked = "0|1|2|255|257|65536|65537|99991|1000003|4194304|9000001",
      .drawn = {{0, 300'000, {0,    1,    2,     3,     4,     5,     7,      31,    33,   127,
                              255,  256,  257,   511,   513,   1023,  1024,   1025,  4095, 4097,
                              8191, 8193, 16384, 32769, 65536, 65537, 131071, 270337}}},
      .make = make_instance<Series, Word, float, double>,
      .compare = compare,
      .agreement =
          "i32, and sums of whole numbers while they are exact: equal; else within a derived bound",
      .judge = judge,
      .headline = {.device = {"reduce", "interleaved", "strided", "sequential", "first_add",
                              "warp_finish", "wide_loads", "single_pass"},
                   .host = {"stretches", "reduce", "wide_loads", "single_pass"}},
  };
}

}  // namespace portcost::sum
