// SPDX-License-Identifier: Apache-2.0
#include "src/files/line_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>

#include "src/memory/place.hpp"

namespace portcost {

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

std::string file_contents(const std::string& path, std::string_view remedy) {
  return file_contents(path, remedy, available_bytes(Place::host) / 2);
}

std::string file_contents(const std::string& path, std::string_view remedy, double most) {
  const auto cannot_read = [&](const std::string& why) {
    return UsageError(fmt::format("cannot read '{}' ({}): {}", path, why, remedy));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw cannot_read("it is a folder");
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::character || type == std::filesystem::file_type::block) {
    throw cannot_read("it is a device");  // some never end
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw cannot_read(std::strerror(errno));
  const auto check_size = [&](std::string_view before, std::uintmax_t bytes) {
    if (static_cast<double>(bytes) <= most) return;
    reject(
        "cannot read '{}' (it has {}{} bytes, and at most {:.0f} fit in the memory that is free): "
        "take a smaller one",
        path, before, bytes, most);
  };
  std::string text;
  const auto size = std::filesystem::file_size(path, ignored);
  if (!ignored) {
    check_size("", size);
    text.reserve(static_cast<std::size_t>(size) + 1);
  }
  std::array<char, 1 << 16> part;
  for (std::size_t got; (got = std::fread(part.data(), 1, part.size(), file.get())) > 0;) {
    check_size("at least ", text.size() + got);
    text.append(part.data(), got);
  }
  require(std::ferror(file.get()) == 0,
          fmt::format("'{}' could not be read ({})", path, std::strerror(errno)));
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 40 ? result + "..." : result;
}

LineReader::LineReader(std::string_view text, const std::string& file) : rest_(text), file_(file) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // a mark that editors leave
  if (rest_.starts_with("\x1F\x8B")) refuse("the file is compressed: unpack it with gunzip");
  if (rest_.starts_with("PK\x03\x04")) refuse("the file is a ZIP archive: unpack it with unzip");
  if (rest_.starts_with("\xFF\xFE") || rest_.starts_with("\xFE\xFF")) {
    refuse("the file is UTF-16 text: save it as UTF-8");
  }
}

bool LineReader::next_line() {
  while (!rest_.empty()) {
    line_ = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line_.size() + 1, rest_.size()));
    ++number_;
    skip_blanks();
    if (!line_.empty()) return true;
  }
  return false;
}

std::string_view LineReader::word() {
  std::size_t length = 0;
  while (length < line_.size() && !blank(line_[length])) ++length;
  const std::string_view result = line_.substr(0, length);
  line_.remove_prefix(length);
  skip_blanks();
  return result;
}

std::int64_t LineReader::count(std::string_view what, std::int64_t least) {
  const std::string_view text = word();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty()) refuse("the number of {} is missing: add it to the line", what);
  if (error == std::errc::result_out_of_range) {
    refuse("{} {} are more than can be counted: correct the line", shown(text), what);
  }
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    refuse("the number of {} is '{}': write a whole number from {}", what, shown(text), least);
  }
  return value;
}

std::int64_t LineReader::extent(std::string_view what, std::string_view remedy) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t value = count(what, 1);
  if (value > most) {
    refuse("{} {} are more than {}, the most that there may be: {}", value, what, most, remedy);
  }
  return value;
}

std::int32_t LineReader::index(std::string_view what, std::string_view plural, std::int64_t most,
                               const EntryWords& words) {
  const std::string_view text = word();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty()) refuse("a {} is missing: write {}", what, words.form);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    refuse("{} '{}' is no whole number: number the {} from 1 to {}", what, shown(text), plural,
           most);
  }
  if (error != std::errc() || value < 1 || value > most) {
    refuse("{} {} is out of range: the header says that there are {}, from 1 on", what, shown(text),
           most);
  }
  return static_cast<std::int32_t>(value - 1);
}

LineReader::Number LineReader::number(const EntryWords& words) {
  const std::string_view text = word();
  if (text.empty()) refuse("the {} is missing: write {}", words.value, words.form);
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    refuse("{} '{}' is no number: write one, such as 12 or 0.5", words.value, shown(text));
  }
  if (std::isnan(value)) {
    refuse("the {} is NaN, which is no number: {}", words.value, words.nan);
  }
  if (error == std::errc::result_out_of_range &&
      std::abs(std::strtod(std::string(digits).c_str(), nullptr)) < 1) {
    refuse("{} {} is too small for f64: write 0", words.value, shown(text));
  }
  if (error != std::errc() || std::isinf(value)) {
    refuse("{} {} is not finite in f64: {}", words.value, shown(text), words.infinite);
  }
  return {value, text};
}

void LineReader::end_of_line() {
  if (line_.empty()) return;
  refuse("'{}' is too much: end the line before it", shown(line_));
}

void LineReader::check_one_more(std::int64_t done, std::int64_t entries) const {
  if (done < entries) return;
  refuse(
      "the header says {} entries, and this is one more: correct the header, "
      "or remove what is too much",
      entries);
}

void LineReader::check_all(std::int64_t done, std::int64_t entries) const {
  if (done == entries) return;
  refuse(
      "the file ends after {} of {} entries: is it truncated? Copy it again, "
      "or correct the number in the header",
      done, entries);
}

void LineReader::skip_blanks() {
  while (!line_.empty() && blank(line_.front())) line_.remove_prefix(1);
  while (!line_.empty() && blank(line_.back())) line_.remove_suffix(1);
}

}  // namespace portcost
