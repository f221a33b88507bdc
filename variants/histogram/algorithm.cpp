// SPDX-License-Identifier: Apache-2.0
// histogram's row: names, sizes, inputs.
#include <fmt/format.h>

#include <array>

#include "src/support/error.hpp"
#include "variants/data.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::histogram {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "keys, fewer than 2^31"},
    SizeKey{"bins", some_bins, 1, std::int64_t{1} << 31, "bins: 64, 256 or 4096", false}};
constexpr std::array parameter_keys{ParameterKey::choice(
    "skew", skew_names, "the keys: uniform, or nine of ten in bin 0 and the rest Zipf-like")};
constexpr std::array types{ElementType::i32};

// The keys, which no run writes to, and the counts, which a run begins with zeroing.
class Counting final : public InstanceOf<Keys> {
 public:
  Counting(const Problem& problem, Stream& stream)
      : InstanceOf(stream),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(static_cast<std::size_t>(problem.size.at("bins")), stream.place()) {
    const auto bins = static_cast<unsigned>(out_.size());
    fill(in_, stream, [=, skew = skew_of(problem), seed = problem.seed](std::uint64_t i) {
      return key_of(skew, seed, i, bins);
    });
  }
  void reset() override { out_.poison(stream()); }
  Answer answer() override { return dense_answer("counts", out_, stream()); }
  bool repeatable() const override { return true; }
  Keys work(int) const override {
    return {in_.data(), static_cast<unsigned>(in_.size()), out_.data(),
            static_cast<unsigned>(out_.size()), processors_};
  }

 private:
  Buffer<unsigned> in_, out_;
  unsigned processors_ = static_cast<unsigned>(processors(stream().place()));
};

Size size_of(std::int64_t n, std::int64_t bins) { return Size({{"n", n}, {"bins", bins}}); }

void validate(const Problem& problem) {
  const std::int64_t n = problem.size.at("n"), bins = problem.size.at("bins");
  if (bins != few_bins && bins != some_bins && bins != many_bins) {
    throw UsageError(
        fmt::format("bins={}: bins must be {}, {} or {}", bins, few_bins, some_bins, many_bins));
  }
  if (n > most_keys) {
    throw UsageError(fmt::format(
        "n={}: counts are 32-bit numbers with a sign, so n must be at most {}", n, most_keys));
  }
}

// From bound by the launch to bound by memory; 256 bins, and the others at the main count.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const std::int64_t main = std::int64_t{1} << (place == Place::device ? 28 : 24);
  std::vector<Size> result{size_of(main, some_bins)};
  if (campaign == Campaign::full) {
    result.push_back(size_of(main, few_bins));
    result.push_back(size_of(main, many_bins));
  }
  const int step = campaign == Campaign::full ? 2 : 4;
  for (int power = 12; std::int64_t{1} << power < main; power += step) {
    result.push_back(size_of(std::int64_t{1} << power, some_bins));
  }
  return result;
}

std::vector<Size> check_sizes() {
  std::vector<Size> result;
  for (const std::int64_t bins : {few_bins, some_bins, many_bins}) {
    for (const std::int64_t n : {0, 1, 3, 8191, 8193, 99991, 2'000'003}) {
      result.push_back(size_of(n, bins));
    }
  }
  return result;
}

Size random_size(std::uint64_t seed) {
  SizeDraw draw(seed);
  const std::int64_t n = draw(
      0, 300'000, {0,    1,    2,    3,    4,    5,    7,    31,   33,   127,   255,   257,
                   1023, 1025, 2047, 2049, 4095, 4097, 8191, 8192, 8193, 16385, 65537, 270337});
  return size_of(n, draw.among({few_bins, some_bins, many_bins}));
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "histogram",
      .summary = "counts of n keys in 64, 256 or 4096 bins",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      .validate = validate,
      // The keys, the counts, two answers, and what is too small to count.
      .footprint = [](const Problem& p) { return 4 * real(p, "n") + 16 * real(p, "bins") + 4096; },
      // Every key is read once, every count written.
      .cost =
          [](const Problem& p) {
            return Cost{{4 * (real(p, "n") + real(p, "bins")), "read"}};
          },
      .sizes = sizes,
      .check_sizes = check_sizes,
      .random_size = random_size,
      .make = make_instance<Counting>,
      .agreement = "equal",
      .judge = judge,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::histogram
