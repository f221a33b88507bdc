// SPDX-License-Identifier: Apache-2.0
#include "tests/transfer_kernels.hpp"

#include "variants/transfer_bandwidth/kokkos/packs.hpp"
#include "variants/transfer_batching/kokkos/teams.hpp"

namespace portcost::test {

void copy_packs_by_teams(Way way, const transfer_bandwidth::KernelEnds& ends, const Stream& host) {
  if (way == Way::tuned) {
    transfer_bandwidth::copy_packs(ends, host);
  } else {
    transfer_bandwidth::copy_by_the_book(ends, host);
  }
}

template <class Moved>
void move_rows_by_teams(Way way, const Moved& moved, const Stream& host) {
  if (way == Way::tuned) {
    transfer_batching::move_by_teams(moved, host);
  } else {
    transfer_batching::move_by_the_book(moved, host);
  }
}

template void move_rows_by_teams(Way, const transfer_batching::Rows<float>&, const Stream&);
template void move_rows_by_teams(Way, const transfer_batching::Rows<double>&, const Stream&);
template void move_rows_by_teams(Way, const transfer_batching::Arrays<float>&, const Stream&);
template void move_rows_by_teams(Way, const transfer_batching::Arrays<double>&, const Stream&);

}  // namespace portcost::test
