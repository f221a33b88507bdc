// SPDX-License-Identifier: Apache-2.0
#include "src/files/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "src/files/line_reader.hpp"
#include "src/record/locked_file.hpp"
#include "src/support/reject.hpp"

namespace portcost {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view ending = ".npy", raw_ending = ".raw", magic = "\x93NUMPY";

// Little-endian, as all machines are that this is built for.
static_assert(std::endian::native == std::endian::little);
constexpr std::string_view description_of(ElementType type) {
  return type == ElementType::i32 ? "<i4" : type == ElementType::f32 ? "<f4" : "<f8";
}

constexpr std::size_t before = 10;  // magic, version, and the length of the description

std::string header_of(ElementType type, const std::string& shape) {
  std::string description = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                        description_of(type), shape);
  constexpr std::size_t unit = 64;  // what all is filled to
  const std::size_t bytes = (before + description.size() + 1 + unit - 1) / unit * unit - before;
  description.resize(bytes - 1, ' ');
  std::string header = std::string(magic) + '\x01';
  header.push_back('\0');
  // Two bytes hold the length of any description of two extents, so version 2.0 is never needed.
  header.push_back(static_cast<char>(bytes & 0xFF));
  header.push_back(static_cast<char>(bytes >> 8));
  return header + description + '\n';
}

// What stands behind 'key': in a description; empty where it has no such key.
std::string_view behind(std::string_view description, std::string_view key) {
  const auto at = description.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  const auto value = description.find_first_not_of(' ', at + key.size() + 3);
  return value == std::string_view::npos ? std::string_view() : description.substr(value);
}

// Up to `end`, that included.
std::string_view up_to(std::string_view text, char end, std::size_t from) {
  return text.substr(0, std::min(text.find(end, from), text.size() - 1) + 1);
}

// The description of an array's type and shape, and its elements.
struct Parts {
  std::string_view description, elements;
};
Parts parts_of(std::string_view text, const std::string& file) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at]));
  };
  const auto check_size = [&](std::size_t header) {
    if (text.size() >= header) return;
    reject(
        "{}: the file ends after {} bytes, in its header of {} or more: is it "
        "truncated? Copy it again",
        file, text.size(), header);
  };
  check_size(before);
  const std::size_t version = byte(magic.size());
  if (version < 1 || version > 3) {
    reject("{}: version {} of NumPy's format is not read: save it with numpy.save", file, version);
  }
  const std::size_t first = version == 1 ? before : before + 2;
  check_size(first);
  std::size_t length = byte(8) + (byte(9) << 8);
  if (version > 1) length += (byte(10) << 16) + (byte(11) << 24);
  check_size(first + length);
  return {text.substr(first, length), text.substr(first + length)};
}

// How many elements a vector of the shape "(n,)", "(n, 1)" or "(1, n)" has; -1 for other shapes.
std::int64_t elements_of(std::string_view shape) {
  std::vector<std::int64_t> extents;
  for (std::size_t at = 1; at < shape.size();) {
    std::int64_t extent = 0;
    const auto [end, error] =
        std::from_chars(shape.data() + at, shape.data() + shape.size(), extent);
    if (error != std::errc() || extent < 0) return -1;
    extents.push_back(extent);
    at = shape.find_first_of("-0123456789", static_cast<std::size_t>(end - shape.data()));
  }
  if (extents.size() == 1) return extents[0];
  if (extents.size() != 2 || std::min(extents[0], extents[1]) > 1) return -1;
  return extents[0] * extents[1];
}

}  // namespace

std::string beside(const std::string& path, const std::string& what) {
  return fmt::format("{}.{}{}", path.substr(0, path.size() - ending.size()), what, ending);
}

std::string npy_header(ElementType type, std::int64_t rows, std::int64_t columns) {
  return header_of(type, fmt::format("({}, {})", rows, columns));
}

std::string npy_header(ElementType type, std::int64_t count) {
  return header_of(type, fmt::format("({},)", count));
}

NpyFile::NpyFile(std::string path, bool replace, Endings endings)
    : path_(std::move(path)), part_path_(path_ + ".part"), replace_(replace), endings_(endings) {
  check_name();
  const LockedFile attempt(part_path_, LockedFile::Missing::make);
  std::error_code ignored;
  fs::remove(part_path_, ignored);
}

NpyFile::~NpyFile() {
  std::error_code ignored;
  if (written_) fs::remove(part_path_, ignored);
}

bool NpyFile::is_raw() const {
  return endings_ == Endings::npy_or_raw && path_.ends_with(raw_ending);
}

void NpyFile::check_name() const {
  const std::string_view mine = is_raw() ? raw_ending : ending;
  if (!path_.ends_with(mine) || fs::path(path_).filename() == mine) {
    reject("'{}' must end in {}{}: name a file such as x{}", path_, ending,
           endings_ == Endings::npy ? "" : " or .raw", ending);
  }
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) {
    reject("cannot write '{}': it is a folder: name a file", path_);
  }
  if (!replace_ && fs::exists(path_, ignored)) {
    reject("'{}' exists: name another file, or let it be replaced with --force", path_);
  }
}

void NpyFile::write(ElementType type, std::int64_t rows, std::int64_t columns,
                    std::span<const std::byte> elements) {
  require(elements.size() ==
              static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * bytes(type),
          "as many elements as the shape says");
  write(is_raw() ? std::string() : npy_header(type, rows, columns), elements);
}

void NpyFile::write(std::span<const double> vector) {
  write(npy_header(ElementType::f64, static_cast<std::int64_t>(vector.size())),
        std::as_bytes(vector));
}

void NpyFile::write(const std::string& header, std::span<const std::byte> elements) {
  LockedFile file(part_path_, LockedFile::Missing::make);
  written_ = true;
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

bool is_npy(std::string_view text) { return text.starts_with(magic); }

std::vector<double> npy_vector(std::string_view text, const std::string& file) {
  const auto [description, elements] = parts_of(text, file);
  const std::string_view kind = behind(description, "descr"),
                         type = kind.starts_with('[') ? up_to(kind, ']', 0) : up_to(kind, '\'', 1),
                         shape = up_to(behind(description, "shape"), ')', 0);
  if (type.empty() || shape.empty()) {
    reject("{}: the header '{}' has no '{}': save it with numpy.save", file, shown(description),
           type.empty() ? "descr" : "shape");
  }
  const bool single = type == "'<f4'";
  if (!single && type != "'<f8'") {
    reject("{}: elements of the type {} are not read: save them with astype('f8')", file,
           shown(type));
  }
  const std::int64_t count = elements_of(shape);
  if (count < 0) {
    reject("{}: an array of the shape {} is no vector: save one column", file, shown(shape));
  }
  const std::size_t size = single ? sizeof(float) : sizeof(double);
  if (elements.size() / size != static_cast<std::size_t>(count) || elements.size() % size != 0) {
    reject(
        "{}: {} bytes of elements, where {} of the type {} were written: is it "
        "truncated? Copy it again",
        file, elements.size(), count, type);
  }
  std::vector<double> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i) {
    float narrow = 0;
    std::memcpy(single ? static_cast<void*>(&narrow) : &result[i], elements.data() + i * size,
                size);
    if (single) result[i] = narrow;
  }
  return result;
}

}  // namespace portcost
