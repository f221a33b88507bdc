// SPDX-License-Identifier: Apache-2.0
#include "src/record/record.hpp"
#include "src/support/reject.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

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

void write_csv_row(std::ostream& csv, Json sample, bool with_header) {
  sample.erase("kind");
  const auto& fields = sample.get_ref<const Json::object_t&>();
  if (with_header) csv << joined(fields, ",", [](const auto& one) { return one.first; }) << '\n';
  csv << joined(fields, ",", [](const auto& one) { return csv_field(one.second); }) << '\n';
}

class PartReader {
 public:
  explicit PartReader(std::string path) : path_(std::move(path)) {}

  void take(std::string_view line) {
    ++number_;
    bytes_ += line.size() + 1;
    if (number_ > 1 && line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const Json row = Json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("kind") || !row["kind"].is_string()) {
      refuse("is no row of a record");
    }
    const std::string kind = row["kind"];
    if (part.ended) refuse("stands behind the end of the record");
    if (part.header.is_null()) {
      take_header(row, kind);
    } else if (samples_left_ + rank_rows_left_ > 0) {
      take_sample(row, kind);
    } else {
      take_row(row, kind);
    }
  }

  RecordPart part;

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    reject("'{}': line {} {}: it cannot be used, measure again", path_, number_, what);
  }

  void take_header(const Json& row, const std::string& kind) {
    if (kind != "header") refuse("is not the header");
    const Json format = row.value("format", Json());
    if (format != record_format && format != oldest_format) {
      reject(
          "'{}' is a record of format {}, and this version of portcost knows format "
          "{}: measure again with this version",
          path_, format.dump(), record_format);
    }
    part.header = row;
    part.end = bytes_;
  }

  void take_sample(const Json& row, const std::string& kind) {
    const bool of_ranks = samples_left_ == 0;
    if (kind != (of_ranks ? "ranks" : "sample") ||
        row.value("result", Json()) != open_.value("id", Json())) {
      refuse(of_ranks ? "should be the ranks of a sample of the result before it"
                      : "should be a sample of the result before it");
    }
    try {
      if (of_ranks) {
        take_ranks(row);
      } else {
        open_samples_.push_back(sample_from(row));
        check_side(row, open_samples_.back());
      }
    } catch (const Json::exception& error) {
      refuse(
          fmt::format("is a damaged sample of result {} ({})", row["result"].dump(), error.what()));
    }
    --(of_ranks ? rank_rows_left_ : samples_left_);
    if (samples_left_ + rank_rows_left_ == 0) close_result();
  }

  void check_side(const Json& row, const Sample& sample) const {
    if (!row.contains("variant")) return;
    const Json sides = open_.value("sides", Json::array());
    const auto side = static_cast<std::size_t>(sample.side);
    if (side >= sides.size() || sides[side].value("variant", Json()) != row["variant"]) {
      refuse(fmt::format("is a sample of {}, which is not side {} of its result",
                         row["variant"].dump(), sample.side));
    }
  }

  // The rows of ranks come in the order of the samples, one each.
  void take_ranks(const Json& row) {
    const auto next = std::ranges::find_if(
        open_samples_, [](const Sample& sample) { return sample.timing.ranks_s.empty(); });
    if (next == open_samples_.end() || row.at("device_s").empty()) {
      refuse("has seconds of ranks without a sample");
    }
    const auto other = [&](const char* field, int number) {
      return row.value(field, number) != number;
    };
    if (other("block", next->block) || other("side", next->side) ||
        other("allocation", next->allocation) || other("process", next->process)) {
      refuse("has the seconds of another sample's ranks");
    }
    next->timing.ranks_s = row.at("device_s").get<std::vector<double>>();
  }

  void take_row(const Json& row, const std::string& kind) {
    if (kind == "end") {
      part.ended = true;
      part.end_line = row;
    } else if (kind == "result") {
      if (!row.contains("samples") || !row["samples"].is_number_unsigned()) {
        refuse("does not say how many samples follow");
      }
      open_ = row;
      samples_left_ = row["samples"];
      rank_rows_left_ = row.value("rank_rows", std::uintmax_t{0});
      if (samples_left_ + rank_rows_left_ == 0) close_result();
    } else if (kind == "sample" || kind == "ranks") {
      refuse("is a sample of no result");
    } else {
      if (kind == "limit") part.limits.push_back(row);
      if (kind == "failure") part.failures.push_back(row);
      if (kind == "counters") part.counters.push_back(row);
      part.end = bytes_;
    }
  }

  void close_result() {
    const Json id = open_.value("id", Json());
    if (!id.is_number_integer()) refuse("ends a result that has no id");
    part.samples[id.get<int>()] = std::exchange(open_samples_, {});
    part.results.push_back(std::move(open_));
    part.end = bytes_;
  }

  std::string path_;
  int number_ = 0;
  std::uintmax_t bytes_ = 0;
  Json open_;  // a result whose samples are being read
  std::vector<Sample> open_samples_;
  std::uintmax_t samples_left_ = 0, rank_rows_left_ = 0;
};

}  // namespace

