// SPDX-License-Identifier: Apache-2.0
// Matrices as Matrix Market files have them (https://math.nist.gov/MatrixMarket/formats.html).
#pragma once

#include <span>
#include <vector>

#include "src/contract/element_type.hpp"
#include "src/files/line_reader.hpp"

namespace portcost {

/// True where `value`, rounded to `type`, is finite.
bool finite_in(ElementType type, double value);

/// The words of a file's first line behind "matrix", in small letters.
struct MatrixMarketBanner {
  std::string format;    // "coordinate" or "array"
  std::string field;     // "real", "integer", "pattern", "complex"
  std::string symmetry;  // "general", "symmetric", "skew-symmetric", "hermitian"
};

/// Reads the reader's first line, and refuses one that has not these words, whatever they are.
MatrixMarketBanner read_banner(LineReader& reader);

/// The value that ends an entry: 1 where the banner's field is "pattern", which has none. Refuses
/// one that is not whole where it is "integer".
LineReader::Number read_value(LineReader& reader, std::string_view field, const EntryWords& words);

/// The next line that is no comment; false at the end.
bool next_content_line(LineReader& reader);

/// A matrix of real numbers in a file of which the header has been read, so that its size is known
/// before memory is taken for its elements:
///
///   %%MatrixMarket matrix coordinate real general    also integer or pattern (all 1), symmetric or
///   % comment                                        skew-symmetric (entries below the diagonal)
///   ROWS COLUMNS ENTRIES
///   ROW COLUMN VALUE
///
///   %%MatrixMarket matrix array real general         the same but pattern
///   ROWS COLUMNS
///   VALUE                                            column by column
///
/// What is not such a file is a UsageError, "FILE:LINE: what is wrong: what to do".
class MatrixFile {
 public:
  /// Reads the file, or takes its text; `file` is the name in errors.
  explicit MatrixFile(const std::string& path);
  MatrixFile(std::string text, std::string file);

  const std::string& file() const { return file_; }
  std::int64_t rows() const { return header_.rows; }
  std::int64_t columns() const { return header_.columns; }

  struct Written {
    std::int64_t nonzeros = 0;  // elements
    std::int64_t repeated = 0;  // entries of the file whose element an earlier entry has
  };
  /// Writes the elements in rows of `pitch`, the columns() first of each. Entries of one element
  /// are added up. Elements that are not finite in `type` are refused.
  Written write(std::span<double> elements, std::int64_t pitch, ElementType type) const;

 private:
  enum class Symmetry { general, symmetric, skew };
  struct Header {
    bool array;
    std::string field;
    Symmetry symmetry;
    std::int64_t rows, columns, entries;
  };

  static Header read_header(LineReader& reader);

  std::string text_, file_;
  Header header_;
};

/// A vector of `count` elements from a file: n x 1 or 1 x n in the format above, or of NumPy's.
/// Throws UsageError for whatever is no such file, and for numbers that are not finite in `type`.
std::vector<double> read_vector(const std::string& path, std::int64_t count, ElementType type);

}  // namespace portcost
