// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcost {

/// The base of what is neither copied nor moved.
struct Uncopied {
  Uncopied() = default;
  Uncopied(const Uncopied&) = delete;
  Uncopied& operator=(const Uncopied&) = delete;
};

}  // namespace portcost
