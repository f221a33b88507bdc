// SPDX-License-Identifier: Apache-2.0
// The table of steps that a model's file hands over, and how the catalogue joins the tables of all
// models to an algorithm. Plain C++.
//
// A model's file (cuda.cu, kokkos/wide.cpp, ...) defines one function named after its path,
//
//   Rungs kokkos_wide_rungs() {
//     return {rung(works, "single_pass", [](const auto& s, const Stream& on) { single_pass(s, on);
//     })};
//   }
//
// and that is all that names its steps. `works` (problem.hpp) lists what a variant's function may
// be given, a type each; which of them it is given is up to the instance.
#pragma once

#include "src/contract/algorithm.hpp"

namespace portcost {

/// An instance whose variants are given a Work: the problem as a variant's function receives it, a
/// small struct of sizes and of raw pointers into the instance.
template <class Work>
class InstanceOf : public Instance {
 public:
  using Instance::Instance;
  virtual Work work(int phase) const = 0;
  virtual int phases() const { return 1; }
  /// Called before a phase is enqueued, to exchange halos, say.
  virtual void before(int) {}
  /// Called when a phase has been enqueued: grids swap, say.
  virtual void enqueued(int) {}
  /// As Execution has them, for work until convergence.
  virtual bool ends(int) { return false; }
  virtual bool queued_ahead() const { return true; }
};

/// A variant's function: enqueues one phase.
template <class Work>
using Launch = std::function<void(const Work&, const Stream&)>;

/// The types of work that an algorithm's instances give to variants.
template <class... Work>
struct Works {};

namespace detail {

template <class Work>
class Runner final : public Execution {
 public:
  Runner(InstanceOf<Work>& instance, Launch<Work> launch)
      : instance_(instance), launch_(std::move(launch)) {}
  int phases() const override { return instance_.phases(); }
  void run(int phase) override {
    instance_.before(phase);
    launch_(instance_.work(phase), instance_.stream());
    instance_.enqueued(phase);
  }
  bool ends(int phase) override { return instance_.ends(phase); }
  bool queued_ahead() const override { return instance_.queued_ahead(); }

 private:
  InstanceOf<Work>& instance_;
  Launch<Work> launch_;
};

/// Makes a variant ready on an instance; null when the instance has another type of work.
using Maker = std::function<std::unique_ptr<Execution>(Instance&)>;

template <class Work, class F>
Maker maker(const F& f) {
  return [f](Instance& instance) -> std::unique_ptr<Execution> {
    auto* const held = dynamic_cast<InstanceOf<Work>*>(&instance);
    if (held == nullptr) return nullptr;
    using Result = std::invoke_result_t<F, const Work&, const Stream&>;
    if constexpr (std::is_void_v<Result>) {
      return std::make_unique<Runner<Work>>(*held, f);
    } else if constexpr (std::is_same_v<Result, Launch<Work>>) {
      return std::make_unique<Runner<Work>>(*held, f(held->work(0), instance.stream()));
    } else {  // a variant with memory of its own
      return f(held->work(0), instance.stream());
    }
  };
}

}  // namespace detail

struct Rung {
  std::string_view step;
  std::vector<detail::Maker> makers = {};  // one a type of work
  std::vector<std::any> launches = {};     // a Launch<Work> each
  std::string_view absent = {};            // why this build does not have it; empty: it has
  Way way = Way::tuned;
  std::string_view dials = {};
  Unfit unfit = {};

  /// The same step, but not for the problems of which `why_not` gives a reason.
  Rung unless(Unfit why_not) && {
    unfit = std::move(why_not);
    return std::move(*this);
  }
  /// The same step, written another way.
  Rung written(Way other, std::string_view turned = {}) && {
    way = other;
    dials = turned;
    return std::move(*this);
  }
};
using Rungs = std::vector<Rung>;

/// A step, by the function that is called with one of the types of work and a stream: it enqueues
/// the work, or returns what does, made ready for the memory of phase 0: a Launch<Work>, or a
/// std::unique_ptr<Execution> (which owns memory).
template <class... Work, class F>
Rung rung(Works<Work...>, std::string_view step, const F& f) {
  Rung result{step};
  result.makers = {detail::maker<Work>(f)...};
  const auto keep = [&]<class W>(Works<W>) {
    if constexpr (std::is_void_v<std::invoke_result_t<F, const W&, const Stream&>>) {
      result.launches.emplace_back(Launch<W>(f));
    }
  };
  (keep(Works<Work>()), ...);
  return result;
}

inline Rung absent_rung(std::string_view step, std::string_view reason) {
  Rung result{step};
  result.absent = reason;
  return result;
}

/// Why a build without MPI does not have a step over processes.
inline constexpr std::string_view needs_mpi =
    "this was built without MPI, which perf/prepare --mpi installs";

struct Table {
  Model model;
  Place place;
  bool portable;  // written in Kokkos
  Rungs rungs;
  bool over_ranks = false;  // Variant
};

/// The algorithm with the variants of all tables. Its ladder has the steps of all tables but
/// peers', each table's in its own order; where tables fix no order or contradict each other, the
/// earlier table decides. What the algorithm lists as absent and a table has is not absent.
Algorithm assembled(Algorithm algorithm, std::span<const Table> tables);

/// The function of a variant for one type of work; empty when it takes none such.
template <class Work>
Launch<Work> launch_of(const Variant& variant) {
  for (const std::any& launch : variant.launches) {
    if (const auto* held = std::any_cast<Launch<Work>>(&launch)) return *held;
  }
  return {};
}

}  // namespace portcost
