// SPDX-License-Identifier: Apache-2.0
// Arrays as NumPy reads and writes them: numpy.load(FILE), numpy.save(FILE, ...).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/contract/element_type.hpp"
#include "src/support/uncopied.hpp"

namespace portcost {

/// The name, "roads.npy", of a file beside it, "roads.next.npy". `path` ends in .npy.
std::string beside(const std::string& path, const std::string& what);

/// A file in NumPy's format 1.0, or of its elements alone,
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html) that is there complete
/// or not at all: it is written under another name, PATH.part, and renamed.
class NpyFile : Uncopied {
 public:
  /// What a name may end in: .npy, or also .raw, for a file without a header.
  enum class Endings { npy, npy_or_raw };
  /// Sees to it that the file can be written, and leaves nothing there. Throws UsageError when the
  /// name does not end so, is a folder's, cannot be written, or (unless `replace`) exists.
  NpyFile(std::string path, bool replace, Endings endings = Endings::npy);
  ~NpyFile();

  /// Writes `rows` rows of `columns` elements, a row after the other, under the other name. Throws
  /// Failure when the disk is full, and leaves nothing there.
  void write(ElementType type, std::int64_t rows, std::int64_t columns,
             std::span<const std::byte> elements);
  /// The same of a vector, an array of one dimension.
  void write(std::span<const double> vector);
  /// Gives what was written its name.
  void finish();

  const std::string& path() const { return path_; }

 private:
  void check_name() const;
  bool is_raw() const;
  void write(const std::string& header, std::span<const std::byte> elements);

  std::string path_, part_path_;
  bool replace_, written_ = false;
  Endings endings_;
};

/// The bytes before an array's elements: magic, version, the length of the description, and the
/// description, filled up with spaces to a multiple of 64.
std::string npy_header(ElementType type, std::int64_t rows, std::int64_t columns);
/// The same of a vector.
std::string npy_header(ElementType type, std::int64_t count);

/// True where a text begins as a file of NumPy's does.
bool is_npy(std::string_view text);
/// The elements of such a file that holds a vector, of n, n x 1 or 1 x n numbers in f32 or f64.
/// Throws UsageError, in which it is called `file`, for whatever does not.
std::vector<double> npy_vector(std::string_view text, const std::string& file);

}  // namespace portcost
