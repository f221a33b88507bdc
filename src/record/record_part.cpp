// SPDX-License-Identifier: Apache-2.0
#include "src/record/record_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "src/support/error.hpp"

namespace portcost {

namespace {

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
    throw UsageError(
        fmt::format("'{}': line {} {}: it cannot be used, measure again", path_, number_, what));
  }

  void take_header(const Json& row, const std::string& kind) {
    if (kind != "header") refuse("is not the header");
    const Json format = row.value("format", Json());
    if (format != record_format && format != oldest_format) {
      throw UsageError(
          fmt::format("'{}' is a record of format {}, and this version of portcost knows format "
                      "{}: measure again with this version",
                      path_, format.dump(), record_format));
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

RecordPart read_record_part(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw UsageError(fmt::format("'{}' cannot be read", path));
  char begin[2] = {};
  file.read(begin, sizeof begin);
  if (begin[0] == '\x1f' && begin[1] == '\x8b') {
    throw UsageError(
        fmt::format("'{}' is compressed: unpack it first (gzip -dk '{}')", path, path));
  }
  file.clear();
  file.seekg(0);
  PartReader reader(path);
  std::string line;
  while (std::getline(file, line) && !file.eof()) reader.take(line);
  // What is cut off is a row that was being written, but for one behind the end.
  if (reader.part.ended && !line.empty() && file.eof()) reader.take(line);
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
