// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "src/contract/solvers.hpp"
#include "src/contract/truth.hpp"
#include "src/distributed/path.hpp"
#include "src/files/matrix_market.hpp"
#include "src/support/error.hpp"
#include "variants/gauss/problem.hpp"
#include "variants/shared/data.hpp"
#include "variants/shared/lu_input.hpp"

namespace portcost::gauss {

namespace {

constexpr std::array size_keys{SizeKey{"n", 4096, 1, most_unknowns, "unknowns"}};
constexpr std::int64_t standard_r1 = 64;
constexpr std::array parameter_keys{
    ParameterKey::choice("matrix", kind_names, "what the coefficients are"),
    ParameterKey::path("file", "coefficients from a Matrix Market file, in place of matrix"),
    ParameterKey::whole("r1", standard_r1,
                        "columns a round of block_r1: a divisor of 64, or a multiple of it"),
    ParameterKey::choice("panels", distributed::broadcast_path_names,
                         "distributed: the path of pivot rows to all processes")};

template <class T>
class Data final : public DataOf<System<T>> {
 public:
  Data(const Problem& p, Stream& stream)
      : Data(p.size.at("n"), static_cast<int>(p.parameters.whole("r1")), stream,
             [input = input_of(p)](std::int64_t i, std::int64_t j) {
               return static_cast<T>(input.at(i, j));
             }) {}
  // element(i, j): element j of row i; element n is the right side.
  template <class Element>
  Data(std::int64_t n, int r1, Stream& stream, const Element& element)
      : DataOf<System<T>>(stream),
        n_(n),
        r1_(r1),
        greatest_(greatest_of<T>(n * n, [&](auto i) { return element(i / n, i % n); })),
        a_(*this, rows(stream, element)),
        bad_pivot_(*this, "bad_pivot", {1}) {
    this->in_answer(
        [this] { return dense_rows("lu", a_.data(), pitch(), n_, n_ + 1, this->stream()); });
    this->template sends<T>(a_.initial(), [this] { return a_.data(); });
    this->fetches([this] { return a_.data(); }, a_.bytes());
  }
  // A second run would have multipliers for its input.
  bool repeatable() const override { return false; }
  System<T> work(int) const override {
    return {a_.data(),         static_cast<int>(n_),  static_cast<std::uint32_t>(pitch()),
            bad_pivot_.data(), tiny_pivot(greatest_), r1_};
  }

 private:
  std::int64_t pitch() const { return padded(n_ + 1); }
  template <class Element>
  Buffer<T> rows(const Stream& stream, const Element& element) const {
    return filled(static_cast<std::size_t>(padded(n_) * pitch()), stream,
                  [=, this, pitch = pitch()](std::uint64_t at) {
                    const auto i = static_cast<std::int64_t>(at);
                    return padded_element(element, n_, greatest_, i / pitch, i % pitch);
                  });
  }

  std::int64_t n_;
  int r1_;
  T greatest_;
  Restored<T> a_;
  Output<int> bad_pivot_;
};

// The coefficients of the problem's file, kept for other callers with the same file.
std::shared_ptr<const std::vector<double>> coefficients_of(const Problem& p) {
  static Remembered<std::shared_ptr<const std::vector<double>>> last;
  return last.of(p, {}, [&p] {
    const MatrixFile file(p.parameters.text_of("file"));
    const std::int64_t n = p.size.at("n");
    demand(file.rows() == file.columns() && file.rows() == n,
           fmt::format("file={} has {} rows and {} columns, where n={} has as many of both: {}",
                       file.file(), file.rows(), file.columns(), n,
                       file.rows() == file.columns() ? fmt::format("give --size n={}", file.rows())
                                                     : "name another file"));
    auto result = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n * n));
    file.write(*result, n, p.type);
    return result;
  });
}

bool has_file(const Problem& p) { return !p.parameters.text_of("file").empty(); }

// The equations, their copy (of several processes, a process's rows twice), two answers, and the
// file's coefficients.
double footprint(const Problem& p) {
  const double n = real(p, "n"), pitch = static_cast<double>(padded(p.size.at("n") + 1));
  const double matrices = p.ranks > 0 ? 1 + 2 * tile_row_share(p.size.at("n"), p.ranks) : 2;
  return (matrices * pitch * pitch + 2 * n * (n + 1)) * bytes(p.type) +
         (has_file(p) ? 8 * n * n : 0);
}

void validate(const Problem& p) {
  const std::int64_t r1 = p.parameters.whole("r1");
  const bool divisor = r1 >= 1 && r1 <= flat_tile && flat_tile % r1 == 0;
  const bool multiple = r1 >= flat_tile && r1 <= most_unknowns && r1 % flat_tile == 0;
  demand(divisor || multiple,
         fmt::format("r1={} must be a divisor of {}, or a multiple of it up to {}", r1, flat_tile,
                     most_unknowns));
  // Where memory is too small for it, that is said instead.
  if (has_file(p) && footprint(p) < available_bytes(Place::host)) coefficients_of(p);
}

// Every element is read and written. Each of the (n - 1 - k) (n - k) elements right of and below
// pivot k takes a multiplication and an addition. Divisions are not counted; a single equation,
// which takes nothing else, counts as one operation. A process
// receives U of the others' rows.
Cost cost(const Problem& p) {
  const double n = real(p, "n"), operations = std::max(1.0, 2 * (n - 1) * n * (n + 1) / 3);
  const double share = 1.0 / std::max(1, p.ranks), matrix = n * (n + 1) * bytes(p.type);
  return with_exchange(p, {{2 * matrix * share, "copy"}, {operations * share, fma_limit(p)}},
                       matrix / 2 * (1 - share));
}

