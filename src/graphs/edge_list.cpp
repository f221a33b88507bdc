// SPDX-License-Identifier: Apache-2.0
#include "src/graphs/edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>

#include "src/support/error.hpp"

namespace portcost {

namespace {

constexpr std::int64_t most_vertices = std::numeric_limits<std::int32_t>::max();

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// What a file holds, quoted in an error: short, and printable.
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 40 ? result + "..." : result;
}

// Goes through a text by lines, and through a line by words.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  // The next line that has a word; false at the end.
  bool next_line() {
    while (!rest_.empty()) {
      const void* const end = std::memchr(rest_.data(), '\n', rest_.size());
      const std::size_t length =
          end == nullptr ? rest_.size()
                         : static_cast<std::size_t>(static_cast<const char*>(end) - rest_.data());
      line_ = rest_.substr(0, length);
      rest_.remove_prefix(std::min(length + 1, rest_.size()));
      ++number_;
      skip_blanks();
      if (!line_.empty()) return true;
    }
    return false;
  }
  // The next word of the line; empty at its end.
  std::string_view word() {
    std::size_t length = 0;
    while (length < line_.size() && !blank(line_[length])) ++length;
    const std::string_view result = line_.substr(0, length);
    line_.remove_prefix(length);
    skip_blanks();
    return result;
  }
  std::string_view line() const { return line_; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(fmt::format("{}:{}: {}", file_, std::max<std::int64_t>(number_, 1), what));
  }

  // A count of the header, from `least`.
  std::int64_t count(std::string_view what, std::int64_t least) {
    const std::string_view text = word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) refuse(fmt::format("the number of {} is missing: add it to the line", what));
    if (error == std::errc::result_out_of_range) {
      refuse(
          fmt::format("{} {} are more than can be counted: correct the line", shown(text), what));
    }
    if (error != std::errc() || end != text.data() + text.size() || value < least) {
      refuse(fmt::format("the number of {} is '{}': write a whole number from {}", what,
                         shown(text), least));
    }
    return value;
  }
  std::int64_t vertices(std::string_view what) {
    const std::int64_t value = count(what, 1);
    if (value > most_vertices) {
      refuse(fmt::format("{} {} are more than {}, the most that there may be: take a smaller graph",
                         value, what, most_vertices));
    }
    return value;
  }
  std::int32_t vertex(std::int64_t vertices) {
    const std::string_view text = word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) refuse("a vertex is missing: write FROM TO LENGTH");
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
      refuse(fmt::format("vertex '{}' is no whole number: number the vertices from 1 to {}",
                         shown(text), vertices));
    }
    if (error != std::errc() || value < 1 || value > vertices) {
      refuse(fmt::format("vertex {} is out of range: the header says that there are {}, from 1 on",
                         shown(text), vertices));
    }
    return static_cast<std::int32_t>(value - 1);
  }
  double length(ElementType type) {
    const std::string_view text = word();
    if (text.empty()) refuse("the length is missing: write FROM TO LENGTH");
    std::string_view digits = text;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
      refuse(fmt::format("length '{}' is no number: write one, such as 12 or 0.5", shown(text)));
    }
    if (std::isnan(value)) {
      refuse("the length is NaN, which is no number: write one, or remove the edge");
    }
    if (error != std::errc() || std::isinf(value)) {
      refuse(fmt::format("length {} is not finite in f64: where there is no way, write no edge",
                         shown(text)));
    }
    return as_type(value, text, type);
  }
  void end_of_line() {
    if (line_.empty()) return;
    refuse(fmt::format("'{}' is too much: end the line before it", shown(line_)));
  }

 private:
  void skip_blanks() {
    while (!line_.empty() && blank(line_.front())) line_.remove_prefix(1);
    while (!line_.empty() && blank(line_.back())) line_.remove_suffix(1);
  }
  double as_type(double value, std::string_view text, ElementType type) const {
    if (type == ElementType::f64) return value;
    if (type == ElementType::f32) {
      if (std::abs(value) > std::numeric_limits<float>::max()) {
        refuse(fmt::format("length {} is not finite in f32: divide all lengths by a power of 2",
                           shown(text)));
      }
      return static_cast<float>(value);
    }
    if (value != std::trunc(value)) {
      refuse(fmt::format("length {} is not whole, as i32 needs it: solve with --type f32",
                         shown(text)));
    }
    if (std::abs(value) > most_whole_length) {
      refuse(fmt::format(
          "length {} is out of i32's range here, {:.0f} to {:.0f}: solve with --type f32",
          shown(text), -most_whole_length, most_whole_length));
    }
    return value;
  }

  std::string_view rest_, line_;
  const std::string& file_;
  std::int64_t number_ = 0;
};

