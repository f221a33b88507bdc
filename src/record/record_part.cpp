// SPDX-License-Identifier: Apache-2.0
#include "src/record/record_part.hpp"

#include <fmt/format.h>

#include <fstream>

#include "src/support/error.hpp"

namespace portcost {

namespace {

class PartReader {
 public:
  PartReader(std::string path, SampleSink sink) : path_(std::move(path)), sink_(std::move(sink)) {}

  void take(const std::string& line) {
    ++number_;
    bytes_ += line.size() + 1;
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
    if (format != record_format) {
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
    if (sink_) sink_(row);
    --(of_ranks ? rank_rows_left_ : samples_left_);
    if (samples_left_ + rank_rows_left_ == 0) close_result();
  }

  void take_row(const Json& row, const std::string& kind) {
    if (kind == "end") {
      part.ended = true;
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
      part.end = bytes_;
    }
  }

  void close_result() {
    part.results.push_back(std::move(open_));
    part.end = bytes_;
  }

  std::string path_;
  SampleSink sink_;
  int number_ = 0;
  std::uintmax_t bytes_ = 0;
  Json open_;  // a result whose samples are being read
  std::uintmax_t samples_left_ = 0, rank_rows_left_ = 0;
};

}  // namespace

RecordPart read_record_part(const std::string& path, const SampleSink& sink) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw UsageError(fmt::format("'{}' cannot be read", path));
  PartReader reader(path, sink);
  for (std::string line; std::getline(file, line) && !file.eof();) reader.take(line);
  return std::move(reader.part);
}

}  // namespace portcost
