// SPDX-License-Identifier: Apache-2.0
// A test program of several processes. Every rank runs every test; rank 0 reports.
#include <algorithm>
#include <catch2/catch_session.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "src/distributed/communicator.hpp"
#include "src/memory/place.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test {

using namespace portcost::distributed;

namespace {

const Communicator* everybody = nullptr;
std::unique_ptr<Stream> device;

}  // namespace

const Communicator& all_ranks() { return *everybody; }
const Stream* device_stream() { return device.get(); }

void check_on_all(bool condition, const std::string& what) {
  const std::vector<double> held = all_ranks().gathered(condition ? 1.0 : 0.0);
  const auto first = std::find(held.begin(), held.end(), 0.0);
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

}  // namespace portcost::test

int main(int argc, char** argv) {
  using namespace portcost;
  return distributed::run_ranks(argc, argv, [&](const distributed::Communicator& ranks) {
    test::everybody = &ranks;
    if (device_present()) {
      distributed::select_device(ranks, true);
      test::device = std::make_unique<Stream>(Place::device);
    }
    if (ranks.rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) return 3;
    const int failed = Catch::Session().run(argc, argv);
    test::device.reset();
    return failed;
  });
}
