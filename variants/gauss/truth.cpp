// SPDX-License-Identifier: Apache-2.0
// The check of an answer, at any size and without a second elimination: the product of its factors,
// in higher precision, against the given matrix; or, where the factors are known exactly, the
// factors themselves. (The right sides are within the bound of lu_truth.hpp too, by theorem 8.5.)
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "src/contract/truth.hpp"
#include "variants/gauss/problem.hpp"
#include "variants/shared/lu_truth.hpp"

namespace portcost::gauss {

namespace {

constexpr double most_products = 4e8;  // for drawn rows

// gamma_(n + 4): one more rounding for the multiplier, whose pivot's reciprocal is rounded, and
// three for a peer that scales its factors afterwards.
template <class T>
double gamma(std::int64_t n) {
  return gamma_of<T>(n + 4);
}

template <class T>
std::vector<T> row_of(const Array& lu, std::size_t row, const Stream& stream) {
  return on_host<T>(lu, row * lu.shape[1], lu.shape[1], stream);
}

// Goes through the rows of an answer once: its image, and the rows of L U that are asked for.
template <class T>
class Rows {
 public:
  Rows(const Array& lu, std::uint64_t seed, const std::vector<std::uint64_t>& asked,
       const Stream& stream)
      : image(seed), columns_(lu.shape[1]), asked_(asked) {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      left.push_back(row_of<T>(lu, static_cast<std::size_t>(asked[i]), stream));
      products.emplace_back(columns_, 0);
      worths.emplace_back(columns_, 0);
    }
    for (std::size_t k = 0; k + 1 < columns_; ++k) {
      const std::vector<T> next = row_of<T>(lu, k, stream);
      image.take(next.data(), columns_);
      take(k, next);
    }
  }

  Image<T> image;
  std::vector<std::vector<T>> left;                    // the answer's rows
  std::vector<std::vector<Wide<T>>> products, worths;  // of L U, and of |L||U|

 private:
  void take(std::size_t k, const std::vector<T>& row) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (k > asked_[i]) continue;
      const Wide<T> l = k == asked_[i] ? 1 : left[i][k];
      for (std::size_t j = k; j < columns_; ++j) {
        const Wide<T> product = l * row[j];
        products[i][j] += product;
        worths[i][j] += std::fabs(product);
      }
    }
  }

  std::size_t columns_;
  const std::vector<std::uint64_t>& asked_;
};

// Compares all elements with the exact factors, where these are known. A sample of rows would not
// do: a launch that comes too early may spoil one tile, or a part of a tile.
template <class T>
std::string exact_fault(const Input& input, const Array& lu, const Stream& stream) {
  const auto right = [&](std::uint64_t at) {
    const auto i = static_cast<std::int64_t>(at) / (input.n + 1);
    const auto j = static_cast<std::int64_t>(at) % (input.n + 1);
    return static_cast<double>(j < i ? input.element_of_l(i, j) : input.element_of_u(i, j));
  };
  const auto wrong =
      first_wrong<T>(lu, stream, [&](std::uint64_t at, double is) { return is == right(at); });
  if (!wrong) return {};
  return wrong_element(lu, wrong->at, fmt::format("{:.9g}", wrong->value),
                       fmt::format("{:.9g}", right(wrong->at)));
}

// The fault of L U, in one line; or, without a fault, its distance from the matrix.
struct Held {
  std::string fault;
  double share = 0;  // the largest part of the bound that was found
  double error = 0;  // norm-wise: the largest sum of a drawn row of |L U - A|, over that of |A|
};

template <class T>
Held hold_product(const Input& input, const Array& lu, const std::vector<std::uint64_t>& rows,
                  const Stream& stream) {
  const Rows<T> found(lu, input.seed, rows, stream);
  const double bound = gamma<T>(input.n), more = lost<T>(input.n);
  const auto given = [&](std::int64_t i, std::int64_t j) {
    return Wide<T>{static_cast<T>(input.at(i, j))};
  };
  Wide<T> share = 0, error = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto i = static_cast<std::int64_t>(rows[at]);
    Wide<T> sum = 0;
    for (std::size_t j = 0; j < lu.shape[1]; ++j) {
      const Wide<T> right = given(i, static_cast<std::int64_t>(j)), is = found.products[at][j];
      const Wide<T> off = std::fabs(is - right), allowed = bound * found.worths[at][j] + more;
      share = std::max(share, off / allowed);
      sum += off;
      if (off <= allowed) continue;  // NaN is not
      return {fmt::format("(L U)[{}][{}] is {:.9g}, where {:.9g} was given; allowed {:.3g}", i, j,
                          static_cast<double>(is), static_cast<double>(right),
                          static_cast<double>(allowed))};
    }
    error = std::max(error, sum);
  }
  // The matrix times x, all rows. Its error is less than the bound, which is for n roundings of T.
  std::int64_t wrong = input.n;
  Wide<T> greatest = 0;
