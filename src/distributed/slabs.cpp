// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/slabs.hpp"

namespace portcost::distributed {

std::vector<Box> slabs_of(const Box& box, std::int64_t element_bytes) {
  std::vector<Box> result;
  if (box.empty()) return result;
  const auto most = [](std::int64_t wanted, std::int64_t fit) {
    return std::max<std::int64_t>(1, std::min(wanted, fit));
  };
  const std::int64_t points = slab_bytes / element_bytes;
  const std::int64_t columns = most(box.extent(2), points);
  const std::int64_t rows = most(box.extent(1), points / box.extent(2));
  const std::int64_t planes = most(box.extent(0), points / (box.extent(1) * box.extent(2)));
  for (std::int64_t p = box.begin[0]; p < box.end[0]; p += planes) {
    for (std::int64_t r = box.begin[1]; r < box.end[1]; r += rows) {
      for (std::int64_t c = box.begin[2]; c < box.end[2]; c += columns) {
        result.push_back(common({{p, r, c}, {p + planes, r + rows, c + columns}}, box));
      }
    }
  }
  return result;
}

}  // namespace portcost::distributed
