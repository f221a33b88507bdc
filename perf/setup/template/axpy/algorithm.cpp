// SPDX-License-Identifier: Apache-2.0
// The row of the catalogue: names, sizes, inputs, cost, and what an answer is held against.
#include <fmt/format.h>

#include <array>

#include "axpy/problem.hpp"
#include "src/contract/truth.hpp"
#include "variants/shared/data.hpp"

namespace portcost::axpy {

namespace {

// The usual Kokkos counts in 32 bits, hence the most.
constexpr std::array size_keys{SizeKey{"n", 1 << 24, 1, 0x7FFF'FFFF, "numbers in each array"}};
constexpr std::array parameter_keys{ParameterKey::real("a", 2.5, "the factor of x")};
constexpr std::array types{ElementType::f32, ElementType::f64};

// Element i of an input, in [1, 2): a function of the seed, so that the judge can make it anew.
template <class T>
T number(std::uint64_t seed, std::uint64_t i) {
  return static_cast<T>(random_bits(seed, i) >> 41) * T{0x1p-23} + 1;
}

// One problem's memory in one place; inputs are never written to.
template <class T>
class Data final : public DataOf<Work<T>> {
 public:
  Data(const Problem& p, Stream& stream)
      : DataOf<Work<T>>(stream),
        x_(filled(count(p, "n"), stream, [&](auto i) { return number<T>(p.seed, 2 * i); })),
        y_(filled(count(p, "n"), stream, [&](auto i) { return number<T>(p.seed, 2 * i + 1); })),
        out_(*this, "out", {x_.size()}),
        a_(static_cast<T>(p.parameters.real("a"))) {}
  Work<T> work(int) const override { return {x_.data(), y_.data(), out_.data(), x_.size(), a_}; }

 private:
  Buffer<T> x_, y_;
  Output<T> out_;
  T a_;
};

// Holds drawn elements against the formula, written out here once more and not taken from rule(),
// so that a mistake there shows.
template <class T>
Judgement judge_as(const Problem& p, const Array& array, const Stream& stream) {
  const auto n = static_cast<std::uint64_t>(p.size.at("n"));
  const auto some = drawn(n, 1024, p.seed);
  Judgement result{fmt::format("{} of {} elements, made anew", some.size(), n),
                   shape_fault(array, element_type_of<T>, n)};
  if (!result.fault.empty()) return result;
  const Elements<T> out(array, stream);
  for (const std::uint64_t i : some) {
    const T x = number<T>(p.seed, 2 * i), y = number<T>(p.seed, 2 * i + 1);
    const T right = std::fma(static_cast<T>(p.parameters.real("a")), x, y);
    if (equal_within(roundings, out[i], right)) continue;
    return {result.truth,
            wrong_element(array, i, fmt::format("{}", out[i]), fmt::format("{}", right))};
  }
  return result;
}

Judgement judge(const Problem& p, std::string_view, const Answer& answer, const Instance& data) {
  const auto judged = p.type == ElementType::f32 ? judge_as<float> : judge_as<double>;
  return judged(p, answer.at("out"), data.stream());
}

// What any code must do at least: each input read once, the output written once.
Cost cost(const Problem& p) { return {{3 * real(p, "n") * bytes(p.type), "copy"}}; }

}  // namespace

Algorithm algorithm() {
  return {
      .name = "axpy",
      .summary = "a times x plus y",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .types = types,
      // In bytes: two inputs, the output, and two answers to compare.
      .footprint = [](const Problem& p) { return 5 * real(p, "n") * bytes(p.type); },
      .cost = cost,
      .measured = {"2^24 2^20"},         // the main size first
      .checked = "1 257 100003",         // small enough for the serial reference
      .drawn = {{1, 6000, {256, 257}}},  // any, for the tests
      .make = make_instance<Data, float, double>,
      .compare = compare_within<roundings>,
      .agreement = roundings == 0 ? "bit for bit" : "within a few roundings",
      .judge = judge,
  };
}

}  // namespace portcost::axpy
