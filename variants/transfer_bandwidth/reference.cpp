// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer: byte after byte within the host. Every step must leave the same.
#include "variants/transfer_bandwidth/problem.hpp"

namespace portcost::transfer_bandwidth {

Rungs reference_rungs() {
  const auto answer = [](std::string_view step) {
    return rung(works, step, [](const Transfer& t, const Stream&) {
      return moving(t, HostKind::pageable, Direction::within_host, true, [&](const Ends& ends) {
        return [ends, bytes = t.bytes] {
          for (std::size_t i = 0; i < bytes; ++i) ends.target[i] = ends.source[i];
        };
      });
    });
  };
  Rungs result;
  for (const Route& route : routes) result.push_back(answer(route.step));
  result.push_back(answer("within_host"));
  return result;
}

}  // namespace portcost::transfer_bandwidth
