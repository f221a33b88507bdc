// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "variants/block_vote/problem.hpp"
#include "variants/shared/data.hpp"

namespace portcost::block_vote {

namespace {

constexpr std::array size_keys{
    // Fewer than 2^31 tiles.
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "elements, in tiles of 1024"}};

template <class T>
struct Data final : DataOf<Field<T>> {
  using DataOf<Field<T>>::DataOf;
  Field<T> work(int) const override { return {in.data(), in.size(), out.data()}; }

  Buffer<T> in = this->input(this->extent("n"),
                             [this](std::uint64_t i) { return element_of<T>(this->seed(), i); });
  Output<int> out{*this, "tiles", {ceil_div(in.size(), std::size_t{tile_size}), numbers}};
};

double numbers_in(const Problem& p) { return numbers * (real(p, "n") / tile_size + 1); }

}  // namespace

Algorithm algorithm() {
  return {
      .name = "block_vote",
      .summary = "of each tile of 1024: how many are not zero, is any NaN, are all in [0, 1]",
      .size_keys = size_keys,
      .unequal_work = {{"barrier_vote", "barriers",
                        "three votes of a block of CUDA are three barriers; Kokkos has no votes, "
                        "and adds them in scratch before one barrier, after which all threads "
                        "know all three"},
                       {"barrier_vote", "atomic operations",
                        "Kokkos has no votes of a block: its team adds votes up"},
                       {"barrier_vote", "loads",
                        "by the book a compiler does not know that a round's word lies in scratch, "
                        "and loads it as if from any memory"}},
      // The elements, the numbers and two answers.
      .footprint =
          [](const Problem& p) { return real(p, "n") * bytes(p.type) + 12 * numbers_in(p); },
      .cost = [](const Problem& p) -> Cost {
        return {{real(p, "n") * bytes(p.type) + 4 * numbers_in(p), "read"}};
      },
      // From bound by the launch to bound by memory.
      .measured = {.device = "2^28 16^3..16^6",
                   .device_full = "2^28 4^6..4^13",
                   .host = "2^24 16^3..16^5",
                   .host_full = "2^24 4^6..4^11"},
      .checked = "0|1|1023|1024|1025|4097|99991|4000037",
      .drawn = {{0, 100'000, {0,    1,    2,    3,    4,     5,     31,    32,
                              33,   127,  255,  257,  1023,  1024,  1025,  1027,
                              2047, 2048, 4095, 4097, 16383, 16385, 65536, 131073}}},
      .make = make_instance<Data, float, double>,
      .agreement = "equal",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::block_vote
