// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/random/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::random {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, most_numbers, "random numbers to make"}};
constexpr std::array parameter_keys{
    ParameterKey::choice("numbers", numbers_names, "uniform in [0, 1), or normal (Box-Muller)"),
    ParameterKey::choice("pool", pool_names, "the generator of Kokkos's pool, XorShift64 or 1024")};

// The numbers, and `own` (a library made the numbers), which compare() and judge() read.
template <class Rule>
struct Numbered final : DataOf<Filling<Rule>> {
  Numbered(const Problem& p, Stream& on) : DataOf<Filling<Rule>>(p, on) {
    this->at_reset([this] { own = false; });
    this->in_answer([this] { return dense_one("own", std::int32_t{own}, this->stream()); });
  }
  Filling<Rule> work(int) const override {
    const auto pool = this->problem().parameters.number_of("pool", pool_names);
    return {out.data(),
            out.size(),
            this->seed(),
            processors(this->stream().place()),
            pool == 0 ? 64 : 1024,
            &own};
  }

  mutable bool own = false;
  Output<typename Rule::T> out{*this, "numbers", {this->extent("n")}};
};

template <class T>
std::unique_ptr<Instance> make_of(const Problem& p, Stream& stream) {
  if (p.parameters.number_of("numbers", numbers_names) == 0) {
    return std::make_unique<Numbered<Rule<T, Kind::uniform>>>(p, stream);
  }
  return std::make_unique<Numbered<Rule<T, Kind::normal>>>(p, stream);
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "random",
      .summary = "n random numbers are made and stored",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      // The numbers, two answers to compare, and 16 MiB for small arrays.
      .footprint = [](const Problem& p) { return 3 * real(p, "n") * bytes(p.type) + (1 << 24); },
      // Every number is written once. No write rate is measured: the limit is the copy rate.
      .cost = [](const Problem& p) -> Cost {
        return {{real(p, "n") * bytes(p.type), "copy"}};
      },
      // At 2^10 numbers pool_setup's time is set-up time.
      .measured = {.device = "2^28 2^10 2^20 2^24",
                   .device_full = "2^28 2^10..2^30",
                   .host = "2^26 2^10 2^20",
                   .host_full = "2^26 2^10..2^28"},
      .host_sizes = {"2^20..2^27", 4},
      .checked = "0|1|3|8191|65537|1000003",
      .drawn = {{0, 200'000, {0,    1,    2,    3,     4,     5,     7,     127,   128,
                              129,  255,  256,  257,   1023,  1024,  1025,  4095,  4097,
                              8191, 8192, 8193, 16383, 16385, 32769, 65537, 131073}}},
      .make =
          [](const Problem& p, Stream& stream) {
            return p.type == ElementType::f64 ? make_of<double>(p, stream)
                                              : make_of<float>(p, stream);
          },
      .compare = compare,
      .agreement =
          "uniform numbers bit for bit, normal ones within derived roundings; a library's own by "
          "statistics with derived bounds",
      .judge = judge,
      .other_answers = {"pool", "pool_setup"},
      .in_default_campaign = false,
  };
}

}  // namespace portcost::random
