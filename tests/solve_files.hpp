// SPDX-License-Identifier: Apache-2.0
// Common to the tests of `portcost solve`: the command, and the files that it reads and writes.
#pragma once

#include <initializer_list>

#include "src/files/npy.hpp"
#include "tests/command.hpp"

namespace portcost::test {

using Entries = std::vector<std::string>;

inline const std::string coordinate_banner = "%%MatrixMarket matrix coordinate real general\n";
inline const std::string array_banner = "%%MatrixMarket matrix array real general\n";

/// A folder of its own with these files in it: name and text.
class Files : public TemporaryFolder {
 public:
  Files(std::initializer_list<std::pair<const char*, std::string>> files) {
    for (const auto& [name, text] : files) write_file(file(name), text);
  }
};

/// portcost solve ALGORITHM with `more`.
inline Outcome solve(const TemporaryFolder& folder, const std::string& algorithm,
                     const Arguments& more, const Around& around = {}) {
  return run_command(folder, joined({"solve", algorithm}, more), around);
}

/// What is behind the header of a file of NumPy's.
template <class T>
std::vector<T> elements_of(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<T> values((text.size() - 128) / sizeof(T));
  std::memcpy(values.data(), text.data() + 128, values.size() * sizeof(T));
  return values;
}

/// A file of a matrix whose elements are element(row, column).
template <class Element>
std::string array_of(std::int64_t rows, std::int64_t columns, const Element& element) {
  std::string text = fmt::format("{}{} {}\n", array_banner, rows, columns);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) text += fmt::format("{:.17g}\n", element(i, j));
  }
  return text;
}
/// n on the diagonal and, everywhere else, 1.
inline std::string dominant(std::int64_t n) {
  return array_of(n, n, [&](auto i, auto j) { return i == j ? static_cast<double>(n) : 1.0; });
}

}  // namespace portcost::test
