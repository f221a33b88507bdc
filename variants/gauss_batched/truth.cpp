// SPDX-License-Identifier: Apache-2.0
// The check of an answer, at any size and without a second elimination: the product of its factors,
// in higher precision, against the given matrices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "src/contract/truth.hpp"
#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/lu_truth.hpp"

namespace portcost::gauss_batched {

namespace {

constexpr double most_products = 4.2e8;                   // for drawn systems
constexpr std::size_t most_bytes = std::size_t{1} << 26;  // of an answer on the host at a time

// `random`: a pivot that one order of products refuses is less than this in another order, or in
// higher precision. Theorem 9.3 does not bound it, so that only plain errors are found.
constexpr double small_pivot = 0x1p-8;

// gamma_(n + 3). Element (i, j) of L U has up to n - 1 products, each rounded once when it is
// subtracted, and theorem 9.3 has one more rounding, of the quotient that is the multiplier. Here
// that rounding is two: of the pivot's reciprocal and of the product with it. The other two are for
// a peer that scales its factors afterwards, one for each factor of a product l u.
template <class T>
double gamma(std::int64_t n) {
  return gamma_of<T>(n + 3);
}

std::vector<int> bad_pivots(const Answer& answer, const Stream& stream) {
  const Array& array = answer.at("bad_pivot");
  return on_host<int>(array, 0, array.count(), stream);
}

// Element (i, j) of L U, and of |L||U|.
template <class T>
struct Product {
  Wide<T> value = 0, worth = 0;
};
template <class T>
Product<T> product(const T* lu, std::int64_t n, std::int64_t i, std::int64_t j) {
  Product<T> result;
  for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
    const Wide<T> term = (k == i ? Wide<T>(1) : Wide<T>{lu[i * n + k]}) * Wide<T>{lu[k * n + j]};
    result.value += term;
    result.worth += std::fabs(term);
  }
  return result;
}

// A system whose pivot in column `bad` was refused: in higher precision the pivot must be small,
// too.
template <class T>
std::string refusal_fault(const Input& input, std::int64_t system, int bad) {
  const std::int64_t n = input.n;
  if (bad < 0 || bad >= n || input.kind != Kind::random) {
    return fmt::format("bad_pivot[{}] is {}, where no pivot is that small", system, bad);
  }
  std::vector<Wide<T>> a(static_cast<std::size_t>(n * n));
  const auto at = [&](std::int64_t i, std::int64_t j) -> Wide<T>& {
    return a[static_cast<std::size_t>(i * n + j)];
  };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) at(i, j) = static_cast<T>(input.at(system, i, j));
  }
  for (std::int64_t k = 0; k < bad; ++k) {
    for (std::int64_t i = k + 1; i < n; ++i) {
      for (std::int64_t j = k + 1; j < n; ++j) at(i, j) -= at(i, k) / at(k, k) * at(k, j);
    }
  }
  const Wide<T> pivot = std::fabs(at(bad, bad));
  if (pivot < small_pivot) return {};
  return fmt::format("bad_pivot[{}] is {}, where the pivot is {:.3g}", system, bad,
                     static_cast<double>(pivot));
}

template <class T>
std::string fault_of(const Input& input, std::int64_t system, const T* lu) {
  const std::int64_t n = input.n;
  const bool exact = input.kind == Kind::integer;
  const double share = exact ? 0 : gamma<T>(n), more = exact ? 0 : lost<T>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (exact) {
        const auto right = static_cast<double>(j < i ? input.element_of_l(system, i, j)
                                                     : input.element_of_u(system, i, j));
        const double is = lu[i * n + j];
        if (is == right) continue;  // NaN is not
        return fmt::format("lu[{}][{}][{}] is {:.9g}, where {:.9g} is right", system, i, j, is,
                           right);
      }
      const Product<T> is = product(lu, n, i, j);
      const Wide<T> right{static_cast<T>(input.at(system, i, j))};
      if (std::fabs(is.value - right) <= share * is.worth + more) continue;  // NaN is not
      return fmt::format("(L U)[{}][{}][{}] is {:.9g}, where {:.9g} was given; allowed {:.3g}",
                         system, i, j, static_cast<double>(is.value), static_cast<double>(right),
                         static_cast<double>(share * is.worth + more));
    }
  }
  return {};
}