// A file of `bytes` bytes cannot have more edges, whatever its header says.
void reserve(EdgeList& list, std::int64_t entries, std::size_t bytes, int directions) {
  constexpr std::size_t shortest_line = 4;  // "1 1\n"
  list.edges.reserve(std::min(static_cast<std::size_t>(entries), bytes / shortest_line + 1) *
                     static_cast<std::size_t>(directions));
}

void check_one_more(const Reader& reader, std::int64_t done, std::int64_t entries) {
  if (done < entries) return;
  reader.refuse(
      fmt::format("the header says {} entries, and this is one more: correct the header, "
                  "or remove what is too much",
                  entries));
}
void check_all(const Reader& reader, std::int64_t done, std::int64_t entries) {
  if (done == entries) return;
  reader.refuse(
      fmt::format("the file ends after {} of {} entries: is it truncated? Copy it again, "
                  "or correct the number in the header",
                  done, entries));
}

struct Banner {
  bool pattern, symmetric;
};

Banner read_banner(Reader& reader) {
  reader.word();  // %%MatrixMarket
  const auto next = [&](const char* what) {
    const std::string word = lower(reader.word());
    if (word.empty()) {
      reader.refuse(
          fmt::format("the banner has no {}: write '%%MatrixMarket matrix coordinate real "
                      "general'",
                      what));
    }
    return word;
  };
  const std::string object = next("object"), format = next("format"), field = next("field"),
                    symmetry = next("symmetry");
  reader.end_of_line();
  if (object != "matrix") {
    reader.refuse(fmt::format("'{}' is no matrix: write 'matrix', or convert it", shown(object)));
  }
  if (format != "coordinate") {
    reader.refuse(
        fmt::format("'{}' is not read: convert it to 'coordinate', an edge a line", shown(format)));
  }
  if (field != "real" && field != "integer" && field != "pattern") {
    reader.refuse(fmt::format("'{}' numbers are no lengths of edges: give real, integer or pattern",
                              shown(field)));
  }
  if (symmetry == "skew-symmetric") {
    reader.refuse(
        "skew-symmetric would give each edge its negative as a way back, and so each pair "
        "of vertices a cycle of length 0: write the edges you mean as 'general'");
  }
  if (symmetry != "general" && symmetry != "symmetric") {
    reader.refuse(fmt::format("'{}' is not read: give general or symmetric", shown(symmetry)));
  }
  return {field == "pattern", symmetry == "symmetric"};
}

EdgeList parse_matrix_market(Reader reader, std::size_t bytes, ElementType type) {
  reader.next_line();
  const Banner banner = read_banner(reader);
  const auto next_line = [&] {
    bool found = reader.next_line();
    while (found && reader.line().starts_with('%')) found = reader.next_line();
    return found;
  };
  if (!next_line()) reader.refuse("the file ends before ROWS COLUMNS ENTRIES: is it truncated?");
  EdgeList list;
  list.vertices = reader.vertices("rows");
  const std::int64_t columns = reader.vertices("columns"), entries = reader.count("entries", 0);
  reader.end_of_line();
  if (columns != list.vertices) {
    reader.refuse(
        fmt::format("a matrix of {} rows and {} columns is no graph: it needs a row and a "
                    "column for each vertex",
                    list.vertices, columns));
  }
  reserve(list, entries, bytes, banner.symmetric ? 2 : 1);
  std::int64_t done = 0;
  for (; next_line(); ++done) {
    check_one_more(reader, done, entries);
    const std::int32_t from = reader.vertex(list.vertices), to = reader.vertex(list.vertices);
    const double length = banner.pattern ? 1 : reader.length(type);
    reader.end_of_line();
    list.edges.push_back({from, to, length});
    if (banner.symmetric && from != to) list.edges.push_back({to, from, length});
  }
  check_all(reader, done, entries);
  return list;
}

