// SPDX-License-Identifier: Apache-2.0
#include "src/record/record.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "src/support/error.hpp"

namespace portcost {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view ending = ".jsonl";
constexpr std::string_view part_ending = ".part";

// Whatever keeps a name from being looked at counts as not there: opening it says why.
bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string line_of(const std::string& kind, const Json& fields) {
  Json row{{"kind", kind}};
  row.update(fields);
  return row.dump() + '\n';
}

void write_csv_row(std::ostream& csv, const Json& sample, bool with_header) {
  std::string header, line;
  for (const auto& [key, value] : sample.items()) {
    if (key == "kind") continue;
    if (!header.empty()) {
      header.push_back(',');
      line.push_back(',');
    }
    header.append(key);
    line.append(csv_field(value));
  }
  if (with_header) csv << header << '\n';
  csv << line << '\n';
}

}  // namespace

std::string record_name(const std::string& path) {
  const bool part = path.ends_with(part_ending);
  return part ? path.substr(0, path.size() - part_ending.size()) : path;
}

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

RecordWriter::RecordWriter(std::string path, RecordMode mode)
    : path_(mode.resume ? record_name(path) : std::move(path)) {
  if (!path_.ends_with(ending) || path_.size() == ending.size()) {
    throw UsageError(
        fmt::format("'{}' must end in {}: the samples go to a .csv beside it", path_, ending));
  }
  csv_path_ = path_.substr(0, path_.size() - ending.size()) + ".csv";
  part_path_ = path_ + std::string(part_ending);
  if (mode.resume) {
    open_to_resume(mode.replace);
  } else {
    open_new(mode.replace);
  }
  end_ = held_.end;
  results_ = held_.results.size();
}

RecordWriter::~RecordWriter() {
  if (finished_ || !made_ || results_ > 0) return;
  std::error_code ignored;
  fs::remove(part_path_, ignored);
}

// A folder with the name of a record is found before anything is measured.
void RecordWriter::check_names(bool replace) const {
  for (const std::string& name : {path_, csv_path_, csv_path_ + std::string(part_ending)}) {
    std::error_code ignored;
    if (fs::is_directory(name, ignored)) {
      throw UsageError(fmt::format("cannot write '{}': it is a folder", name));
    }
  }
  for (const std::string& name : {path_, csv_path_}) {
    if (!replace && exists(name)) {
      throw UsageError(
          fmt::format("'{}' exists: name another file, or let it be replaced with --force", name));
    }
  }
}

void RecordWriter::open_new(bool replace) {
  check_names(replace);
  file_ = std::make_unique<LockedFile>(part_path_, LockedFile::Missing::make);
  // Of a run that was stopped before its first result nothing would be lost.
  if (!replace && !read_record_part(part_path_).results.empty()) {
    throw UsageError(
        fmt::format("'{}' holds what an earlier run has finished: go on with it (--resume '{}'), "
                    "name another file, or let it be replaced with --force",
                    part_path_, part_path_));
  }
  check_names(replace);  // again: another process may have finished until the lock was ours
  made_ = true;
}

void RecordWriter::open_to_resume(bool replace) {
  if (exists(part_path_)) {
    if (exists(path_)) check_names(replace);
  } else {
    if (!exists(path_)) {
      throw UsageError(fmt::format("neither '{}' nor '{}' is there: name what is to be resumed",
                                   path_, part_path_));
    }
    held_ = read_record_part(path_);
    if (held_.ended) return;
    part_path_ = path_;  // a record without its end: it is completed where it is
  }
  file_ = std::make_unique<LockedFile>(part_path_, LockedFile::Missing::refuse);
  held_ = read_record_part(part_path_);
  if (held_.header.is_null()) {
    file_.reset();
    throw UsageError(
        fmt::format("'{}' holds nothing to go on with: measure without --resume", part_path_));
  }
}

void RecordWriter::append(const std::string& lines) {
  file_->write_at(end_, lines);
  end_ += lines.size();
}

void RecordWriter::write(const std::string& kind, const Json& fields) {
  append(line_of(kind, fields));
}

void RecordWriter::write_result(Json result, const std::vector<Json>& samples,
                                const std::vector<Json>& rank_rows) {
  result["samples"] = samples.size();
  if (!rank_rows.empty()) result["rank_rows"] = rank_rows.size();
  std::string unit = line_of("result", result);
  for (const Json& sample : samples) unit += line_of("sample", sample);
  for (const Json& row : rank_rows) unit += line_of("ranks", row);
  append(unit);
  ++results_;
}

// Made from the part in one go, so that what is resumed has the samples of all its runs.
void RecordWriter::write_csv() const {
  const std::string temporary = csv_path_ + std::string(part_ending);
  std::ifstream lines(part_path_);
  std::ofstream csv(temporary, std::ios::trunc);
  bool first = true;
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    if (row.at("kind") != "sample") continue;
    write_csv_row(csv, row, first);
    first = false;
  }
  csv.close();
  if (csv.fail()) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Failure(fmt::format("'{}' could not be written in full: is the disk full?", csv_path_));
  }
  fs::rename(temporary, csv_path_);
}

void RecordWriter::finish() {
  append(line_of("end", {{"results", results_}}));
  file_->sync();
  write_csv();
  if (part_path_ != path_) fs::rename(part_path_, path_);
  finished_ = true;
}

}  // namespace portcost
