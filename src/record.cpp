// SPDX-License-Identifier: Apache-2.0
#include "src/record.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "src/error.hpp"

namespace portcost {

namespace {

constexpr std::string_view ending = ".jsonl";

std::string temporary(const std::string& path) { return path + ".part"; }

void open(std::ofstream& file, const std::string& path) {
  if (!std::filesystem::is_directory(path)) file.open(temporary(path), std::ios::trunc);
  if (!file.is_open()) {
    throw UsageError(
        fmt::format("cannot write '{}': does its folder exist, may you write there, and is it no "
                    "folder itself?",
                    path));
  }
}

void remove_temporary(std::ofstream& file, const std::string& path) {
  if (file.is_open()) file.close();
  std::error_code ignored;
  std::filesystem::remove(temporary(path), ignored);
}

void close_and_rename(std::ofstream& file, const std::string& path) {
  file.close();
  require(!file.fail(), fmt::format("'{}' could not be written in full: is the disk full?", path));
  std::filesystem::rename(temporary(path), path);
}

}  // namespace

std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return value.dump();
  const auto text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  quoted.push_back('"');
  return quoted;
}

RecordWriter::RecordWriter(std::string path) : path_(std::move(path)) {
  if (!path_.ends_with(ending) || path_.size() == ending.size()) {
    throw UsageError(
        fmt::format("'{}' must end in {}: the samples go to a .csv beside it", path_, ending));
  }
  csv_path_ = path_.substr(0, path_.size() - ending.size()) + ".csv";
  open(lines_, path_);
  try {
    open(csv_, csv_path_);
  } catch (...) {
    remove_temporary(lines_, path_);
    throw;
  }
}

RecordWriter::~RecordWriter() {
  if (finished_) return;
  remove_temporary(lines_, path_);
  remove_temporary(csv_, csv_path_);
}

void RecordWriter::write(const std::string& kind, const Json& fields) {
  Json row{{"kind", kind}};
  row.update(fields);
  lines_ << row.dump() << '\n';
  if (kind == "sample") write_csv(fields);
}

void RecordWriter::write_csv(const Json& fields) {
  std::string header, line;
  for (const auto& [key, value] : fields.items()) {
    if (!header.empty()) {
      header.push_back(',');
      line.push_back(',');
    }
    header.append(key);
    line.append(csv_field(value));
  }
  if (!csv_has_header_) csv_ << header << '\n';
  csv_has_header_ = true;
  csv_ << line << '\n';
}

void RecordWriter::finish() {
  lines_.flush();
  csv_.flush();
  require(lines_.good() && csv_.good(),
          fmt::format("'{}' could not be written in full: is the disk full?", path_));
  close_and_rename(lines_, path_);
  close_and_rename(csv_, csv_path_);
  finished_ = true;
}

}  // namespace portcost
