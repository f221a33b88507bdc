// SPDX-License-Identifier: Apache-2.0
// Records: tidy rows in JSON Lines and CSV, complete or absent.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace portcost {

using Json = nlohmann::ordered_json;

/// Writes the record FILE.jsonl and, beside it, FILE.csv with the samples alone. Rows go to
/// temporary files in the same folder; finish() renames them, so a name never holds half a record.
/// Without finish() the temporaries are removed.
///
/// Kinds of rows, each a JSON object on a line of its own with its "kind": "header" (first;
/// "format": 1), "limit", "result", "sample". A sample's columns start with problem, platform,
/// application, fom, which p3-analysis reads.
class RecordWriter {
 public:
  /// `path` ends in .jsonl. Throws UsageError when it does not, or when its folder cannot be
  /// written to.
  explicit RecordWriter(std::string path);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  void write(const std::string& kind, const Json& fields);
  /// Flushes, checks that every byte was taken (a full disk throws Failure) and renames.
  void finish();

  const std::string& path() const { return path_; }
  const std::string& csv_path() const { return csv_path_; }

 private:
  void write_csv(const Json& fields);

  std::string path_, csv_path_;
  std::ofstream lines_, csv_;
  bool csv_has_header_ = false;
  bool finished_ = false;
};

/// One CSV field, quoted where RFC 4180 asks for it; numbers with all their digits.
std::string csv_field(const Json& value);

}  // namespace portcost
