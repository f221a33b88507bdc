// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with (variants/shared/heat_truth.hpp).
#include "variants/heat2d/problem.hpp"
#include "variants/shared/heat_truth.hpp"

namespace portcost::heat2d {

namespace {

template <class T>
HeatTruth make_truth(const Problem& problem) {
  const Parameters& p = problem.parameters;
  const auto coefficient = [&](double d) {
    return static_cast<double>(static_cast<T>(p.real("alpha") * p.real("dt") / (d * d)));
  };
  return heat_truth<T>(problem, coefficient(p.real("dx")), coefficient(p.real("dy")));
}

}  // namespace

Judgement judge(const Problem& problem, std::string_view, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("temperature");
  static Remembered<HeatTruth> remembered;
  const std::int64_t nx = problem.size.at("nx"), ny = problem.size.at("ny");
  const HeatTruth& truth = remembered.of(problem, {}, [&] {
    return typed(problem, [&]<class T>(T) { return make_truth<T>(problem); });
  });
  return held(problem, truth.told(), array, static_cast<std::uint64_t>(nx * ny), [&]<class T>(T) {
    return node_fault<T>(truth.nodes, truth.allowed, nx, array, instance.stream());
  });
}

}  // namespace portcost::heat2d
