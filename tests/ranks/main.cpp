// SPDX-License-Identifier: Apache-2.0
// A test program of several processes. Every rank runs every test; rank 0 reports.
#include <catch2/catch_session.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/ranks/support.hpp"

namespace portcost::test {

using namespace portcost::distributed;

namespace {

const Communicator* everybody = nullptr;
std::unique_ptr<Stream> device;

std::unique_ptr<Stream> streams[2];  // on which all ranks work together

bool runs_here(const Variant& variant) {
  return variant.place == Place::host || device_stream() != nullptr;
}

}  // namespace

const Communicator& all_ranks() { return *everybody; }
const Stream* device_stream() { return device.get(); }

void check_on_all(bool condition, const std::string& what) {
  const std::vector<double> held = all_ranks().gathered(condition ? 1.0 : 0.0);
  const auto first = std::ranges::find(held, 0.0);
  INFO("on rank " << first - held.begin() << ": " << what);
  CHECK(first == held.end());
}

std::vector<Setting> settings() {
  const int rank = all_ranks().rank();
  std::vector<Setting> result;
  result.push_back({"one a rank", {{Place::host, 1}}});
  std::vector<Processor> unequal{{Place::host, 1.0 + rank}};
  if (rank % 2 == 0) unequal.push_back({Place::host, 2.5});
  result.push_back({"unequal, two on even ranks", unequal});
  if (!device) return result;
  result.push_back({"GPUs", {{Place::device, 1}}});
  std::vector<Processor> mixed{{Place::device, 3}, {Place::host, 1}};
  if (rank % 3 == 1) mixed = {{Place::host, 2}};
  result.push_back({"GPUs and hosts", mixed});
  return result;
}

double number_of(const Index& point) {
  return 1 + static_cast<double>(point[0]) * 1000003 + static_cast<double>(point[1]) * 1009 +
         static_cast<double>(point[2]);
}

SharedFolder::SharedFolder() {
  std::string mine;
  if (all_ranks().rank() == 0) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "portcost-ranks-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) mine = pattern;
  }
  path_ = all_ranks().from_first(mine);
}

SharedFolder::~SharedFolder() {
  all_ranks().barrier();
  std::error_code ignored;
  if (all_ranks().rank() == 0) std::filesystem::remove_all(path_, ignored);
}

Stream& shared_stream(Place place) { return *streams[place == Place::device ? 1 : 0]; }

Answer right_answer(const Algorithm& row, const Problem& problem) {
  Stream host(Place::host);
  const auto instance = row.make(problem, host);
  return run_afresh(*instance, *reference_of(row, {}).make(problem, *instance));
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
        difference = row.compare(problem, answer, right, shared_stream(Place::host)).text;
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

int main(int argc, char** argv) {
  using namespace portcost;
  return distributed::run_ranks(argc, argv, [&](const distributed::Communicator& ranks) {
    test::everybody = &ranks;
    if (device_present()) {
      distributed::select_device(ranks, true);
      test::device = std::make_unique<Stream>(Place::device);
      test::streams[1] = std::make_unique<Stream>(Place::device, ranks);
    }
    test::streams[0] = std::make_unique<Stream>(Place::host, ranks);
    std::optional<KokkosGuard> kokkos(std::in_place);  // its streams live a little longer
    if (ranks.rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) return 3;
    const int failed = Catch::Session().run(argc, argv);
    kokkos.reset();
    for (auto& stream : test::streams) stream.reset();
    test::device.reset();
    return failed;
  });
}
