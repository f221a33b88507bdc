// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "src/memory/host_memory.hpp"
#include "variants/shared/data.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

namespace {

// A pitch stays below 2^31 bytes, the most that CUDA's copies of sections take.
constexpr std::int64_t most = std::int64_t{1} << 26;
constexpr std::array size_keys{
    SizeKey{"count", 256, 1, std::int64_t{1} << 24, "arrays, or rows of the section"},
    SizeKey{"n", 4096, 1, most, "elements of each"},
    SizeKey{"gap", 4096, 0, most, "elements between the ends of one row and the next", false}};
constexpr std::array parameter_keys{ParameterKey::whole(
    "planes", 1, "planes of the section, of count / planes rows; between two lies one row", 1,
    1 << 24)};

// Where mapped memory is refused, pageable memory does for the steps that only copy.
HostMemory source_memory(std::size_t bytes, const Stream& stream) {
  if (stream.place() == Place::host) return {bytes, HostKind::pageable};
  return {bytes, HostKind::mapped, Refused::pageable};
}

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

// Where the arrays lie: a permutation of 0 .. count - 1 (Fisher and Yates).
std::vector<std::int64_t> drawn_order(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(i);
    std::swap(order[i], order[random_bits(seed + 1, i) % (i + 1)]);
  }
  return order;
}

template <class T>
class Data final : public DataOf<Batch<T>> {
 public:
  Data(const Problem& p, Stream& stream)
      : DataOf<Batch<T>>(stream),
        count_(p.size.at("count")),
        n_(p.size.at("n")),
        pitch_(n_ + p.size.at("gap")),
        rows_(count_ / p.parameters.whole("planes")),
        all_bytes_(static_cast<std::size_t>(all_rows(p) * pitch_) * sizeof(T)),
        section_(source_memory(all_bytes_, stream)),
        arrays_(source_memory(all_bytes_, stream)),
        target_(*this, "out",
                {static_cast<std::size_t>(all_rows(p)), static_cast<std::size_t>(pitch_)}),
        list_on_device_(*this, stream.place() == Place::host ? 0 : portcost::count(p, "count")) {
    const auto order = drawn_order(count_, p.seed);
    fill(section_, p.seed, [&](std::int64_t row) { return row + row / rows_; });
    fill(arrays_, p.seed, [&](std::int64_t row) { return order[static_cast<std::size_t>(row)]; });
    for (std::int64_t i = 0; i < count_; ++i) {
      T* const array = row_of(arrays_, order[static_cast<std::size_t>(i)]);
      pointers_.push_back(array);
      sources_.push_back(array);
      targets_.push_back(target_.data() + (i + i / rows_) * pitch_);
      sizes_.push_back(static_cast<std::size_t>(n_) * sizeof(T));
    }
    if (stream.place() == Place::host) return;
    section_refused_ = section_.out_of_reach();
    arrays_refused_ = arrays_.out_of_reach();
    if (section_refused_.empty()) {
      section_in_kernels_ = reinterpret_cast<const T*>(section_.on_device());
    }
    if (arrays_refused_.empty()) list_arrays(order);
    packed_ = HostMemory(static_cast<std::size_t>(count_ * n_) * sizeof(T), HostKind::pinned);
    packed_on_device_ = Buffer<T>(static_cast<std::size_t>(count_ * n_), Place::device);
  }
  Batch<T> work(int) const override {
    return {target_.data(),
            reinterpret_cast<const T*>(section_.data()),
            section_in_kernels_,
            pointers_.data(),
            reinterpret_cast<const Source<T>*>(list_.data()),
            list_on_device_.data(),
            text_or_null(section_refused_),
            text_or_null(arrays_refused_),
            reinterpret_cast<T*>(packed_.data()),
            packed_on_device_.data(),
            targets_.data(),
            sources_.data(),
            sizes_.data(),
            count_,
            n_,
            pitch_,
            rows_};
  }
  // The runtime stages a copy of pageable memory: the call waits for that.
  bool queued_ahead() const override {
    if (this->stream().place() == Place::host) return true;
    return std::ranges::none_of(std::array{&section_, &arrays_, &list_}, [](const HostMemory* one) {
      return one->size() > 0 && one->kind() == HostKind::pageable;
    });
  }

