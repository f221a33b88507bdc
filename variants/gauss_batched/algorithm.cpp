// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "src/support/error.hpp"
#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/data.hpp"
#include "variants/shared/lu_input.hpp"

namespace portcost::gauss_batched {

namespace {

constexpr std::array size_keys{SizeKey{"n", 16, 1, most_unknowns, "unknowns of a system"},
                               SizeKey{"count", 100'000, 1, most_systems, "systems"}};
constexpr std::array parameter_keys{
    ParameterKey::choice("matrix", kind_names, "what the coefficients are")};

template <class T>
class Data final : public DataOf<Batch<T>> {
 public:
  Data(const Problem& p, Stream& stream)
      : Data(p.size.at("n"), p.size.at("count"), stream,
             [input = input_of(p), n = p.size.at("n")](std::uint64_t at) {
               const auto in_row = static_cast<std::int64_t>(at);
               return static_cast<T>(input.at(in_row / (n * n), in_row / n % n, in_row % n));
             }) {}
  // element(i): element i of all matrices, system by system and row by row.
  template <class Element>
  Data(std::int64_t n, std::int64_t count, Stream& stream, const Element& element)
      : DataOf<Batch<T>>(stream),
        n_(static_cast<int>(n)),
        count_(static_cast<int>(count)),
        greatest_(greatest_of<T>(n * n * count, element)),
        a_(*this, filled(static_cast<std::size_t>(n * n * count), stream, element)),
        bad_pivot_(*this, "bad_pivot", {static_cast<std::size_t>(count)}) {
    this->in_answer([this] {
      const auto rows = static_cast<std::size_t>(n_);
      return dense("lu", a_.data(), {static_cast<std::size_t>(count_), rows, rows}, this->stream());
    });
  }
  // A second run would have multipliers for its input.
  bool repeatable() const override { return false; }
  Batch<T> work(int) const override {
    return {a_.data(), n_, count_, bad_pivot_.data(), tiny_pivot(greatest_)};
  }

 private:
  int n_, count_;
  T greatest_;
  Restored<T> a_;
  Output<int> bad_pivot_;
};

// The matrices, their copy, and two answers; with cuBLAS an address and a status a system.
double footprint(const Problem& p) {
  const double n = real(p, "n");
  return real(p, "count") * (4 * n * n * bytes(p.type) + 4 * sizeof(int) + sizeof(void*));
}

// Every element is read and written. Each of the (n - 1 - k)^2 elements right of and below pivot k
// takes a multiplication and an addition. Divisions are not counted; a single equation, which takes
// nothing else, counts as one operation.
Cost cost(const Problem& p) {
  const double n = real(p, "n"), count = real(p, "count");
  const double operations = std::max(1.0, (n - 1) * n * (2 * n - 1) / 3);
  return {{2 * n * n * count * bytes(p.type), "copy"}, {operations * count, fma_limit(p)}};
}

constexpr std::string_view no_lapack =
    "LAPACK's LU exchanges rows; none of its routines leaves that out";

}  // namespace

std::int64_t Input::element_of_l(std::int64_t system, std::int64_t i, std::int64_t k) const {
  const std::int64_t first = system * most_unknowns;
  return one_of(lu_small, seed, 101, first + i) * one_of(lu_signs, seed, 102, first + k);
}
std::int64_t Input::element_of_u(std::int64_t system, std::int64_t k, std::int64_t j) const {
  const std::int64_t first = system * most_unknowns;
  if (k == j) return one_of(lu_pivots, seed, 105, first + k);
  return one_of(lu_signs, seed, 103, first + k) * one_of(lu_small, seed, 104, first + j);
}

double Input::at(std::int64_t system, std::int64_t i, std::int64_t j) const {
  if (kind == Kind::integer) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
      sum += (k == i ? 1 : element_of_l(system, i, k)) * element_of_u(system, k, j);
    }
    return static_cast<double>(sum);
  }
  return lu_coefficient(seed, (system * n + i) * n + j, n, kind != Kind::random && i == j);
}

Input input_of(const Problem& p) {
  return {static_cast<Kind>(p.parameters.number_of("matrix", kind_names)), p.seed, p.size.at("n")};
}

template <class T>
std::unique_ptr<Instance> instance_of(std::span<const T> matrices, std::int64_t n, Stream& stream) {
  require(n >= 1 && n <= most_unknowns && !matrices.empty() &&
              matrices.size() % static_cast<std::size_t>(n * n) == 0 &&
              matrices.size() <= static_cast<std::size_t>(n * n * most_systems),
          "not up to most_systems matrices of n by n");
  const auto count = static_cast<std::int64_t>(matrices.size()) / (n * n);
  return std::make_unique<Data<T>>(n, count, stream,
                                   [=](std::uint64_t at) { return matrices[at]; });
}
template std::unique_ptr<Instance> instance_of<float>(std::span<const float>, std::int64_t,
                                                      Stream&);
template std::unique_ptr<Instance> instance_of<double>(std::span<const double>, std::int64_t,
                                                       Stream&);

Algorithm algorithm() {
  return {
      .name = "gauss_batched",
      .summary = "LU factors without pivoting of many small matrices, in place",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = {{"lapack", Model::library, no_lapack}},
      .unequal_work =
          {{"staged", "barriers",
            "a team's barrier waits for the block, where CUDA's code waits for the warp "
            "that a block is"},
           {"lane_grid", "barriers",
            "a team's barrier waits for the block, where CUDA's code waits for the warp "
            "that has the system"}},
      .footprint = footprint,
      .cost = cost,
      // A host takes tens of times as long for a system.
      .measured = {.device = "16|4|8|32|64,100000",
                   .device_full = "16|4|8|32|64,100000 16,1000|10000|1000000 12,100000",
                   .host = "16|4|8|32|64,10000",
                   .host_full = "16|4|8|32|64,10000"},
      .checked = "1,3 2,50 4,300 5,33 8,257 11,20 16,131 17,9 32,35 33,5 63,3 64,10",
      .drawn = {{1, most_unknowns, {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33}},
                {1, 200, {1, 2, 7, 16, 31, 33, 129}}},
      .make = make_instance<Data, float, double>,
      .compare = compare,
      .agreement = "equal, or L U within gamma_n |L||U| (Higham, theorem 9.3)",
      .judge = judge,
      .in_default_campaign = false,
      // The plain step, which the usual forms follow, and the fastest steps.
      .headline = {.device = {"thread_each", "staged", "lane_grid"},
                   .host = {"thread_each", "staged"}},
  };
}

}  // namespace portcost::gauss_batched
