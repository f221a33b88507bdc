// SPDX-License-Identifier: Apache-2.0
// divergence's row: names, sizes, inputs.
#include <array>

#include "variants/data.hpp"
#include "variants/divergence/problem.hpp"

namespace portcost::divergence {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", 1 << 24, 1, most_numbers, "numbers"},
    SizeKey{"diverging", lanes / 2, 0, lanes, "lanes of 32 that take the other branch", false},
    SizeKey{"trip", 4, 0, 1 << 20, "stretches of 16 multiply-adds in a trip; a branch has 8 trips",
            false}};
constexpr std::array types{ElementType::f32};

// The numbers, which no run writes to, and what they become.
class Numbers final : public InstanceOf<Work> {
 public:
  Numbers(const Problem& problem, Stream& stream)
      : InstanceOf(stream),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(in_.size(), stream.place()),
        diverging_(static_cast<unsigned>(problem.size.at("diverging"))),
        trip_(static_cast<unsigned>(problem.size.at("trip"))) {
    fill(in_, stream, [&](std::uint64_t i) { return number(problem.seed, i); });
  }
  void reset() override { out_.poison(stream()); }
  Answer answer() override { return dense_answer("out", out_, stream()); }
  bool repeatable() const override { return true; }
  Work work(int) const override { return {in_.data(), out_.data(), in_.size(), diverging_, trip_}; }

 private:
  Buffer<float> in_, out_;
  unsigned diverging_, trip_;
};

Size size_of(std::int64_t n, std::int64_t diverging, std::int64_t trip) {
  return Size({{"n", n}, {"diverging", diverging}, {"trip", trip}});
}

// What a warp with all lanes on one path, or making 8 trips, has to do.
Cost cost(const Problem& p) {
  const double n = real(p, "n"), length = most_trips * stretch_length * real(p, "trip");
  return {{2 * n * sizeof(float), "copy"}, {2 * n * length, "fma f32"}};
}

// From none to all lanes on the other branch; the main size has half of them there.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const std::int64_t n = place == Place::device ? 1 << 24 : 1 << 20;
  std::vector<Size> result{size_of(n, lanes / 2, 4)};
  const auto sweep = campaign == Campaign::full
                         ? std::vector<std::int64_t>{0, 1, 2, 4, 8, 24, 28, 30, 31, 32}
                         : std::vector<std::int64_t>{0, 1, 32};
  for (const std::int64_t diverging : sweep) result.push_back(size_of(n, diverging, 4));
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(1, 16, 1),   size_of(31, 7, 1),    size_of(1024, 0, 2),    size_of(1024, 32, 2),
          size_of(1025, 1, 3), size_of(4099, 31, 1), size_of(100'003, 16, 4)};
}

Size random_size(std::uint64_t seed) {
  SizeDraw draw(seed);
  const std::int64_t n = draw(1, 6000, {1, 31, 32, 33, 1023, 1024, 1025, 4099});
  const std::int64_t diverging = draw(0, lanes);
  return size_of(n, diverging, draw(0, 3));
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "divergence",
      .summary = "branches and loops that the lanes of a warp take differently",
      .size_keys = size_keys,
      .types = types,
      // Numbers, results, and two answers to compare.
      .footprint = [](const Problem& p) { return 4 * sizeof(float) * real(p, "n"); },
      .cost = cost,
      .sizes = sizes,
      .check_sizes = check_sizes,
      .random_size = random_size,
      .make = make_instance<Numbers>,
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::divergence
