// SPDX-License-Identifier: Apache-2.0
// heat2d over processes: the bytes of the serial reference, for any number of processes.
#include "tests/ranks/support.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_ranks_heat2d {

TEST_CASE("ranks: heat2d's distributed step has the reference's bytes", "[heat2d][ranks]") {
  const Algorithm& row = *find_algorithm("heat2d");
  for (const char* size :
       {"nx=131,ny=97,steps=7", "nx=1,ny=9,steps=3", "nx=40,ny=8,steps=4", "nx=33,ny=1,steps=2"}) {
    check_all_steps(row, 3, size);
  }
  check_all_steps(row, 3, "nx=67,ny=30,steps=5", "alpha=0.5,dt=0.3,dx=1.5");
}

}  // namespace portcost::test::test_ranks_heat2d