// The first fault among the refused pivots of all systems; they are few in a right answer.
template <class T>
std::string refusals_fault(const Input& input, const std::vector<int>& bad) {
  for (std::size_t system = 0; system < bad.size(); ++system) {
    if (bad[system] == -1) continue;
    std::string fault = refusal_fault<T>(input, static_cast<std::int64_t>(system), bad[system]);
    if (!fault.empty()) return fault;
  }
  return {};
}

// The first fault among the drawn systems without a refused pivot. Systems are copied one by one,
// or all at once where they are small.
template <class T>
std::string product_fault(const Input& input, const Array& lu, const std::vector<int>& bad,
                          const std::vector<std::uint64_t>& systems, const Stream& stream) {
  const auto size = static_cast<std::size_t>(input.n * input.n);
  std::vector<T> all;
  if (lu.bytes.size() <= 4 * most_bytes || systems.size() == bad.size()) {
    all = on_host<T>(lu, 0, lu.count(), stream);
  } else {
    for (const std::uint64_t system : systems) {
      const std::vector<T> one =
          on_host<T>(lu, static_cast<std::size_t>(system) * size, size, stream);
      all.insert(all.end(), one.begin(), one.end());
    }
  }
  const bool packed = all.size() != lu.count();
  std::vector<std::string> faults(systems.size());
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t at = 0; at < systems.size(); ++at) {
    const auto system = static_cast<std::size_t>(systems[at]);
    if (bad[system] != -1) continue;
    faults[at] = fault_of(input, static_cast<std::int64_t>(system),
                          all.data() + (packed ? at : system) * size);
  }
  for (const std::string& fault : faults) {
    if (!fault.empty()) return fault;
  }
  return {};
}

// The first row of a system of which two answers are further apart than the bound.
template <class T>
struct Apart {
  std::int64_t row = -1;
  Wide<T> left = 0, right = 0, allowed = 0;
};
template <class T>
Apart<T> apart(const T* one, const T* other, std::int64_t n, std::uint64_t seed) {
  if (std::memcmp(one, other, static_cast<std::size_t>(n * n) * sizeof(T)) == 0) return {};
  Image<T> left(seed), right(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    left.take(one + i * n, static_cast<std::size_t>(n));
    right.take(other + i * n, static_cast<std::size_t>(n));
    const Wide<T> allowed = gamma<T>(n) * (left.worth.back() + right.worth.back()) +
                            2 * lost<T>(n) * static_cast<double>(n);
    if (std::fabs(left.value.back() - right.value.back()) <= allowed) continue;  // NaN is not
    return {i, left.value.back(), right.value.back(), allowed};
  }
  return {};
}

// Compares all systems without a refused pivot, in chunks.
template <class T>
Disagreement compare_images(const Problem& p, const Array& left, const Array& right,
                            const std::vector<int>& bad, const Stream& stream) {
  const auto n = static_cast<std::int64_t>(left.shape[1]);
  const auto size = static_cast<std::size_t>(n * n);
  const std::size_t most = std::max<std::size_t>(1, most_bytes / (size * sizeof(T)));
  Disagreement found;
  for (std::size_t first = 0; first < bad.size(); first += most) {
    const std::size_t count = std::min(most, bad.size() - first);
    const std::vector<T> one = on_host<T>(left, first * size, count * size, stream),
                         other = on_host<T>(right, first * size, count * size, stream);
    std::vector<Apart<T>> rows(count);
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t at = 0; at < count; ++at) {
      if (bad[first + at] != -1) continue;
      rows[at] = apart(one.data() + at * size, other.data() + at * size, n, p.seed);
    }
    for (std::size_t at = 0; at < count; ++at) {
      const Apart<T>& differs = rows[at];
      if (differs.row < 0 || found.unequal++ > 0) continue;
      found.array = left.name;
      found.first = (first + at) * size + static_cast<std::size_t>(differs.row * n);
      found.left = static_cast<double>(differs.left);
      found.right = static_cast<double>(differs.right);
      found.text = fmt::format(
          "row {} of L U of system {}, added up with drawn signs: {:.9g} against {:.9g}, allowed "
          "{:.3g}",
          differs.row, first + at, found.left, found.right, static_cast<double>(differs.allowed));
    }
  }
  return found;
}

