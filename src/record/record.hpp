// SPDX-License-Identifier: Apache-2.0
// Records: tidy rows in JSON Lines and CSV. What is finished survives whatever stops the program.
#pragma once

#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>

#include "src/record/locked_file.hpp"
#include "src/timing/measurement.hpp"

namespace portcost {

using Json = nlohmann::ordered_json;

/// The format of records that this version writes, and the oldest that it reads.
inline constexpr int record_format = 3, oldest_format = 2;

/// The complete rows of a record. A result counts with all its samples or not at all.
struct RecordPart {
  Json header;  // null when not even that was written
  std::vector<Json> limits, results, failures, counters;
  std::map<int, std::vector<Sample>> samples;  // of each result by its id
  std::uintmax_t end = 0;  // bytes of the rows that are complete, an end line not counted
  bool ended = false;      // there is an end line: the campaign is complete
  Json end_line;
};

/// Throws UsageError, naming file and line, when a line is no row of a record of this format. A
/// last line without its newline and a last result without all its samples are passed over: the
/// process that wrote them was killed meanwhile.
RecordPart read_record_part(const std::string& path);
/// The same of a record's text.
RecordPart read_record_part(std::istream& text, const std::string& path);

/// A row's line, with its kind in front of its fields.
std::string row_text(const std::string& kind, const Json& fields);

/// What was measured, without the columns that name the result. Seconds of ranks are not in it.
Json to_json(const Sample& sample);

/// A sample from its row. Throws Json::exception when a field is missing or of another type.
Sample sample_from(const Json& row);

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
class RecordWriter : Uncopied {
 public:
  /// `path` ends in .jsonl. Throws UsageError when it does not, when the record cannot be written,
  /// is being written by another process, or exists and may not be replaced. To resume, `path` may
  /// also be the name of the part.
  explicit RecordWriter(std::string path, RecordMode mode = {});
  /// Removes the part that it has made when not one result is in it.
  ~RecordWriter();

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
