// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/pieces.hpp"

#include <algorithm>
#include <array>

namespace portcost::distributed {

OwnedType element_type(std::int64_t bytes) {
  OwnedType result;
  mpi_check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, result.fresh()));
  return result;
}

OwnedType subarray(const Box& box, const Box& within, std::int64_t pitch, MPI_Datatype element) {
  std::array<int, axes> sizes{}, extents{}, starts{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    sizes[axis] = static_cast<int>(axis + 1 == axes ? pitch : within.extent(axis));
    extents[axis] = static_cast<int>(box.extent(axis));
    starts[axis] = static_cast<int>(box.begin[axis] - within.begin[axis]);
  }
  OwnedType result;
  mpi_check(MPI_Type_create_subarray(static_cast<int>(axes), sizes.data(), extents.data(),
                                     starts.data(), MPI_ORDER_C, element, result.fresh()));
  return result;
}

void Pieces::add(const void* address, OwnedType type) {
  MPI_Aint where = 0;
  mpi_check(MPI_Get_address(address, &where));
  addresses_.push_back(where);
  types_.push_back(std::move(type));
}

void Pieces::add(const Part& part, const Box& box, std::int64_t element_bytes) {
  const Layout& layout = part.layout;
  const OwnedType element = element_type(element_bytes);
  add(part.data + layout.lead * element_bytes,
      subarray(box, layout.ghost_corners, layout.pitch, element.get()));
}

void Pieces::add(const std::byte* dense, const Box& box, std::int64_t element_bytes) {
  const OwnedType element = element_type(element_bytes);
  add(dense, subarray(box, box, box.extent(2), element.get()));
}

OwnedType Pieces::together() const {
  std::vector<MPI_Datatype> handles;
  for (const OwnedType& type : types_) handles.push_back(type.get());
  const std::vector<int> ones(handles.size(), 1);
  OwnedType result;
  mpi_check(MPI_Type_create_struct(static_cast<int>(ones.size()), ones.data(), addresses_.data(),
                                   handles.data(), result.fresh()));
  MPI_Datatype handle = result.get();
  mpi_check(MPI_Type_commit(&handle));
  return result;
}

Side::Side(const std::map<int, Pieces>& of_ranks) {
  for (const auto& [rank, pieces] : of_ranks) {
    types.push_back(pieces.together());
    handles.push_back(types.back().get());
  }
  // MPI wants arrays also where there is no neighbour.
  const std::size_t count = std::max<std::size_t>(1, types.size());
  handles.resize(count, MPI_BYTE);
  counts.assign(count, 1);
  offsets.assign(count, 0);
}

}  // namespace portcost::distributed
