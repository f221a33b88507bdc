// SPDX-License-Identifier: Apache-2.0
// sum's row: names, sizes, inputs.
#include <array>

#include "variants/data.hpp"
#include "variants/sum/known_defects.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", std::int64_t{1} << 28, 0, std::int64_t{1} << 40, "numbers to add"}};
constexpr std::array parameter_keys{ParameterKey::choice("data", data_names, "the numbers")};
constexpr std::array types{ElementType::i32, ElementType::f32, ElementType::f64};

// The numbers, which no run writes to; the answer; and what teams and launches leave each other.
template <class T>
class Series final : public InstanceOf<Numbers<T>> {
 public:
  Series(const Problem& problem, Stream& stream)
      : InstanceOf<Numbers<T>>(stream),
        in_(static_cast<std::size_t>(problem.size.at("n")), stream.place()),
        out_(1, stream.place()),
        partials_{Buffer<T>(partials_of(in_.size()), stream.place()),
                  Buffer<T>(partials_of(partials_of(in_.size())), stream.place())},
        arrived_(1, stream.place()),
        none_arrived_(1, stream.place()) {
    none_arrived_.upload(std::array{0u}, stream);
    fill(in_, stream, [&, data = data_of(problem)](std::uint64_t i) {
      return number<T>(data, problem.seed, i, in_.size());
    });
  }
  void reset() override {
    out_.poison(this->stream());
    for (Buffer<T>& partials : partials_) partials.poison(this->stream());
    arrived_.copy_from(none_arrived_, this->stream());
  }
  Answer answer() override { return dense_answer("sum", out_, this->stream()); }
  bool repeatable() const override { return true; }
  Numbers<T> work(int) const override {
    return {in_.data(),      in_.size(), out_.data(), {partials_[0].data(), partials_[1].data()},
            arrived_.data(), processors_};
  }

 private:
  Buffer<T> in_, out_;
  std::array<Buffer<T>, 2> partials_;
  Buffer<unsigned> arrived_, none_arrived_;
  int processors_ = processors(this->stream().place());
};

Size size_of(std::int64_t n) { return Size({{"n", n}}); }

// From bound by the launch to bound by memory, through the slides' 2^16.
std::vector<Size> sizes(Campaign campaign, Place place) {
  const int main = place == Place::device ? 28 : 26, most = place == Place::device ? 30 : 28;
  std::vector<Size> result{size_of(std::int64_t{1} << main)};
  for (int power = 10; power <= most; ++power) {
    const bool standard = power == 10 || power == 16 || power == 22;
    if (power == main || (campaign == Campaign::standard && !standard)) continue;
    result.push_back(size_of(std::int64_t{1} << power));
  }
  return result;
}

std::vector<Size> check_sizes() {
  return {size_of(0),         size_of(1),         size_of(2),        size_of(255),
          size_of(257),       size_of(65536),     size_of(65537),    size_of(99991),
          size_of(1'000'003), size_of(4'194'304), size_of(9'000'001)};
}

Size random_size(std::uint64_t seed) {
  return size_of(SizeDraw(seed)(
      0, 300'000,
      {0,   1,    2,    3,    4,    5,    7,    31,   33,    127,   255,   256,   257,    511,
       513, 1023, 1024, 1025, 4095, 4097, 8191, 8193, 16384, 32769, 65536, 65537, 131071, 270337}));
}

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
      // Every number is read once, and one value written.
      .cost =
          [](const Problem& p) {
            return Cost{{(real(p, "n") + 1) * bytes(p.type), "read"}};
          },
      .sizes = sizes,
      .check_sizes = check_sizes,
      .random_size = random_size,
      .make = make_instance<Series, Word, float, double>,
      .compare = compare,
      .agreement =
          "i32, and sums of whole numbers while they are exact: equal; else within a derived bound",
      .judge = judge,
  };
}

}  // namespace portcost::sum
