// SPDX-License-Identifier: Apache-2.0
// Arrays of two or three dimensions whose parts lie with different processors, ghost points
// included.
#pragma once

#include "src/distributed/box_copies.hpp"
#include "src/distributed/communicator.hpp"
#include "src/memory/host_memory.hpp"

namespace portcost::distributed {

/// Something that computes on memory of its own: a rank's GPU, or its cores.
struct Processor {
  Place place = Place::host;
  double weight = 1;  // its speed, in any unit: it gets a share in proportion
};

/// The processors of all ranks, numbered: those of rank 0 first, in the order in which it names
/// them. All who make distributed arrays over the same processors share one of these, which must
/// outlive the arrays.
class Processors {
 public:
  /// Of this rank, at least one. Collective; throws SharedUsageError where a rank names none.
  Processors(const Communicator& ranks, std::span<const Processor> mine);
  /// One a rank.
  Processors(const Communicator& ranks, Processor mine)
      : Processors(ranks, std::span<const Processor>(&mine, 1)) {}

  const Communicator& ranks() const { return ranks_; }
  int count() const { return static_cast<int>(weights_.size()); }
  const std::vector<double>& weights() const { return weights_; }
  int rank_of(int processor) const { return rank_of_[processor]; }
  Place place_of(int processor) const { return places_[processor]; }
  /// This rank's, numbered first_mine() and on.
  std::span<const Processor> mine() const { return mine_; }
  int first_mine() const { return first_mine_; }
  bool is_mine(int processor) const { return rank_of(processor) == ranks_.rank(); }

 private:
  const Communicator& ranks_;
  std::vector<Processor> mine_;
  int first_mine_ = 0;
  std::vector<double> weights_;
  std::vector<int> rank_of_;
  std::vector<Place> places_;
};

/// Where the points of one part lie: in rows of `pitch` elements, the planes one after the other.
struct Layout {
  Box corners;             // what the part owns, in global numbers
  Box ghost_corners;       // that and the ghost points
  std::int64_t pitch = 0;  // elements from a row to the next
  std::int64_t plane = 0;  // elements from a plane to the next
  std::int64_t lead = 0;   // elements before the first ghost point

  /// The first point that the part owns of each row, and each row, begin at a multiple of `align`
  /// elements.
  Layout(const Box& corners, const Index& width, std::int64_t align);
  /// Where a point lies, which may be a ghost point.
  std::int64_t at(const Index& point) const {
    const Index from = point - ghost_corners.begin;
    return lead + from[0] * plane + from[1] * pitch + from[2];
  }
  /// Whether the points of a box follow each other without a gap.
  bool is_one_stretch(const Box& box) const {
    const bool rows = box.extent(1) == 1 || box.extent(2) == pitch;
    return rows && (box.extent(0) == 1 || plane == box.extent(1) * box.extent(2));
  }
  std::int64_t elements() const { return lead + plane * ghost_corners.extent(0); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// What all arrays of one shape have in common.
struct Shape {
  Distribution distribution;
  Stencil stencil = {};
  std::int64_t align = 1;  // elements; Layout

  Layout layout(int part) const { return {distribution.corners(part), stencil.width, align}; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Part {
  int number;  // of its processor
  Layout layout;
  Place place;
  std::byte* data;
};

/// The rows of a part's memory from a point on.
Strided rows_of(const Part& part, const Index& point, std::int64_t element_bytes);

class ArrayBase {
 public:
  const Shape& shape() const { return shape_; }
  const Processors& processors() const { return *processors_; }
  std::size_t element_bytes() const { return element_bytes_; }
  /// A number that no other array of this process has or has had: one at the same address is
  /// another. (Copies have the same memory, and so the same number.)
  std::uint64_t identity() const { return *identity_; }
  /// Expires with the array's memory.
  std::weak_ptr<const void> life() const { return identity_; }
  std::span<const Part> parts() const { return parts_; }
  /// The stream on which a part's transfers are enqueued.
  const Stream& stream(const Part& part) const;

 protected:
  ArrayBase(const Processors& processors, const Shape& shape, std::size_t element_bytes,
            HostKind host_kind, const Stream* device);

 private:
  struct Memory;
  const Processors* processors_;
  Shape shape_;
  std::size_t element_bytes_;
  std::shared_ptr<const std::uint64_t> identity_;
  const Stream* device_;
  std::vector<Part> parts_;
  std::vector<std::shared_ptr<Memory>> memory_;
};

const Part& part_of(const ArrayBase& array, int number);

/// The stream of this rank's device part in one of two arrays; null where there is none.
const Stream* device_stream(const ArrayBase& from, const ArrayBase& to);

/// Calls f(i) for first <= i < end, shared among the host's threads.
void by_all_threads(std::int64_t first, std::int64_t end,
                    const std::function<void(std::int64_t)>& f);

/// Copies dense rows of `box` to a part and back; complete on return.
void upload(const ArrayBase& array, const Part& part, const Box& box, const void* dense);
void download(const ArrayBase& array, const Part& part, const Box& box, void* dense);

/// An array of T. Its contents are undefined until written. Move-only.
template <class T>
class Array : public ArrayBase {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Collective; all ranks pass the same shape. Throws SharedUsageError where the numbers differ or
  /// cannot be (check_stencil), SharedFailure where a rank lacks memory.
  ///
  /// `device` is the stream of this rank's GPU, needed where it has a device part. Host memory is
  /// of `host_kind`: pinned, say, of ranks that have a GPU, too.
  Array(const Processors& processors, const Shape& shape, const Stream* device = nullptr,
        HostKind host_kind = HostKind::pageable)
      : ArrayBase(processors, shape, sizeof(T), host_kind, device) {}
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;

  /// Where the part's elements lie, at layout.at(point), in its place.
  T* data(const Part& part) const { return reinterpret_cast<T*>(part.data); }
  std::span<T> span(const Part& part) const {
    return {data(part), static_cast<std::size_t>(part.layout.elements())};
  }

  /// f(point) for every point that this rank owns, by all threads; with `ghosts` also for those
  /// around. Device parts are filled by pieces from the host. Not collective.
  void fill(const std::function<T(const Index&)>& f, bool ghosts = false) {
    for (const Part& part : parts()) {
      fill(part, ghosts ? part.layout.ghost_corners : part.layout.corners, f);
    }
  }
  /// The same value everywhere, ghost points included.
  void fill(T value) {
    fill([value](const Index&) { return value; }, true);
  }

 private:
  void fill(const Part& part, const Box& box, const std::function<T(const Index&)>& f) {
    if (part.place == Place::host) {
      fill_rows(box, f,
                [&](const Index& point, auto) { return data(part) + part.layout.at(point); });
      return;
    }
    // By pieces, so that the host need not hold what a device holds.
    std::vector<T> dense;
    for (const Box& slab : slabs_of(box, sizeof(T))) {
      dense.resize(slab.volume());
      fill_rows(slab, f, [&](const Index&, std::int64_t row) {
        return dense.data() + row * slab.extent(2);
      });
      upload(*this, part, slab, dense.data());
    }
  }
  // To where to(first point, number) says that a row begins.
  template <class To>
  static void fill_rows(const Box& box, const std::function<T(const Index&)>& f, const To& to) {
    const std::int64_t rows = box.extent(1);
    by_all_threads(0, box.extent(0) * rows, [&](std::int64_t i) {
      Index point{box.begin[0] + i / rows, box.begin[1] + i % rows, box.begin[2]};
      T* row = to(point, i);
      for (; point[2] < box.end[2]; ++point[2]) *row++ = f(point);
    });
  }
};

}  // namespace portcost::distributed