EdgeList parse_dimacs(Reader reader, std::size_t bytes, ElementType type) {
  EdgeList list;
  std::int64_t entries = -1, done = 0;
  while (reader.next_line()) {
    if (reader.line().front() == 'c') continue;
    const std::string_view kind = reader.word();
    if (kind == "a") {
      if (entries < 0)
        reader.refuse("an edge before the header: write 'p sp VERTICES EDGES' first");
      check_one_more(reader, done, entries);
      const std::int32_t from = reader.vertex(list.vertices), to = reader.vertex(list.vertices);
      const double length = reader.length(type);
      reader.end_of_line();
      list.edges.push_back({from, to, length});
      ++done;
    } else if (kind == "p") {
      if (entries >= 0) reader.refuse("a second header: remove one of the two");
      const std::string_view problem = reader.word();
      if (problem != "sp") {
        reader.refuse(fmt::format("'p {}' is no shortest-path graph: write 'p sp VERTICES EDGES'",
                                  shown(problem)));
      }
      list.vertices = reader.vertices("vertices");
      entries = reader.count("edges", 0);
      reader.end_of_line();
      reserve(list, entries, bytes, 1);
    } else {
      reader.refuse(
          fmt::format("a line that begins with '{}': lines begin with c (comment), p "
                      "(header) or a (edge)",
                      shown(kind)));
    }
  }
  if (entries < 0) reader.refuse("there is no header: write 'p sp VERTICES EDGES'");
  check_all(reader, done, entries);
  return list;
}

UsageError cannot_read(const std::string& path, const std::string& why) {
  return UsageError(fmt::format("cannot read '{}' ({}): name a graph's file", path, why));
}

std::string contents(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw cannot_read(path, "it is a folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw cannot_read(path, std::strerror(errno));
  std::string text;
  const auto size = std::filesystem::file_size(path, ignored);
  if (!ignored) text.reserve(static_cast<std::size_t>(size) + 1);
  std::array<char, 1 << 16> part;
  for (std::size_t got; (got = std::fread(part.data(), 1, part.size(), file.get())) > 0;) {
    text.append(part.data(), got);
  }
  require(std::ferror(file.get()) == 0,
          fmt::format("'{}' could not be read ({})", path, std::strerror(errno)));
  return text;
}

}  // namespace

EdgeList parse_edge_list(std::string_view text, const std::string& file, ElementType type) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a mark that editors leave
  Reader first(text, file);
  if (text.starts_with("\x1F\x8B")) first.refuse("the file is compressed: unpack it with gunzip");
  if (!first.next_line()) first.refuse("the file is empty: it has no graph");
  const std::string_view line = first.line();
  const std::string_view word = first.word();
  const Reader reader(text, file);
  if (lower(word) == "%%matrixmarket") return parse_matrix_market(reader, text.size(), type);
  if (word == "c" || word == "p" || word == "a") return parse_dimacs(reader, text.size(), type);
  first.refuse(
      fmt::format("'{}' begins neither a Matrix Market file (%%MatrixMarket matrix "
                  "coordinate ...) nor a .gr file of DIMACS (p sp ...): convert the graph",
                  shown(line)));
}

EdgeList read_edge_list(const std::string& path, ElementType type) {
  return parse_edge_list(contents(path), path, type);
}

}  // namespace portcost