#pragma omp parallel for schedule(static) reduction(min : wrong) reduction(max : share, greatest)
  for (std::int64_t i = 0; i < input.n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    Wide<T> right = 0, size = 0;
    for (std::int64_t j = 0; j <= input.n; ++j) {
      const Wide<T> element = given(i, j);
      right += element * sign_of(input.seed, j);
      size += std::fabs(element);
    }
    const Wide<T> off = std::fabs(found.image.value[row] - right);
    const Wide<T> allowed =
        bound * found.image.worth[row] + more * static_cast<double>(input.n + 1);
    share = std::max(share, off / allowed);
    greatest = std::max(greatest, size);
    if (!(off <= allowed)) wrong = std::min(wrong, i);
  }
  if (wrong < input.n) {
    return {
        fmt::format("row {} of L U, added up with drawn signs, is not that of the matrix", wrong)};
  }
  return {{}, static_cast<double>(share), static_cast<double>(error / greatest)};
}

int bad_pivot_of(const Answer& answer, const Stream& stream) {
  return Elements<int>(answer.at("bad_pivot"), stream)[0];
}

template <class T>
Disagreement compare_images(const Problem& p, const Array& left, const Array& right,
                            const Stream& stream) {
  const Rows<T> one(left, p.seed, {}, stream), other(right, p.seed, {}, stream);
  const auto n = static_cast<std::int64_t>(left.shape[0]);
  Disagreement found;
  for (std::size_t row = 0; row < left.shape[0]; ++row) {
    const Wide<T> allowed = gamma<T>(n) * (one.image.worth[row] + other.image.worth[row]) +
                            2 * lost<T>(n) * static_cast<double>(n + 1);
    const Wide<T> a = one.image.value[row], b = other.image.value[row];
    if (std::fabs(a - b) <= allowed) continue;  // NaN is not
    if (found.unequal++ > 0) continue;
    found.array = left.name;
    found.first = row * left.shape[1];
    found.left = static_cast<double>(a);
    found.right = static_cast<double>(b);
    found.text = fmt::format(
        "row {} of L U, added up with drawn signs: {:.9g} against {:.9g}, allowed {:.3g}", row,
        found.left, found.right, static_cast<double>(allowed));
  }
  return found;
}

}  // namespace

Disagreement compare(const Problem& p, const Answer& left, const Answer& right,
                     const Stream& stream) {
  Disagreement found = compare_exact(left, right, stream);
  if (found.agrees() || left.arrays.size() != right.arrays.size()) return found;
  const int one = bad_pivot_of(left, stream), other = bad_pivot_of(right, stream);
  if (one != other) return pivots_differ(0, "", one, other);
  if (one >= 0) return {};  // what is left in the matrix then means nothing
  const Array &a = left.at("lu"), &b = right.at("lu");
  if (a.shape != b.shape || a.type != b.type || input_of(p).kind == Kind::integer) return found;
  return typed(p, [&]<class T>(T) { return compare_images<T>(p, a, b, stream); });
}

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Stream& stream = instance.stream();
  const Input input = input_of(problem);
  const auto n = static_cast<std::uint64_t>(input.n);
  const auto most = std::clamp(most_products / static_cast<double>(n * n), 2.0, 16.0);
  const std::vector<std::uint64_t> rows =
      drawn(n, static_cast<std::size_t>(most) + 4, problem.seed);
  const bool exact = input.kind == Kind::integer;
  const Array& lu = answer.at("lu");
  Judgement result{
      exact ? "L and U against the factors that the matrix was made of, all elements, exactly"
            : fmt::format("L U against the matrix, {} rows element by element and all added up, "
                          "within gamma_n |L||U|",
                          rows.size()),
      shape_fault(lu, problem.type, n * (n + 1))};
  if (!result.fault.empty()) return result;
  if (const int column = bad_pivot_of(answer, stream); column != -1) {
    result.fault = fmt::format("the pivot of column {} is refused; {}", column,
                               input.kind == Kind::file
                                   ? "where it is that small, the file is no input for elimination "
                                     "that exchanges no rows"
                                   : "none is that small");
    return result;
  }
  const Held held = typed(problem, [&]<class T>(T) {
    return exact ? Held{exact_fault<T>(input, lu, stream)}
                 : hold_product<T>(input, lu, rows, stream);
  });
  result.fault = held.fault;
  if (result.fault.empty() && !exact) {
    result.truth += fmt::format("; largest error {:.3g} of that, norm-wise backward error {:.3g}",
                                held.share, held.error);
  }
  return result;
}

}  // namespace portcost::gauss
