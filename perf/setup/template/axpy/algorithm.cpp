// SPDX-License-Identifier: Apache-2.0
// The row of the catalogue: names, sizes, inputs, cost, and what an answer is held against.
#include <fmt/format.h>

#include <array>

#include "axpy/problem.hpp"
#include "src/contract/truth.hpp"
#include "variants/data.hpp"

namespace portcost::axpy {

namespace {

constexpr std::array size_keys{
    SizeKey{"n", 1 << 24, 1, std::int64_t{1} << 36, "numbers in each array"}};
constexpr std::array parameter_keys{ParameterKey::real("a", 2.5, "the factor of x")};
constexpr std::array types{ElementType::f32, ElementType::f64};

// Element i of an input, in [1, 2): a function of the seed, so that the judge can make it anew.
template <class T>
T number(std::uint64_t seed, std::uint64_t i) {
  return static_cast<T>(random_bits(seed, i) >> 41) * T{0x1p-23} + 1;
}

// One problem's memory in one place; inputs are never written to.
template <class T>
class Data final : public InstanceOf<Work<T>> {
 public:
  Data(const Problem& p, Stream& stream)
      : InstanceOf<Work<T>>(stream),
        x_(static_cast<std::size_t>(p.size.at("n")), stream.place()),
        y_(x_.size(), stream.place()),
        out_(x_.size(), stream.place()),
        a_(static_cast<T>(p.parameters.real("a"))) {
    fill(x_, stream, [&](std::uint64_t i) { return number<T>(p.seed, 2 * i); });
    fill(y_, stream, [&](std::uint64_t i) { return number<T>(p.seed, 2 * i + 1); });
  }
  void reset() override { out_.poison(this->stream()); }
  Answer answer() override { return dense_answer("out", out_, this->stream()); }
  bool repeatable() const override { return true; }
  Work<T> work(int) const override { return {x_.data(), y_.data(), out_.data(), x_.size(), a_}; }

 private:
  Buffer<T> x_, y_, out_;
  T a_;
};

// Drawn elements, made anew from the inputs. The formula is written out here once more and not
// taken from rule(), so that a mistake there shows.
template <class T>
Judgement judge_as(const Problem& p, const Array& array, const Stream& stream) {
  const auto n = static_cast<std::uint64_t>(p.size.at("n"));
  const auto a = static_cast<T>(p.parameters.real("a"));
  const auto some = drawn(n, 1024, p.seed);
  Judgement result{fmt::format("{} of {} elements, made anew", some.size(), n),
                   shape_fault(array, element_type_of<T>, n)};
  if (!result.fault.empty()) return result;
  const Elements<T> found(array, stream);
  for (const std::uint64_t i : some) {
    const T right = std::fma(a, number<T>(p.seed, 2 * i), number<T>(p.seed, 2 * i + 1));
    if (found[i] == right) continue;
    result.fault = wrong_element(array, i, fmt::format("{}", found[i]), fmt::format("{}", right));
    break;
  }
  return result;
}

Judgement judge(const Problem& p, std::string_view, const Answer& answer, const Instance& data) {
  const Array& out = answer.at("out");
  return p.type == ElementType::f32 ? judge_as<float>(p, out, data.stream())
                                    : judge_as<double>(p, out, data.stream());
}

Size size_of(std::int64_t n) { return Size({{"n", n}}); }

}  // namespace

Algorithm algorithm() {
  return {
      .name = "axpy",
      .summary = "a times x plus y",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      // Two inputs, the output, and two answers to compare.
      .footprint = [](const Problem& p) { return 5 * real(p, "n") * bytes(p.type); },
      // What any code must do at least: each input read once, the output written once.
      .cost =
          [](const Problem& p) {
            return Cost{{3 * real(p, "n") * bytes(p.type), "copy"}};
          },
      .sizes =
          [](Campaign, Place) {
            return std::vector{size_of(1 << 24), size_of(1 << 20)};
          },
      .check_sizes =
          [] {
            return std::vector{size_of(1), size_of(257), size_of(100'003)};
          },
      .random_size =
          [](std::uint64_t seed) {
            return size_of(SizeDraw(seed)(1, 6000, {255, 256, 257}));
          },
      .make = make_instance<Data, float, double>,
      .judge = judge,
  };
}

}  // namespace portcost::axpy
