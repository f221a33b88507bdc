// SPDX-License-Identifier: Apache-2.0
// What an answer is compared with: drawn places of it, each either an element made anew from the
// input's function of its index, or one that the step must leave as it was. And what counters are
// compared with: the sectors that theory predicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/contract/truth.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

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

constexpr std::uint64_t most_drawn = 4096;

// Which element of the input a place of the answer has; nothing where none is written.
std::optional<std::int64_t> element_at(const Problem& p, std::string_view step, std::int64_t at) {
  const std::int64_t n = p.size.at("n"), offset = p.size.at("offset"), stride = p.size.at("stride");
  const std::int64_t columns = p.size.at("columns");
  if (step == "packed_rows") {
    if (at < rows_of(p) * columns) return at;
    return {};
  }
  if (step == "padded_rows") {
    const int pitch = pitch_of(static_cast<int>(columns), static_cast<int>(bytes(p.type)));
    if (at / pitch < rows_of(p) && at % pitch < columns) return at;
    return {};
  }
  if (step.starts_with("gather")) {
    if (at >= n) return {};
    const auto hash = static_cast<std::uint32_t>(static_cast<std::uint64_t>(at) * 2'654'435'769u);
    return std::int64_t{hash} * columns / (std::int64_t{1} << 32);
  }
  if (step.starts_with("scaled")) {
    if (at < n) return at;
    return {};
  }
  if (step == "reads") {
    if (at < n) return offset + at * stride;
    return {};
  }
  if (at < offset || (at - offset) % stride != 0 || (at - offset) / stride >= n) return {};
  if (step == "writes") return (at - offset) / stride;
  return at;
}

// What the element is multiplied by there.
double factor_at(std::string_view step, std::int64_t at) {
  if (!step.starts_with("scaled")) return 1;
  return 1 + static_cast<double>((step == "scaled_alike" ? at / 32 : at) % 32) / 32;
}

// Drawn ones, most of which a large stride leaves out, and as many that are written; and around the
// ends of what is.
std::vector<std::int64_t> places(const Problem& p, std::int64_t length) {
  std::vector<std::int64_t> result;
  for (const std::uint64_t at : drawn(static_cast<std::uint64_t>(length), most_drawn, p.seed)) {
    result.push_back(static_cast<std::int64_t>(at));
  }
  const std::int64_t n = p.size.at("n"), stride = p.size.at("stride");
  for (const std::uint64_t i : drawn(static_cast<std::uint64_t>(n), most_drawn, p.seed + 1)) {
    result.push_back(p.size.at("offset") + static_cast<std::int64_t>(i) * stride);
    result.push_back(static_cast<std::int64_t>(i));
  }
  const std::int64_t columns = p.size.at("columns"), rows = rows_of(p);
  const int pitch = pitch_of(static_cast<int>(columns), static_cast<int>(bytes(p.type)));
  for (std::int64_t near = -2; near <= 2; ++near) {
    for (const std::int64_t end : {n, columns, rows * columns, (rows - 1) * pitch + columns}) {
      const std::int64_t at = end + near;
      if (at >= 0 && at < length) result.push_back(at);
    }
  }
  return result;
}

template <class T>
std::string fault(const Problem& p, std::string_view step, const Array& answer,
                  const Stream& stream) {
  const Elements<T> elements(answer, stream);
  for (const std::int64_t at : places(p, length_of(p))) {
    const std::optional<std::int64_t> from = element_at(p, step, at);
    const T found = elements[static_cast<std::uint64_t>(at)];
    if (!from) {
      if (std::isnan(found)) continue;  // as it was poisoned
      return fmt::format("element {} is {:.17g}, where nothing is to be written", at, found);
    }
    const T right =
        element<T>(p.seed, static_cast<std::uint64_t>(*from)) * static_cast<T>(factor_at(step, at));
    if (found == right) continue;  // NaN is not
    return fmt::format("element {} is {:.17g}, where {:.17g} is right", at, found, right);
  }
  return {};
}

}  // namespace

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
  const bool copies = !variant.step.starts_with("gather") && !variant.step.starts_with("scaled");
  if (!team || !copies || variant.place != Place::device) return {};
  const Sectors all = sectors(p, variant.step);
  return {{"load_sectors", all.loads},
          {"store_sectors", all.stores},
          {"read_bytes", 32 * all.read},
          {"written_bytes", 32 * all.written}};
}

Judgement judge(const Problem& problem, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const Array& array = answer.at("out");
  const auto all = static_cast<std::uint64_t>(length_of(problem));
  const auto copied = static_cast<std::uint64_t>(problem.size.at("n"));
  return held(problem,
              fmt::format("{} drawn elements, made anew from the input, and what lies between",
                          std::min(all, most_drawn) + 2 * std::min(copied, most_drawn)),
              array, all,
              [&]<class T>(T) { return fault<T>(problem, step, array, instance.stream()); });
}

}  // namespace portcost::strides
