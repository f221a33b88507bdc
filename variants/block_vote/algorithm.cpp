// SPDX-License-Identifier: Apache-2.0
// block_vote's row: names, sizes, inputs.
#include <array>
#include <limits>

#include "variants/block_vote/problem.hpp"
#include "variants/data.hpp"

namespace portcost::block_vote {

namespace {

constexpr std::array size_keys{
    // Fewer than 2^31 tiles.
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "elements, in tiles of 1024"}};
constexpr std::array types{ElementType::f32, ElementType::f64};

// The elements, which no run writes to, and three numbers a tile.
template <class T>
class Flagging final : public InstanceOf<Field<T>> {
 public:
  Flagging(const Problem& problem, Stream& stream)
      : InstanceOf<Field<T>>(stream),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(ceil_div(in_.size(), std::size_t{tile_size}) * numbers, stream.place()) {
    fill(in_, stream, [&](std::uint64_t i) { return element_of<T>(problem.seed, i); });
  }
  void reset() override { out_.poison(this->stream()); }
  Answer answer() override {
    return dense_answer("tiles", out_, this->stream(), {out_.size() / numbers, numbers});
  }
  bool repeatable() const override { return true; }
  Field<T> work(int) const override { return {in_.data(), in_.size(), out_.data()}; }

 private:
  Buffer<T> in_;
  Buffer<int> out_;
};

Size size_of(std::int64_t n) { return Size({{"n", n}}); }

double numbers_in(const Problem& p) { return numbers * (real(p, "n") / tile_size + 1); }

// From bound by the launch to bound by memory.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const std::int64_t main = std::int64_t{1} << (place == Place::device ? 28 : 24);
  std::vector<Size> result{size_of(main)};
  const int step = campaign == Campaign::full ? 2 : 4;
  for (int power = 12; std::int64_t{1} << power < main; power += step) {
    result.push_back(size_of(std::int64_t{1} << power));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(0),    size_of(1),    size_of(1023),   size_of(1024),
          size_of(1025), size_of(4097), size_of(99'991), size_of(4'000'037)};
}

Size random_size(std::uint64_t seed) {
  return size_of(SizeDraw(seed)(
      0, 100'000, {0,    1,    2,    3,    4,    5,    31,   32,   33,    127,   255,   257,
                   1023, 1024, 1025, 1027, 2047, 2048, 4095, 4097, 16383, 16385, 65536, 131073}));
}

}  // namespace

template <class T>
T element_of(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t tile = random_bits(~seed, i / tile_size), r = random_bits(seed, i);
  if ((tile & 1) != 0) return T(0);
  const T fraction = static_cast<T>(static_cast<double>((r >> 40) + 1) * 0x1p-24);  // in (0, 1]
  const bool rare = (r & 63) == 0;
  switch (tile >> 1 & 7) {
    case 0:
      return fraction;
    case 1:
      return rare ? std::numeric_limits<T>::quiet_NaN() : T(0);
    case 2:
      return rare ? -fraction : fraction;
    case 3:
      return rare ? 1 + fraction : T(0);
    case 4:
      return rare ? std::numeric_limits<T>::quiet_NaN() : -fraction;
    default:  // sparse; zeros of both signs
      return (r & 3) == 0 ? fraction : (r & 4) == 0 ? T(0) : -T(0);
  }
}
template float element_of(std::uint64_t, std::uint64_t);
template double element_of(std::uint64_t, std::uint64_t);

Algorithm algorithm() {
  return {
      .name = "block_vote",
      .summary = "of each tile of 1024: how many are not zero, is any NaN, are all in [0, 1]",
      .size_keys = size_keys,
      .types = types,
      // The elements, the numbers and two answers.
      .footprint =
          [](const Problem& p) { return real(p, "n") * bytes(p.type) + 12 * numbers_in(p); },
      // Every element is read once, three numbers a tile are written.
      .cost =
          [](const Problem& p) {
            return Cost{{real(p, "n") * bytes(p.type) + 4 * numbers_in(p), "read"}};
          },
      .sizes = sizes,
      .check_sizes = check_sizes,
      .random_size = random_size,
      .make = make_instance<Flagging, float, double>,
      .agreement = "equal",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::block_vote
