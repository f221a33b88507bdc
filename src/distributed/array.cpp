// SPDX-License-Identifier: Apache-2.0
#include "src/distributed/array.hpp"
#include "src/support/reject.hpp"

#include <atomic>

namespace portcost::distributed {

namespace {

constexpr std::int64_t up(std::int64_t number, std::int64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

std::string text(const Index& index) {
  return fmt::format("{} x {} x {}", index[0], index[1], index[2]);
}

std::atomic<std::uint64_t> last_identity{0};

// What must be equal on all ranks, as they say it when it is not.
std::string in_words(const Shape& shape, std::size_t element_bytes) {
  std::string result =
      fmt::format("{} points, grid {}, halo {} ({})", text(shape.distribution.global()),
                  text(shape.distribution.grid()), text(shape.stencil.width),
                  shape.stencil.type == StencilType::box ? "box" : "star");
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (shape.stencil.boundary[axis] == BoundaryType::periodic) {
      result += fmt::format(", periodic {}", axis_name(axis));
    }
  }
  result += fmt::format(", {} bytes an element, aligned to {}, begins of blocks", element_bytes,
                        shape.align);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const std::int64_t bound : shape.distribution.bounds(axis)) {
      result += fmt::format(" {}", bound);
    }
  }
  return result;
}

BoxCopy copy_of(const ArrayBase& array, const Part& part, const Box& box, void* dense) {
  const auto bytes = static_cast<std::int64_t>(array.element_bytes());
  return copy_of(box, dense_rows(static_cast<std::byte*>(dense), box, bytes),
                 rows_of(part, box.begin, bytes));
}

}  // namespace

Layout::Layout(const Box& owned, const Index& width, std::int64_t align)
    : corners(owned), ghost_corners(owned.grown(width)) {
  lead = up(width[2], align) - width[2];
  pitch = up(lead + ghost_corners.extent(2), align);
  plane = pitch * ghost_corners.extent(1);
}

// A part's memory: a device's, or a host's of some kind.
struct ArrayBase::Memory {
  Memory(Place place, std::size_t bytes, HostKind kind) {
    if (place == Place::device) {
      device = Buffer<std::byte>(bytes, place);
    } else {
      host = HostMemory(bytes, kind);
    }
  }
  std::byte* data() const { return device.size() > 0 ? device.data() : host.data(); }

  Buffer<std::byte> device;
  HostMemory host;
};

ArrayBase::ArrayBase(const Processors& processors, const Shape& shape, std::size_t element_bytes,
                     HostKind host_kind, const Stream* device)
    : processors_(&processors),
      shape_(shape),
      element_bytes_(element_bytes),
      identity_(std::make_shared<const std::uint64_t>(++last_identity)),
      device_(device) {
  const Communicator& ranks = processors.ranks();
  ranks.require_equal("array", in_words(shape, element_bytes));
  ranks.together([&] {
    const Distribution& distribution = shape.distribution;
    if (distribution.parts() != processors.count()) {
      reject("a distribution among {} for {} processors", distribution.parts(), processors.count());
    }
    if (shape.align < 1) reject("rows aligned to {} elements", shape.align);
    check_stencil(distribution, shape.stencil);
    int number = processors.first_mine();
    for (const Processor& mine : processors.mine()) {
      if (mine.place == Place::device) require(device != nullptr, "a device part needs a stream");
      const Layout layout = shape.layout(number);
      memory_.push_back(std::make_shared<Memory>(
          mine.place, static_cast<std::size_t>(layout.elements()) * element_bytes, host_kind));
      parts_.push_back({number++, layout, mine.place, memory_.back()->data()});
    }
  });
}

Strided rows_of(const Part& part, const Index& point, std::int64_t element_bytes) {
  const Layout& layout = part.layout;
  return {part.data + layout.at(point) * element_bytes, layout.pitch * element_bytes,
          layout.plane * element_bytes};
}

void by_all_threads(std::int64_t first, std::int64_t end,
                    const std::function<void(std::int64_t)>& f) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = first; i < end; ++i) f(i);
}

const Stream& ArrayBase::stream(const Part& part) const {
  static const Stream host(Place::host);
  return part.place == Place::host ? host : *device_;
}

const Part& part_of(const ArrayBase& array, int number) {
  return array.parts()[number - array.processors().first_mine()];
}

const Stream* device_stream(const ArrayBase& from, const ArrayBase& to) {
  for (const ArrayBase* array : {&from, &to}) {
    for (const Part& part : array->parts()) {
      if (part.place == Place::device) return &array->stream(part);
    }
  }
  return nullptr;
}

void upload(const ArrayBase& array, const Part& part, const Box& box, const void* dense) {
  BoxCopy copy = copy_of(array, part, box, const_cast<void*>(dense));
  std::swap(copy.source, copy.target);
  copy_box(copy, array.element_bytes(), array.stream(part));
}

void download(const ArrayBase& array, const Part& part, const Box& box, void* dense) {
  copy_box(copy_of(array, part, box, dense), array.element_bytes(), array.stream(part));
}

Processors::Processors(const Communicator& ranks, std::span<const Processor> mine)
    : ranks_(ranks), mine_(mine.begin(), mine.end()) {
  ranks.together([&] {
    if (mine.empty()) throw UsageError("a rank has no processor");
  });
  const std::vector<std::vector<Processor>> all = gathered_values(ranks, mine_);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank == ranks.rank()) first_mine_ = count();
    for (const Processor& one : all[rank]) {
      weights_.push_back(one.weight);
      places_.push_back(one.place);
      rank_of_.push_back(rank);
    }
  }
}

}  // namespace portcost::distributed