std::string row_text(const std::string& kind, const Json& fields) {
  Json row{{"kind", kind}};
  row.update(fields);
  return row.dump() + '\n';
}

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
    reject("'{}' must end in {}: the samples go to a .csv beside it", path_, ending);
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
    if (fs::is_directory(name, ignored)) reject("cannot write '{}': it is a folder", name);
  }
  for (const std::string& name : {path_, csv_path_}) {
    if (!replace && exists(name)) {
      reject("'{}' exists: name another file, or let it be replaced with --force", name);
    }
  }
}

void RecordWriter::open_new(bool replace) {
  check_names(replace);
  file_ = std::make_unique<LockedFile>(part_path_, LockedFile::Missing::make);
  // Of a run that was stopped before its first result nothing would be lost.
  if (!replace && !read_record_part(part_path_).results.empty()) {
    reject(
        "'{}' holds what an earlier run has finished: go on with it (--resume '{}'), "
        "name another file, or let it be replaced with --force",
        part_path_, part_path_);
  }
  check_names(replace);  // again: another process may have finished until the lock was ours
  made_ = true;
}

void RecordWriter::open_to_resume(bool replace) {
  if (exists(part_path_)) {
    if (exists(path_)) check_names(replace);
  } else {
    if (!exists(path_)) {
      reject("neither '{}' nor '{}' is there: name what is to be resumed", path_, part_path_);
    }
    held_ = read_record_part(path_);
    if (held_.ended) return;
    part_path_ = path_;  // a record without its end: it is completed where it is
  }
  file_ = std::make_unique<LockedFile>(part_path_, LockedFile::Missing::refuse);
  held_ = read_record_part(part_path_);
  if (held_.header.is_null()) {
    file_.reset();
    reject("'{}' holds nothing to go on with: measure without --resume", part_path_);
  }
}

void RecordWriter::append(const std::string& lines) {
  file_->write_at(end_, lines);
  end_ += lines.size();
}

void RecordWriter::write(const std::string& kind, const Json& fields) {
  append(row_text(kind, fields));
}

void RecordWriter::write_result(Json result, const std::vector<Json>& samples,
                                const std::vector<Json>& rank_rows) {
  result["samples"] = samples.size();
  if (!rank_rows.empty()) result["rank_rows"] = rank_rows.size();
  std::string unit = row_text("result", result);
  for (const Json& sample : samples) unit += row_text("sample", sample);
  for (const Json& row : rank_rows) unit += row_text("ranks", row);
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
  append(row_text("end", {{"results", results_}}));
  file_->sync();
  write_csv();
  if (part_path_ != path_) fs::rename(part_path_, path_);
  finished_ = true;
}

RecordPart read_record_part(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) reject("'{}' cannot be read", path);
  char begin[2] = {};
  file.read(begin, sizeof begin);
  if (begin[0] == '\x1f' && begin[1] == '\x8b') {
    reject("'{}' is compressed: unpack it first (gzip -dk '{}')", path, path);
  }
  file.clear();
  file.seekg(0);
  return read_record_part(file, path);
}

RecordPart read_record_part(std::istream& text, const std::string& path) {
  PartReader reader(path);
  std::string line;
  while (std::getline(text, line) && !text.eof()) reader.take(line);
  // What is cut off is a row that was being written, but for one behind the end.
  if (reader.part.ended && !line.empty() && text.eof()) reader.take(line);
  return std::move(reader.part);
}

Json to_json(const Sample& sample) {
  return {{"process", sample.process},
          {"allocation", sample.allocation},
          {"block", sample.block},
          {"position", sample.position},
          {"side", sample.side},
          {"device_s", sample.timing.device_s},
          {"wall_s", sample.timing.wall_s},
          {"clock_mhz", sample.clock_mhz > 0 ? Json(sample.clock_mhz) : Json()},
          {"batch", sample.batch},
          {"switches", sample.switches},
          {"queued_ahead", sample.timing.queued_ahead},
          {"kept", sample.kept}};
}

Sample sample_from(const Json& row) {
  Sample sample;
  sample.block = row.at("block");
  sample.position = row.at("position");
  sample.side = row.at("side");
  sample.timing = {row.at("device_s"), row.at("wall_s"), row.value("queued_ahead", true)};
  if (row.contains("clock_mhz") && row["clock_mhz"].is_number()) {
    sample.clock_mhz = row["clock_mhz"];
  }
  sample.batch = row.at("batch");
  sample.kept = row.at("kept");
  sample.allocation = row.at("allocation");
  sample.switches = row.at("switches");
  sample.process = row.value("process", 0);
  return sample;
}

}  // namespace portcost
