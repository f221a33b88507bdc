// SPDX-License-Identifier: Apache-2.0
// portcost solve with a matrix: the unknowns of its equations, from a file to a file.

#include <cmath>
#include <cstdio>

#include "perf/solve/solving.hpp"
#include "src/files/equations.hpp"
#include "src/files/matrix_market.hpp"
#include "src/files/npy.hpp"
#include "src/support/reject.hpp"

namespace portcost {

namespace {

constexpr std::string_view smaller = "take a smaller matrix";

struct Equations {
  std::int64_t n;
  Buffer<double> rows;  // n rows of n + 1, as in the files
  MatrixFile::Written read;
};

void check_unknowns(const MatrixFile& file, std::int64_t most, std::string_view algorithm) {
  if (file.rows() != file.columns()) {
    reject(
        "{}: a matrix of {} rows and {} columns is no system of equations: it needs as many rows "
        "as columns",
        file.file(), file.rows(), file.columns());
  }
  if (file.rows() > most) {
    reject("{} has {} unknowns, and {} takes {} at most: {}", file.file(), file.rows(), algorithm,
           most, smaller);
  }
}

// Before anything of n^2 elements is allocated: the equations as they are in the file and in the
// problem's type, what is calculated with, and the answer on the host.
void check_size(const SolveOptions& options, const Algorithm& algorithm, const Problem& problem,
                Place place, std::int64_t n) {
  const double size = static_cast<double>(bytes(problem.type));
  const double elements = static_cast<double>(n) * static_cast<double>(n + 1);
  const double instance = algorithm.footprint(problem);
  const double beside = elements * (8 + (problem.type == ElementType::f64 ? 0 : size));
  const std::string what = fmt::format("{} has {} unknowns, and its equations in {}",
                                       options.matrix, n, name(problem.type));
  const double on_host = beside + (place == Place::host ? instance : elements * size);
  check_memory(what, on_host, place, instance, smaller);
  algorithm.validate(problem);
}

Equations read_equations(const SolveOptions& options, const MatrixFile& file, ElementType type) {
  const std::int64_t n = file.rows();
  Equations equations{n, Buffer<double>(static_cast<std::size_t>(n * (n + 1)), Place::host), {}};
  const std::span<double> rows = equations.rows.span();
  equations.read = file.write(rows, n + 1, type);
  if (!options.rhs.empty()) {
    const std::vector<double> right = read_vector(options.rhs, n, type);
    for (std::int64_t i = 0; i < n; ++i) {
      rows[i * (n + 1) + n] = right[i];
    }
    return equations;
  }
  add_up_right_sides(rows, n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double right = rows[i * (n + 1) + n];
    if (finite_in(type, right)) continue;
    reject(
        "{}: the sum of row {} is not finite in {}: give right sides of "
        "your own, --rhs FILE",
        options.matrix, i + 1, name(type));
  }
  return equations;
}

template <class T>
Solved eliminated(const Equations& equations, const EquationSolver& solver, const Problem& problem,
                  const Variant& variant) {
  const auto make = [&](Stream& stream) {
    if constexpr (std::is_same_v<T, double>) {
      return solver.make(problem, std::as_bytes(equations.rows.span()), stream);
    } else {
      Buffer<T> rows(equations.rows.size(), Place::host);
      for (std::size_t at = 0; at < rows.size(); ++at) {
        rows.data()[at] = static_cast<T>(equations.rows.data()[at]);
      }
      return solver.make(problem, std::as_bytes(rows.span()), stream);
    }
  };
  return solved(problem, variant, make, {"lu", "bad_pivot"});
}

std::string_view in_more_digits(ElementType type) {
  return type == ElementType::f32 ? "; or take --type f64" : "";
}

int refuse_pivot(const SolveOptions& options, ElementType type, std::int64_t column) {
  fmt::print(
      stderr,
      "portcost: {}: the pivot of column {} (from 1) is 0, no greater than a rounding of the "
      "greatest element or than the least normal number, or not finite because elimination "
      "overflowed, and elimination here exchanges no rows (no pivoting): put the rows in an order "
      "in which each diagonal element outweighs the others of its row, or multiply or divide rows "
      "by powers of 2{}; if the matrix is singular, there is no one solution\n",
      options.matrix, column + 1, in_more_digits(type));
  return 1;
}

int refuse_overflow(const SolveOptions& options, ElementType type, std::string_view what) {
  fmt::print(stderr, "portcost: {}: {} is not finite in {}: divide rows by powers of 2{}\n",
             options.matrix, what, name(type), in_more_digits(type));
  return 1;
}

std::string written(const SolveOptions& options, std::span<const double> x) {
  if (options.out.empty()) return "nothing: --out FILE.npy";
  NpyFile out(options.out, options.replace);
  out.write(x);
  out.finish();
  return out.path();
}

std::string nonzeros_text(const Equations& equations) {
  const std::int64_t n = equations.n;
  std::string text = fmt::format("{} of {}", equations.read.nonzeros, n * n);
  if (equations.read.repeated > 0) {
    text += fmt::format(" ({} repeated ones added up)", equations.read.repeated);
  }
  return text;
}

struct Row {
  std::int64_t number;  // from 0
  long double off, allowed;
};

// A solution against its equations.
struct Held {
  long double residual, allowed;  // the greatest rows
  long double scale;              // backward_scale()
  std::optional<Row> beyond;

