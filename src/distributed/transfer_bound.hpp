// SPDX-License-Identifier: Apache-2.0
// A plan of transfers bound to the memory of two arrays. For the files of this folder.
#pragma once

#include "src/distributed/box_copies.hpp"
#include "src/distributed/pieces.hpp"
#include "src/distributed/transfer_plan.hpp"

namespace portcost::distributed {

struct TransferPlan::Bound {
  Side sent, received;
  BoxCopies packs, unpacks;  // by the device: before the messages and after them
  BoxCopies to_link, rest;   // by the host: the same
};

}  // namespace portcost::distributed
