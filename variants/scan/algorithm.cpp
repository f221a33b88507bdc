// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/scan/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::scan {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "numbers to scan"}};
constexpr std::array types{ElementType::i32, ElementType::f32, ElementType::f64};

template <class T>
struct Series final : DataOf<Sequence<T>> {
  using DataOf<Sequence<T>>::DataOf;
  Sequence<T> work(int) const override {
    return {in.data(),
            n,
            out.data(),
            totals.data(),
            states.data(),
            counters.data(),
            processors(this->stream().place())};
  }

  std::size_t n = this->extent("n");
  std::size_t tiles =
      std::max(1u, this->stream().place() == Place::device ? tiles_of<T, Place::device>(n)
                                                           : tiles_of<T, Place::host>(n));
  Buffer<T> in =
      this->input(n, [seed = this->seed()](std::uint64_t i) { return number<T>(seed, i); });
  Output<T> out{*this, "sums", {n}};
  Workspace<T> totals{*this, tiles};
  Restored<std::uint64_t> states{*this, zeros<std::uint64_t>(tiles* State<T>::words)};
  Restored<unsigned> counters{*this, zeros<unsigned>(2)};

 private:
  template <class U>
  Buffer<U> zeros(std::size_t many) {
    return this->input(many, [](std::uint64_t) { return U(0); });
  }
};

}  // namespace

Algorithm algorithm() {
  return {
      .name = "scan",
      .summary = "inclusive scan (prefix sums) of n numbers",
      .size_keys = size_keys,
      .types = types,
      // Numbers and sums; two answers to compare; totals, states and what is too small to count.
      .footprint = [](const Problem& p) { return 4.01 * real(p, "n") * bytes(p.type) + 4096; },
      .cost = [](const Problem& p) -> Cost {
        return {{2 * real(p, "n") * bytes(p.type), "copy"}};
      },
      // From bound by the launch to bound by memory.
      .measured = {.device = "2^28 2^10 2^16 2^22",
                   .device_full = "2^28 2^10..2^28",
                   .host = "2^26 2^10 2^16 2^22",
                   .host_full = "2^26 2^10..2^26"},
      .host_sizes = {"2^20..2^27", 4},
      .checked = "0|1|2|6143|6145|65537|1000003|9000001",
      .drawn = {{0, 300'000, {0,     1,     2,     3,     5,      31,     255,   257,  1023,
                              1025,  3071,  3073,  6143,  6144,   6145,   8191,  8193, 12289,
                              16383, 16385, 32769, 65537, 131073, 196608, 270337}}},
      .make = make_instance<Series, Word, float, double>,
      .agreement = "bit for bit: all sums are exact in any order",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::scan
