// SPDX-License-Identifier: Apache-2.0
// Records: tidy rows in JSON Lines and CSV. What is finished survives whatever stops the program.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/record/locked_file.hpp"
#include "src/record/record_part.hpp"

namespace portcost {

struct RecordMode {
  bool resume = false;   // go on with what an interrupted run has left
  bool replace = false;  // an existing record, and what an interrupted run has left, may go
};

/// Writes the record FILE.jsonl and, beside it, FILE.csv with the samples alone. Until finish(),
/// rows go to FILE.jsonl.part, each handed to the system at once, and stay there whatever happens:
/// a name without .part never holds half a record. The part is locked against a second writer.
///
/// Kinds of rows, each a JSON object on a line of its own with its "kind": "header" (first;
/// "format"), "limit", "result" with its "sample" and "ranks" rows right behind it, "failure",
/// "resume", "end" (last). A sample's columns start with problem, platform, application, fom, which
/// p3-analysis reads.
class RecordWriter {
 public:
  /// `path` ends in .jsonl. Throws UsageError when it does not, when the record cannot be written,
  /// is being written by another process, or exists and may not be replaced. To resume, `path` may
  /// also be the name of the part.
  explicit RecordWriter(std::string path, RecordMode mode = {});
  /// Removes the part that it has made when not one result is in it.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// A row alone.
  void write(const std::string& kind, const Json& fields);
  /// A result, its samples and, where there are several ranks, a row of each sample with the
  /// seconds of each rank: all of them or none. Adds how many "samples" and "rank_rows" there are.
  void write_result(Json result, const std::vector<Json>& samples,
                    const std::vector<Json>& rank_rows = {});
  /// Ends the record and gives it its name, and the csv before it. A full disk throws Failure.
  void finish();

  /// What was there already when resuming.
  const RecordPart& held() const { return held_; }
  /// The record to be resumed was complete: there is nothing to write.
  bool was_complete() const { return file_ == nullptr; }
  std::size_t results() const { return results_; }
  const std::string& path() const { return path_; }
  const std::string& csv_path() const { return csv_path_; }
  const std::string& part_path() const { return part_path_; }

 private:
  void check_names(bool replace) const;
  void open_to_resume(bool replace);
  void open_new(bool replace);
  void append(const std::string& lines);
  void write_csv() const;

  std::string path_, csv_path_, part_path_;
  std::unique_ptr<LockedFile> file_;
  RecordPart held_;
  std::uintmax_t end_ = 0;
  std::size_t results_ = 0;
  bool made_ = false;  // the part is this run's own
  bool finished_ = false;
};

/// FILE.jsonl of FILE.jsonl or FILE.jsonl.part.
std::string record_name(const std::string& path);

/// One CSV field, quoted where RFC 4180 asks for it; numbers with all their digits.
std::string csv_field(const Json& value);

}  // namespace portcost