  // `norm`, of b - A x, as a norm-wise backward error.
  long double error_of(long double norm) const { return norm == 0 ? 0 : norm / scale; }
};

template <class T>
Held held_to(std::span<const double> rows, std::span<const T> lu, std::int64_t n,
             std::span<const double> x) {
  const auto left = residual_of<T>(rows, n, x);
  const auto allowed = residual_allowed<T>(rows, lu, n, x);
  Held result{greatest(left), greatest(allowed), backward_scale(rows, n, x), {}};
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::abs(left[i]) <= allowed[i]) continue;  // NaN is not
    result.beyond = Row{static_cast<std::int64_t>(i), std::abs(left[i]), allowed[i]};
    break;
  }
  return result;
}

int refuse_solution(const SolveOptions& options, const std::string& variant, const Row& row) {
  fmt::print(stderr,
             "portcost: {}: |b - A x| of row {} (from 1) is {:.3g}, where Higham's theorem 9.4 "
             "allows {:.3g}: {} went wrong here, so nothing is written; take another --model\n",
             options.matrix, row.number + 1, row.off, row.allowed, variant);
  return 1;
}

template <class T>
int solve_as(const SolveOptions& options, const Algorithm& algorithm, const Variant& variant,
             const Problem& problem, const Equations& equations, const Clock& clock) {
  const std::int64_t n = equations.n;
  Solved solution = eliminated<T>(equations, *algorithm.equation_solver, problem, variant);
  const int bad_pivot = solution.elements<std::int32_t>("bad_pivot", 1)[0];
  if (bad_pivot >= 0) return refuse_pivot(options, problem.type, bad_pivot);
  const std::span<const double> rows = equations.rows.span();
  const std::span<const T> lu = solution.elements<T>("lu", equations.rows.size());
  const double growth = greatest_left<T>(lu, n) / greatest_coefficient(rows, n);
  if (!std::isfinite(growth)) return refuse_overflow(options, problem.type, "what is left");
  const std::vector<double> x = back_substituted<T>(lu, n);
  for (const double value : x) {
    if (!std::isfinite(value)) return refuse_overflow(options, problem.type, "the solution");
  }
  const Held held = held_to<T>(rows, lu, n, x);
  if (!std::isfinite(held.allowed)) {
    return refuse_overflow(options, problem.type, "the bound of b - A x");
  }
  if (held.beyond) return refuse_solution(options, variant_name(algorithm, variant), *held.beyond);
  const double operations = 2.0 / 3 * std::pow(static_cast<double>(n), 3);

  fmt::print("{} of {}, {}\n", algorithm.name, options.matrix, name(problem.type));
  fmt::print("  unknowns         {}\n", n);
  fmt::print("  nonzeros         {}\n", nonzeros_text(equations));
  fmt::print("  right side       {}\n",
             options.rhs.empty() ? "A times ones (--rhs FILE gives another)" : options.rhs);
  fmt::print("  residual         {:.3g} (||b - A x||)\n", held.residual);
  fmt::print("  backward error   {:.3g} (||b - A x|| / (||A|| ||x|| + ||b||))\n",
             held.error_of(held.residual));
  fmt::print(
      "  allowed          {:.3g} (Higham, theorem 9.4: |b - A x| <= gamma_3n |L||U||x|, row by "
      "row)\n",
      held.error_of(held.allowed));
  if (options.rhs.empty()) {
    const auto [least, most] = std::ranges::minmax(x);
    fmt::print("  error            {:.3g} (of x, which is 1)\n", std::max(1 - least, most - 1));
  }
  fmt::print("  growth factor    {:.4g} (greatest of U / greatest of A; Higham's is no less)\n",
             growth);
  fmt::print("  time             {}, {} (2/3 n^3 / time), {}\n", time_text(solution),
             readable_limit({"", operations / solution.seconds, "FLOP/s"}),
             variant_name(algorithm, variant));
  fmt::print("  written          {}\n", written(options, x));
  fmt::print("  in all           {}\n", readable_time(clock.seconds()));
  return 0;
}

}  // namespace

int solve_equations(const SolveOptions& options, const Algorithm& algorithm) {
  const EquationSolver& solver = *algorithm.equation_solver;
  check_options(options, "--matrix");
  const ElementType type = chosen_type(algorithm, options.type, solver.standard_type);
  if (type == ElementType::i32) {
    throw UsageError("equations are of real numbers: take --type f64 or f32");
  }
  const std::optional<Model> model = model_of(options.model);
  // A model that is not here is said before a file is read.
  variants_here(algorithm, solver.steps, solver.problem(1, type), model);
  if (!options.out.empty()) {
    check_not_read(options.out, options.matrix);
    check_not_read(options.out, options.rhs);
    const NpyFile out(options.out, options.replace);
  }
  const Clock clock;
  auto file = std::make_unique<MatrixFile>(options.matrix);
  check_unknowns(*file, solver.most_unknowns, algorithm.name);
  const Problem problem = solver.problem(file->rows(), type);
  const Variant& variant = chosen_variant(algorithm, solver.steps, problem, model);
  check_size(options, algorithm, problem, variant.place, file->rows());
  const Equations equations = read_equations(options, *file, type);
  file.reset();  // its text may be larger than the matrix
  return type == ElementType::f32
             ? solve_as<float>(options, algorithm, variant, problem, equations, clock)
             : solve_as<double>(options, algorithm, variant, problem, equations, clock);
}

}  // namespace portcost
