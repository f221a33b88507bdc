// SPDX-License-Identifier: Apache-2.0
#include "src/files/matrix_market.hpp"

#include <algorithm>
#include <cmath>

#include "src/files/npy.hpp"
#include "src/support/reject.hpp"

namespace portcost {

namespace {

constexpr std::string_view smaller = "take a smaller matrix";
constexpr EntryWords entry{"ROW COLUMN VALUE", "value", "write one, or remove the entry",
                           "write a finite number"};
constexpr EntryWords element{"a VALUE", "value", "write one", "write a finite number"};

// Adds an entry to its element.
void add(double& to, double value, std::string_view text, ElementType type,
         const LineReader& reader) {
  to += value;
  if (finite_in(type, to)) return;
  if (!finite_in(type, value)) {
    reader.refuse("value {} is not finite in f32: take --type f64", shown(text));
  }
  reader.refuse("with value {} the entries of one element are added up to more than {} holds: {}",
                shown(text), name(type),
                type == ElementType::f32 ? "take --type f64" : "divide all by a power of 2");
}

}  // namespace

bool finite_in(ElementType type, double value) {
  return std::isfinite(type == ElementType::f32 ? static_cast<float>(value) : value);
}

MatrixMarketBanner read_banner(LineReader& reader) {
  reader.word();  // %%MatrixMarket
  const auto next = [&](const char* what) {
    const std::string word = lower(reader.word());
    if (word.empty()) {
      reader.refuse(
          "the banner has no {}: write '%%MatrixMarket matrix coordinate real "
          "general'",
          what);
    }
    return word;
  };
  const std::string object = next("object");
  MatrixMarketBanner banner;
  banner.format = next("format");
  banner.field = next("field");
  banner.symmetry = next("symmetry");
  reader.end_of_line();
  if (object != "matrix") {
    reader.refuse("'{}' is no matrix: write 'matrix', or convert it", shown(object));
  }
  return banner;
}

LineReader::Number read_value(LineReader& reader, std::string_view field, const EntryWords& words) {
  if (field == "pattern") return {1, "1"};
  const LineReader::Number number = reader.number(words);
  if (field == "integer" && number.value != std::trunc(number.value)) {
    reader.refuse(
        "{} {} is not whole, and the first line says 'integer': correct it, "
        "or write 'real' there",
        words.value, shown(number.text));
  }
  return number;
}

bool next_content_line(LineReader& reader) {
  bool found = reader.next_line();
  while (found && reader.line().starts_with('%')) found = reader.next_line();
  return found;
}

MatrixFile::Header MatrixFile::read_header(LineReader& reader) {
  if (!reader.next_line()) reader.refuse("the file is empty: it has no matrix");
  const std::string_view line = reader.line();
  if (!lower(line).starts_with("%%matrixmarket")) {
    reader.refuse(
        "'{}' does not begin a Matrix Market file (%%MatrixMarket matrix ...): "
        "convert the matrix",
        shown(line));
  }
  const MatrixMarketBanner banner = read_banner(reader);
  Header header{banner.format == "array", banner.field, Symmetry::general, 0, 0, 0};
  const bool pattern = banner.field == "pattern";
  if (!header.array && banner.format != "coordinate") {
    reader.refuse("'{}' is not read: give coordinate or array", shown(banner.format));
  }
  if (banner.field != "real" && banner.field != "integer" && !pattern) {
    reader.refuse("'{}' numbers are not read: give real, integer or pattern", shown(banner.field));
  }
  if (header.array && pattern) {
    reader.refuse("an array has values, and a pattern none: give real or integer, or coordinate");
  }
  if (banner.symmetry == "symmetric") {
    header.symmetry = Symmetry::symmetric;
  } else if (banner.symmetry == "skew-symmetric") {
    header.symmetry = Symmetry::skew;
  } else if (banner.symmetry != "general") {
    reader.refuse("'{}' is not read: give general, symmetric or skew-symmetric",
                  shown(banner.symmetry));
  }
  if (!next_content_line(reader)) {
    reader.refuse("the file ends before {}: is it truncated?",
                  header.array ? "ROWS COLUMNS" : "ROWS COLUMNS ENTRIES");
  }
  header.rows = reader.extent("rows", smaller);
  header.columns = reader.extent("columns", smaller);
  if (!header.array) header.entries = reader.count("entries", 0);
  reader.end_of_line();
  if (header.symmetry != Symmetry::general && header.rows != header.columns) {
    reader.refuse("a matrix of {} rows and {} columns is not {}: write it as 'general'",
                  header.rows, header.columns, banner.symmetry);
  }
  if (header.array) {
    const std::int64_t n = header.rows;
    header.entries = header.symmetry == Symmetry::general     ? n * header.columns
                     : header.symmetry == Symmetry::symmetric ? n * (n + 1) / 2
                                                              : n * (n - 1) / 2;
  }
  return header;
}

MatrixFile::MatrixFile(const std::string& path)
    : MatrixFile(file_contents(path, "name a matrix's file"), path) {}

MatrixFile::MatrixFile(std::string text, std::string file)
    : text_(std::move(text)), file_(std::move(file)) {
  LineReader reader(text_, file_);
  header_ = read_header(reader);
}

MatrixFile::Written MatrixFile::write(std::span<double> elements, std::int64_t pitch,
                                      ElementType type) const {
  LineReader reader(text_, file_);
  const auto [array, field, symmetry, rows, columns, entries] = read_header(reader);
  require(
      pitch >= columns && elements.size() >= static_cast<std::size_t>((rows - 1) * pitch + columns),
      "as many elements as the matrix has");
  const auto at = [&](std::int64_t row, std::int64_t column) -> double& {
    return elements[row * pitch + column];
  };
  for (std::int64_t row = 0; row < rows; ++row) std::fill_n(&at(row, 0), columns, 0);
  Written written;
  std::vector<bool> seen(array ? 0 : static_cast<std::size_t>(rows * columns));
  std::int64_t done = 0, i = symmetry == Symmetry::skew ? 1 : 0, j = 0;
  for (; next_content_line(reader); ++done) {
    reader.check_one_more(done, entries);
    if (!array) {
      i = reader.index("row", "rows", rows, entry);
      j = reader.index("column", "columns", columns, entry);
      if (symmetry != Symmetry::general && i < j) {
        reader.refuse(
            "an entry above the diagonal, of a matrix that is symmetric: write the one below it "
            "alone, or all as 'general'");
      }
      if (symmetry == Symmetry::skew && i == j) {
        reader.refuse("the diagonal of a skew-symmetric matrix is 0: remove the entry");
      }
    }
    const auto [value, text] = read_value(reader, field, array ? element : entry);
    if (!array) {
      auto before = seen[i * columns + j];
      written.repeated += before;
      before = true;
    }
    add(at(i, j), value, text, type, reader);
    if (symmetry != Symmetry::general && i != j) {
      add(at(j, i), symmetry == Symmetry::skew ? -value : value, text, type, reader);
    }
    reader.end_of_line();
    if (array && ++i == rows) {
      ++j;
      i = symmetry == Symmetry::general ? 0 : symmetry == Symmetry::symmetric ? j : j + 1;
    }
  }
  reader.check_all(done, entries);
  for (std::int64_t row = 0; row < rows; ++row) {
    written.nonzeros += columns - std::count(&at(row, 0), &at(row, 0) + columns, 0);
  }
  return written;
}

std::vector<double> read_vector(const std::string& path, std::int64_t count, ElementType type) {
  std::string text = file_contents(path, "name a vector's file");
  const auto check_count = [&](std::int64_t found) {
    if (found == count) return;
    reject("{} has {} elements, where {} are needed: name another file", path, found, count);
  };
  if (!is_npy(text)) {
    const MatrixFile file(std::move(text), path);
    if (file.rows() != 1 && file.columns() != 1) {
      reject("{}: a matrix of {} rows and {} columns is no vector: give one column, or one row",
             path, file.rows(), file.columns());
    }
    check_count(std::max(file.rows(), file.columns()));
    std::vector<double> result(static_cast<std::size_t>(count));
    file.write(result, file.columns(), type);
    return result;
  }
  std::vector<double> result = npy_vector(text, path);
  check_count(static_cast<std::int64_t>(result.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double value = result[i];
    if (finite_in(type, value)) continue;
    reject("{}: element {} (from 0) is {}, which is not finite in {}: {}", path, i, value,
           name(type), std::isfinite(value) ? "take --type f64" : "correct it");
  }
  return result;
}

}  // namespace portcost
