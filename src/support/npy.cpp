// SPDX-License-Identifier: Apache-2.0
#include "src/support/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "src/record/locked_file.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view ending = ".npy";

// Little-endian, as all machines are that this is built for.
static_assert(std::endian::native == std::endian::little);
constexpr std::string_view description_of(ElementType type) {
  return type == ElementType::i32 ? "<i4" : type == ElementType::f32 ? "<f4" : "<f8";
}

}  // namespace

std::string beside(const std::string& path, const std::string& what) {
  return fmt::format("{}.{}{}", path.substr(0, path.size() - ending.size()), what, ending);
}

std::string npy_header(ElementType type, std::int64_t rows, std::int64_t columns) {
  std::string description =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                  description_of(type), rows, columns);
  constexpr std::size_t before = 10, unit = 64;  // magic, version and length; what all is filled to
  const std::size_t bytes = (before + description.size() + 1 + unit - 1) / unit * unit - before;
  description.resize(bytes - 1, ' ');
  std::string header("\x93NUMPY\x01", 7);
  header.push_back('\0');
  // Two bytes hold the length of any description of two extents, so version 2.0 is never needed.
  header.push_back(static_cast<char>(bytes & 0xFF));
  header.push_back(static_cast<char>(bytes >> 8));
  return header + description + '\n';
}

NpyFile::NpyFile(std::string path, bool replace)
    : path_(std::move(path)), part_path_(path_ + ".part"), replace_(replace) {
  check_name();
  const LockedFile attempt(part_path_, LockedFile::Missing::make);
  std::error_code ignored;
  fs::remove(part_path_, ignored);
}

NpyFile::~NpyFile() {
  std::error_code ignored;
  if (written_) fs::remove(part_path_, ignored);
}

void NpyFile::check_name() const {
  if (!path_.ends_with(ending) || fs::path(path_).filename() == ending) {
    throw UsageError(fmt::format("'{}' must end in {}: name a file of NumPy's", path_, ending));
  }
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) {
    throw UsageError(fmt::format("cannot write '{}': it is a folder", path_));
  }
  if (!replace_ && fs::exists(path_, ignored)) {
    throw UsageError(
        fmt::format("'{}' exists: name another file, or let it be replaced with --force", path_));
  }
}

void NpyFile::write(ElementType type, std::int64_t rows, std::int64_t columns,
                    std::span<const std::byte> elements) {
  require(elements.size() ==
              static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * bytes(type),
          "as many elements as the shape says");
  LockedFile file(part_path_, LockedFile::Missing::make);
  written_ = true;
  const std::string header = npy_header(type, rows, columns);
  file.write_at(0, header);
  file.write_at(header.size(), {reinterpret_cast<const char*>(elements.data()), elements.size()});
  file.sync();
}

void NpyFile::finish() {
  require(written_, "written before it gets its name");
  check_name();  // again: somebody may have put a file there meanwhile
  std::error_code error;
  fs::rename(part_path_, path_, error);
  require(!error, fmt::format("'{}' could not be given its name ({})", path_, error.message()));
  written_ = false;
}

}  // namespace portcost
