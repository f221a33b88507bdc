// SPDX-License-Identifier: Apache-2.0
#include "tests/ranks/variants.hpp"

#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "src/timing/stopwatch.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::test {

namespace {

// Kokkos lives as long as the tests, and its streams a little longer.
std::unique_ptr<Stream> streams[2];
std::unique_ptr<KokkosGuard> kokkos;

class Life final : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    streams[0] = std::make_unique<Stream>(Place::host, all_ranks());
    if (device_stream() != nullptr) {
      streams[1] = std::make_unique<Stream>(Place::device, all_ranks());
    }
    kokkos = std::make_unique<KokkosGuard>();
  }
  void testRunEnded(const Catch::TestRunStats&) override {
    kokkos.reset();
    for (auto& stream : streams) stream.reset();
  }
};

bool runs_here(const Variant& variant) {
  return variant.place == Place::host || device_stream() != nullptr;
}

}  // namespace

CATCH_REGISTER_LISTENER(Life)

Stream& shared_stream(Place place) { return *streams[place == Place::device ? 1 : 0]; }

Problem problem_of(const Algorithm& row, const std::string& size, const std::string& parameters,
                   ElementType type) {
  return {parse_size(size, row.size_keys), parse_parameters(parameters, row.parameter_keys), type,
          3};
}

Answer right_answer(const Algorithm& row, const Problem& problem) {
  Stream host(Place::host);
  const auto instance = row.make(problem, host);
  const auto execution = reference_of(row, {}).make(problem, *instance);
  instance->reset();
  Subject{instance.get(), execution.get(), Sync::end}.run();
  return instance->answer();
}

Answer answer_of(const Algorithm& row, const Problem& problem, const Variant& variant, int late) {
  Stream& stream = shared_stream(variant.place);
  const auto instance = row.instance(problem, stream);
  const auto execution = variant.make(problem, *instance);
  for (int turn = 0; turn < 2; ++turn) {  // what a run leaves must not reach the next
    if (late >= 0) all_ranks().barrier();
    if (all_ranks().rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    // Here, so that what others have written without waiting for the late one is lost.
    instance->reset();
    if (late >= 0) stream.synchronize();
    Subject{instance.get(), execution.get(), Sync::end}.run();
    stream.synchronize();
  }
  return instance->answer();
}

int check_all_steps(const Algorithm& row, std::size_t least, const std::string& size,
                    const std::string& parameters) {
  REQUIRE(row.over_ranks.size() >= least);
  int ran = 0;
  for (const ElementType type : row.types) {
    Problem problem = problem_of(row, size, parameters, type);
    const Answer right = right_answer(row, problem);
    problem.ranks = all_ranks().size();
    for (const Variant& variant : row.over_ranks) {
      if (!runs_here(variant) || !variant.unfit(problem).empty()) continue;
      const Answer answer = answer_of(row, problem, variant);
      ++ran;
      std::string difference;
      if (all_ranks().rank() == 0) {
        difference = compare_exact(answer, right, shared_stream(Place::host)).text;
      } else if (!answer.arrays.empty()) {
        difference = "an answer that is rank 0's";
      }
      INFO(variant_name(row, variant) << " " << size << " " << parameters << ": " << difference);
      CHECK_ON_ALL(difference.empty());
    }
  }
  return ran;
}

}  // namespace portcost::test