// The first `count` numbers of stream `which`, each drawn from a list.
std::vector<std::int64_t> several(std::uint64_t seed, std::uint64_t which, std::int64_t count,
                                  std::span<const std::int64_t> list) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(one_of(list, seed, which, i));
  return result;
}

// The bound on an element of `integer`, and on the sum of an element and any of its products, in
// any order. f32 represents all such integers.
static_assert(4 * most_unknowns + 8 <= 1 << 24);

}  // namespace

std::int64_t Input::element_of_l(std::int64_t i, std::int64_t k) const {
  return p[static_cast<std::size_t>(i)] * q[static_cast<std::size_t>(k)];
}
std::int64_t Input::element_of_u(std::int64_t k, std::int64_t j) const {
  const auto row = static_cast<std::size_t>(k);
  return k == j ? pivots[row] : q[row] * s[static_cast<std::size_t>(j)];
}

double Input::at(std::int64_t i, std::int64_t j) const {
  if (kind == Kind::integer) {
    // The sum over k of l(i, k) u(k, j): each term but the last is p(i) s(j), since q(k)^2 is 1.
    const std::int64_t last = std::min(i, j);
    const std::int64_t l = i == last ? 1 : element_of_l(i, last), u = element_of_u(last, j);
    const std::int64_t each = p[static_cast<std::size_t>(i)] * s[static_cast<std::size_t>(j)];
    return static_cast<double>(each * last + l * u);
  }
  if (kind == Kind::file && j < n) return (*coefficients)[static_cast<std::size_t>(i * n + j)];
  if (kind == Kind::hilbert && j < n) {
    return 1 / static_cast<double>(i + j + 1) + (i == j ? ridge : 0);
  }
  return lu_coefficient(seed, i * (n + 1) + j, n, kind == Kind::dominant && i == j);
}

Input input_of(const Problem& p) {
  Input result{static_cast<Kind>(p.parameters.number_of("matrix", kind_names)), p.seed,
               p.size.at("n"), p.type == ElementType::f64 ? 0x1p-26 : 0x1p-10};
  if (has_file(p)) {
    result.kind = Kind::file;
    result.coefficients = coefficients_of(p);
  }
  if (result.kind != Kind::integer) return result;
  result.p = several(p.seed, 101, result.n, lu_small);
  result.q = several(p.seed, 102, result.n, lu_signs);
  result.s = several(p.seed, 104, result.n + 1, lu_small);
  result.pivots = several(p.seed, 105, result.n, lu_pivots);
  return result;
}

namespace {

Problem problem(std::int64_t unknowns, ElementType type) {
  return {parse_size(fmt::format("n={}", unknowns), size_keys),
          parse_parameters("", parameter_keys), type};
}

std::unique_ptr<Instance> make(const Problem& p, std::span<const std::byte> equations,
                               Stream& stream) {
  const std::int64_t n = p.size.at("n");
  return typed(p, [&]<class T>(T) -> std::unique_ptr<Instance> {
    const std::span<const T> rows(reinterpret_cast<const T*>(equations.data()),
                                  equations.size() / sizeof(T));
    require(n >= 1 && n <= most_unknowns && rows.size() == static_cast<std::size_t>(n * (n + 1)),
            "equations that are not n by n + 1");
    return std::make_unique<Data<T>>(n, static_cast<int>(p.parameters.whole("r1")), stream,
                                     [=](std::int64_t i, std::int64_t j) {
                                       return rows[static_cast<std::size_t>(i * (n + 1) + j)];
                                     });
  });
}

// The fastest first. A GPU that cannot run whole_tile (its shared memory, Variant::unfit) gets the
// next step; tensor_cores is for f64 alone.
std::vector<std::string_view> steps(const Problem&, Model model) {
  if (model == Model::reference) return {"naive"};
  return {"whole_tile",      "tensor_cores", "async_copies", "priorities",
          "delayed_updates", "narrow_tiles", "look_ahead",   "panel"};
}

constexpr EquationSolver equation_solver{.most_unknowns = most_unknowns,
                                         .standard_type = ElementType::f64,
                                         .problem = problem,
                                         .make = make,
                                         .steps = steps};

}  // namespace

Algorithm algorithm() {
  return {
      .name = "gauss",
      .summary = "forward elimination of n equations without pivoting, in place",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = absent_without_mpi({"distributed"}),
      .unequal_work = {{"block_r1", "loads",
                        "in tiles that have pivots' rows or columns CUDA's code issues the load of "
                        "a closed line's multiplier all the same, where Kokkos's branches around "
                        "it"}},
      .validate = validate,
      .footprint = footprint,
      .cost = cost,
      .measured = {.device = "2048 512",
                   .device_full = "4096 256 512 1024 2048 3001 8192",
                   .host = "1024 256",
                   .host_full = "1024 128 256 512 2048"},
      .checked = "1|2|33|65|127|129|200|385",
      .drawn = {{1, 40, {1, 2, 33, 65, 129, 130}}},
      .make = make_instance<Data, float, double>,
      .compare = compare,
      .agreement = "equal, or L U within gamma_n |L||U| (Higham, theorem 9.3)",
      .judge = judge,
      .in_default_campaign = false,
      // The plain step, which the usual forms follow, and the fastest steps.
      .headline = {.device = {"naive", "panel", "look_ahead"}, .host = {"naive", "panel"}},
      .equation_solver = &equation_solver,
  };
}

}  // namespace portcost::gauss
