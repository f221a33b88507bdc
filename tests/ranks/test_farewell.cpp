// SPDX-License-Identifier: Apache-2.0
// Nobody goes before all have closed what they had of its.
#include <chrono>
#include <thread>

#include "src/distributed/farewell.hpp"
#include "tests/ranks/support.hpp"

namespace portcost::test::test_farewell {

using namespace portcost::distributed;

namespace {

// Equal on all ranks, which are of one computer.
double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

TEST_CASE("a rank parts when its partners have", "[farewell]") {
  const int rank = all_ranks().rank(), ranks = all_ranks().size();
  // Its neighbours on a line.
  std::vector<int> partners;
  for (const int one : {rank - 1, rank + 1}) {
    if (one >= 0 && one < ranks) partners.push_back(one);
  }
  Farewell farewell;
  farewell.meet(all_ranks(), partners);
  std::this_thread::sleep_for(std::chrono::milliseconds(50 * rank));
  const double begin = now_s();
  farewell.part();
  const double end = now_s();
  const std::vector<double> all = all_ranks().gathered(begin);
  bool after = true;
  for (const int one : partners) after = after && end >= all[static_cast<std::size_t>(one)];
  CHECK_ON_ALL(after);
  const double again = now_s();
  farewell.part();  // does nothing
  CHECK_ON_ALL(now_s() - again < 1);
}

}  // namespace portcost::test::test_farewell
