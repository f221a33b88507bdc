// SPDX-License-Identifier: Apache-2.0
// What tests of the ways from GPU to GPU share.
#pragma once

#include "src/distributed/device_path.hpp"
#include "src/distributed/exchange.hpp"
#include "src/distributed/nccl_group.hpp"
#include "tests/ranks/halo_checks.hpp"

namespace portcost::test::paths {

using namespace portcost::distributed;
using distributed::Array;
using halos::all_right;
using halos::fill_for_exchange;

inline constexpr std::array gpu_paths{Path::device_pointers, Path::nccl, Path::peer_copies,
                                      Path::direct_loads};

#define SKIP_WITHOUT_GPU() \
  if (device_stream() == nullptr) SKIP("no GPU answers")

inline std::vector<int> everybody() {
  std::vector<int> result;
  for (int rank = 0; rank < all_ranks().size(); ++rank) result.push_back(rank);
  return result;
}

// Between GPUs of these ranks.
inline bool can_be_taken(Path path, const std::vector<int>& members = everybody()) {
  if (path == Path::device_pointers) return takes_device_pointers();
  return path != Path::nccl || why_no_nccl(all_ranks(), members).empty();
}

inline Shape rows_of_all(int halo, BoundaryType boundary = BoundaryType::ghosted) {
  const int parts = all_ranks().size();
  return {Distribution({1, 8 * parts, 37}, parts, {{1, parts, 1}}),
          {{0, halo, 0}, StencilType::star, {BoundaryType::ghosted, boundary}}};
}

// Longer than an exchange takes.
inline void keep_busy(const Stream& stream) {
  static Buffer<std::byte> much(std::size_t{256} << 20, Place::device);
  for (int i = 0; i < 200; ++i) much.poison(stream);
}

inline void copy_parts(Array<double>& to, const Array<double>& from, const Stream& stream) {
  for (std::size_t i = 0; i < to.parts().size(); ++i) {
    const Part &target = to.parts()[i], &source = from.parts()[i];
    copy_bytes(target.data, target.place, source.data, source.place, to.span(target).size_bytes(),
               stream);
  }
}

}  // namespace portcost::test::paths
