// SPDX-License-Identifier: Apache-2.0
// Common to what `portcost solve` does: which variant runs, and running it once on a user's data.
#pragma once

#include "perf/command/commands.hpp"
#include "src/contract/solvers.hpp"

namespace portcost {

/// The model that is called so; none where the name is empty. Throws UsageError for other names.
std::optional<Model> model_of(const std::string& name);

/// The variants that run here, the fastest first: of `model`, or else of the native model where
/// that is. Throws UsageError where there is none. Which there are does not depend on the size.
std::vector<const Variant*> variants_here(const Algorithm& algorithm, StepsOf steps,
                                          const Problem& problem,
                                          const std::optional<Model>& model);
/// The first of them that takes the problem (Variant::unfit). Throws UsageError, with the reason of
/// the fastest, where none does.
const Variant& chosen_variant(const Algorithm& algorithm, StepsOf steps, const Problem& problem,
                              const std::optional<Model>& model);

/// The type that is named, or else the standard one.
ElementType chosen_type(const Algorithm& algorithm, const std::string& named, ElementType standard);

/// Throws UsageError where the bytes that are needed on the host, or of an instance in its place,
/// are more than are free: `what` needs them, and `remedy` is what to do.
void check_memory(const std::string& what, double on_host, Place place, double instance,
                  std::string_view remedy);

/// Throws UsageError where an option is given that this algorithm has no use for, or its file is
/// not: `file` is the option that names it; "--size" of one that reads none.
void check_options(const SolveOptions& options, std::string_view file);

/// Throws UsageError where a file would be overwritten that is read.
void check_not_read(const std::string& out, const std::string& read);

/// What one run has left, on the host.
struct Solved {
  std::vector<Array> arrays;
  double seconds = 0;

  /// The elements of the array called `name`, of which there must be so many.
  template <class T>
  std::span<T> elements(std::string_view name, std::size_t count) {
    Array& array = this->array(name);
    require_count(array, element_type_of<T>, count);
    return {reinterpret_cast<T*>(array.bytes.data()), count};
  }
  /// The array called `name`; throws Failure when there is none.
  Array& array(std::string_view name);

 private:
  static void require_count(const Array& array, ElementType type, std::size_t count);
};

/// Runs it and waits after each phase; on stderr says which iteration begins, as the field's solver
/// (null: none) tells, where `speaks`.
void run_told(const Problem& problem, Instance& instance, Execution& execution,
              const FieldSolver* solver, bool speaks = true);

/// Makes an instance, runs the variant on it once and copies those arrays of its answer that
/// `wanted` names.
Solved solved(const Problem& problem, const Variant& variant,
              const std::function<std::unique_ptr<Instance>(Stream&)>& make,
              const std::vector<std::string_view>& wanted, const FieldSolver* solver = nullptr);

/// How long that took: "412 us (one run, the first)".
std::string time_text(const Solved& solution);

int solve_graph(const SolveOptions& options, const Algorithm& algorithm);
int solve_equations(const SolveOptions& options, const Algorithm& algorithm);
int solve_field(const SolveOptions& options, const Algorithm& algorithm);

}  // namespace portcost