 private:
  T* row_of(const HostMemory& memory, std::int64_t row) const {
    return reinterpret_cast<T*>(memory.data()) + row * pitch_;
  }
  // Row i lies at place(i); what lies between rows is no element of the input.
  template <class PlaceOf>
  void fill(const HostMemory& memory, std::uint64_t seed, const PlaceOf& place) const {
    for_page_parts(memory.size(), [&](std::size_t begin, std::size_t end) {
      std::fill(memory.data() + begin, memory.data() + end, std::byte{0x5A});
    });
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count_; ++i) {
      T* const to = row_of(memory, place(i));
      for (std::int64_t j = 0; j < n_; ++j) to[j] = element<T>(seed, i, j);
    }
  }

  // Where each array is for a kernel.
  void list_arrays(const std::vector<std::int64_t>& order) {
    const T* const first = reinterpret_cast<const T*>(arrays_.on_device());
    list_ = HostMemory(order.size() * sizeof(Source<T>), HostKind::pinned);
    auto* const sources = reinterpret_cast<Source<T>*>(list_.data());
    for (std::size_t i = 0; i < order.size(); ++i) sources[i] = {first + order[i] * pitch_};
  }

  std::int64_t count_, n_, pitch_, rows_;
  std::size_t all_bytes_;
  HostMemory section_, arrays_, packed_, list_;
  std::string section_refused_, arrays_refused_;
  const T* section_in_kernels_ = nullptr;
  Output<T> target_;
  Workspace<Source<T>> list_on_device_;
  Buffer<T> packed_on_device_;
  std::vector<const T*> pointers_;
  mutable std::vector<void*> targets_, sources_;
  std::vector<std::size_t> sizes_;
};

void validate(const Problem& p) {
  const std::int64_t pitch = p.size.at("n") + p.size.at("gap");
  const std::int64_t planes = p.parameters.whole("planes");
  demand(p.size.at("count") % planes == 0,
         fmt::format("count={} is no multiple of planes={}: each plane has as many rows",
                     p.size.at("count"), planes));
  demand(all_rows(p) <= most_elements / pitch,
         fmt::format(
             "count={}, n={}, gap={} are {:.3g} elements; there may be {} at most: make one of "
             "them less",
             p.size.at("count"), p.size.at("n"), p.size.at("gap"),
             real(p, "count") * static_cast<double>(pitch), most_elements));
}

std::vector<Absence> absent() {
  std::vector<Absence> result = absent_without_cuda(
      {"arrays_packed", "section_packed", "section_over_link", "arrays_over_link"},
      {"arrays_one_by_one", "section_row_by_row", "section_2d", "section_3d", "arrays_batched"});
  result.push_back(
      {"arrays_batched", Model::kokkos, "Kokkos has no call that copies several Views"});
  return result;
}

}  // namespace

Algorithm algorithm() {
  return {
      .name = "transfer_batching",
      .summary =
          "many small arrays, or a section with a pitch, copied one by one, at once or packed",
      .size_keys = size_keys,
      .parameter_keys = parameter_keys,
      .absent = absent(),
      .validate = validate,
      // On a device the target, its packed rows and two answers; on a host the sources beside them.
      .footprint =
          [](const Problem& p) {
            return 5 * static_cast<double>(all_rows(p)) * (real(p, "n") + real(p, "gap")) *
                   bytes(p.type);
          },
      .cost = [](const Problem& p) -> Cost {
        return {{real(p, "count") * real(p, "n") * bytes(p.type), "transfer"}};
      },
      // Arrays of 256 bytes to 256 KiB in f32: around the size where packing stops to pay.
      .measured = {.device = "256,4096,= 256,4^3..4^8,=",
                   .device_full = "256,4096,= 256,4^3..4^8,= 4096,4^3..4^6,= 1|2|4|8|16|64,1024,="},
      .checked = "1,1,0 1,1000,7 1000,1,0 1000,1,3 17,33,0 255,257,31 64,4096,4096",
      .drawn = {{1, 60, {1, 2, 31, 32, 33}},
                {1, 500, {1, 2, 3, 4, 7, 8, 255, 256, 257}},
                {0, 40, {0, 1, 3, 4}}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
  };
}

}  // namespace portcost::transfer_batching
