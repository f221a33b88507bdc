// SPDX-License-Identifier: Apache-2.0
// strides' row: names, sizes, inputs, and the sectors that theory predicts.
#include <algorithm>
#include <array>

#include "variants/shared/data.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

constexpr std::int64_t main_n = std::int64_t{1} << 25;

constexpr std::array size_keys{
    SizeKey{"n", main_n, 1, most_elements, "elements copied"},
    SizeKey{"offset", 0, 0, most_offset, "elements before the first", false},
    SizeKey{"stride", 1, 1, most_stride, "elements from one to the next", false},
    SizeKey{"columns", 1023, 1, most_columns, "elements of a row (row steps)", false}};

template <class T>
struct Data final : DataOf<Copies<T>> {
  using DataOf<Copies<T>>::DataOf;
  Copies<T> work(int) const override {
    return {a.data(), b.data(), n, offset, stride, rows, columns, pitch_of(columns, sizeof(T))};
  }

  int n = this->size("n"), offset = this->size("offset"), stride = this->size("stride");
  int columns = this->size("columns");
  int rows = static_cast<int>(rows_of(this->problem()));
  Buffer<T> a = filled(static_cast<std::size_t>(length_of(this->problem())), this->stream(),
                       [this](std::uint64_t at) { return element<T>(this->problem().seed, at); });
  Output<T> b{*this, "out", {a.size()}};
};

// A host has a sixteenth of the elements: strides of 64 take as many times the memory.
std::vector<Numbers> measured(Campaign campaign, Place place) {
  const std::int64_t n = place == Place::device ? main_n : main_n / 16;
  std::vector<Numbers> result{{n, 0, 1, 1023}};
  const auto add = [&](std::int64_t offset, std::int64_t stride) {
    if (offset != 0 || stride != 1) result.push_back({n, offset, stride, 1023});
  };
  if (campaign == Campaign::full) {
    for (int offset = 0; offset <= most_offset; ++offset) add(offset, 1);
    for (int stride = 1; stride <= most_stride; ++stride) add(0, stride);
  } else {
    for (const int offset : {1, 8, 16, 32, 33}) add(offset, 1);
    for (const int stride : {2, 3, 4, 8, 16, 32, 64}) add(0, stride);
  }
  for (const std::int64_t columns : {33, 1024}) result.push_back({n, 0, 1, columns});
  return result;
}

// Sectors that `count` elements from `first` on lie in, `stride` apart. An element lies in one.
double sectors_of(std::int64_t first, std::int64_t count, std::int64_t stride, int element_bytes) {
  const std::int64_t in_sector = 32 / element_bytes;
  if (count == 0) return 0;
  if (stride >= in_sector) return static_cast<double>(count);
  const std::int64_t last = first + (count - 1) * stride;
  return static_cast<double>(last / in_sector - first / in_sector + 1);
}

// The same of warps of 32, one after another. 32 elements are whole sectors whatever the stride, so
// that all full warps are like the first.
double requested(std::int64_t first, std::int64_t count, std::int64_t stride, int element_bytes) {
  const std::int64_t rest = count % lanes;
  return static_cast<double>(count / lanes) * sectors_of(first, lanes, stride, element_bytes) +
         sectors_of(first, rest, stride, element_bytes);
}

Sectors of_rows(const Problem& p, bool padded) {
  const int size = static_cast<int>(bytes(p.type));
  const std::int64_t rows = rows_of(p), columns = p.size.at("columns");
  const std::int64_t pitch = padded ? pitch_of(static_cast<int>(columns), size) : columns;
  const std::int64_t period = 32 / size;  // rows after which starts lie alike
  Sectors result;
  for (std::int64_t r = 0; r < std::min(rows, period); ++r) {
    const auto alike = static_cast<double>(ceil_div(rows - r, period));
    result.loads += alike * requested(r * pitch, columns, 1, size);
  }
  // Rows that follow each other share the sector at their border; padded ones begin in one.
  result.read = pitch == columns ? sectors_of(0, rows * columns, 1, size)
                                 : static_cast<double>(rows) * sectors_of(0, columns, 1, size);
  result.stores = result.loads;
  result.written = result.read;
  return result;
}

}  // namespace

std::int64_t rows_of(const Problem& p) { return ceil_div(p.size.at("n"), p.size.at("columns")); }

std::int64_t length_of(const Problem& p) {
  const std::int64_t last = p.size.at("offset") + (p.size.at("n") - 1) * p.size.at("stride");
  const int columns = static_cast<int>(p.size.at("columns"));
  return std::max(last + 1, rows_of(p) * pitch_of(columns, static_cast<int>(bytes(p.type))));
}

Sectors sectors(const Problem& p, std::string_view step) {
  if (step == "packed_rows" || step == "padded_rows") return of_rows(p, step == "padded_rows");
  const int size = static_cast<int>(bytes(p.type));
  const std::int64_t n = p.size.at("n"), offset = p.size.at("offset"), stride = p.size.at("stride");
  const double dense = requested(0, n, 1, size), apart = requested(offset, n, stride, size);
  const double all_dense = sectors_of(0, n, 1, size), all = sectors_of(offset, n, stride, size);
  if (step == "reads") return {apart, dense, all, all_dense};
  if (step == "writes") return {dense, apart, all_dense, all};
  return {apart, apart, all, all};
}

std::vector<Prediction> predicted(const Problem& p, const Variant& variant) {
  // Other ways choose which threads are a warp themselves.
  const bool team =
      variant.model == Model::cuda || (variant.model == Model::kokkos && variant.way != Way::usual);
  if (!team || variant.place != Place::device) return {};
  const Sectors all = sectors(p, variant.step);
  return {{"load_sectors", all.loads},
          {"store_sectors", all.stores},
          {"read_bytes", 32 * all.read},
          {"written_bytes", 32 * all.written}};
}

Algorithm algorithm() {
  return {
      .name = "strides",
      .summary = "copies with an offset or a stride, and of rows that are padded or not",
      .size_keys = size_keys,
      // Both arrays and two answers.
      .footprint =
          [](const Problem& p) { return 4 * static_cast<double>(length_of(p)) * bytes(p.type); },
      // Every element is read once and written once. What a stride adds to that is the subject.
      .cost = [](const Problem& p) -> Cost {
        return {{2 * real(p, "n") * bytes(p.type), "copy"}};
      },
      .measured = measured,
      .checked =
          sizes_of("1,0,1,1 1,33,64,1 1000,1,1,7 1025,0,2,7 3001,33,3,7 20000,17,64,7 1000,0,1,7 "
                   "4099,0,1,33 40000,0,1,16 33000,0,1,1023 40000,0,1,20011"),
      .drawn = {{1, 40'000, {1, 31, 32, 33, 1023, 1024, 1025, 16'384, 16'385}},
                {0, most_offset, {0, 0, 0, 0}},
                {1, most_stride, {1, 1, 1, 1}},
                {1, 300, {1, 15, 16, 17, 31, 32, 33, 64, 1000}}},
      .make = make_instance<Data, float, double>,
      .judge = judge,
      .one_answer = false,
      .in_default_campaign = false,
      .predicted = predicted,
  };
}

}  // namespace portcost::strides