// Whether only one of two answers may refuse a pivot of a `random` system: the other answer's pivot
// in that column must be small, too. `bad` and `other` are the two refused columns.
template <class T>
bool may_differ(const Array& left, const Array& right, std::size_t system, int bad, int other,
                const Stream& stream) {
  // As unsigned numbers, so that -1 comes last.
  const bool left_refuses = static_cast<unsigned>(bad) < static_cast<unsigned>(other);
  const int column = left_refuses ? bad : other;
  const auto n = static_cast<std::size_t>(left.shape[1]), k = static_cast<std::size_t>(column);
  if (column < 0 || k >= n) return false;
  const T pivot = on_host<T>(left_refuses ? right : left, (system * n + k) * n + k, 1, stream)[0];
  return std::fabs(pivot) < small_pivot;
}

}  // namespace

Disagreement compare(const Problem& p, const Answer& left, const Answer& right,
                     const Stream& stream) {
  Disagreement found = compare_exact(left, right, stream);
  if (found.agrees() || left.arrays.size() != right.arrays.size()) return found;
  std::vector<int> bad = bad_pivots(left, stream);
  const std::vector<int> others = bad_pivots(right, stream);
  const Array &a = left.at("lu"), &b = right.at("lu");
  const bool comparable = bad.size() == others.size() && a.shape == b.shape && a.type == b.type &&
                          a.shape.size() == 3 && a.shape[0] == bad.size();
  if (!comparable) return found;
  const Kind kind = input_of(p).kind;
  for (std::size_t system = 0; system < bad.size(); ++system) {
    int& one = bad[system];
    const int other = others[system];
    if (one == other) continue;
    const bool left_out = kind == Kind::random && typed(p, [&]<class T>(T) {
                            return may_differ<T>(a, b, system, one, other, stream);
                          });
    if (!left_out) return pivots_differ(system, fmt::format("[{}]", system), one, other);
    one = std::max(one, other);  // as refused by both
  }
  if (kind == Kind::integer) return found;
  return typed(p, [&]<class T>(T) { return compare_images<T>(p, a, b, bad, stream); });
}

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Stream& stream = instance.stream();
  const Input input = input_of(problem);
  const auto n = static_cast<double>(input.n);
  const auto count = static_cast<std::uint64_t>(problem.size.at("count"));
  const double most = std::max(4.0, most_products / (n * n * n));
  const std::vector<std::uint64_t> systems =
      drawn(count, static_cast<std::size_t>(most), problem.seed);
  const Array& lu = answer.at("lu");
  Judgement result{
      fmt::format("L U against the matrices, {} of {} systems, {}, and all bad_pivot",
                  systems.size(), count,
                  input.kind == Kind::integer ? "exactly" : "within gamma_n |L||U|"),
      shape_fault(lu, problem.type, count * static_cast<std::uint64_t>(input.n * input.n))};
  if (result.fault.empty()) {
    result.fault = shape_fault(answer.at("bad_pivot"), ElementType::i32, count);
  }
  if (!result.fault.empty()) return result;
  const std::vector<int> bad = bad_pivots(answer, stream);
  result.fault = typed(problem, [&]<class T>(T) {
    return first_fault([&] { return refusals_fault<T>(input, bad); },
                       [&] { return product_fault<T>(input, lu, bad, systems, stream); });
  });
  return result;
}

}  // namespace portcost::gauss_batched
