// SPDX-License-Identifier: Apache-2.0
// Files of text as lines of words and numbers, with errors that name the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/support/reject.hpp"

namespace portcost {

/// How errors speak of an entry of a file.
struct EntryWords {
  std::string_view form;      // of a line, "FROM TO LENGTH"
  std::string_view value;     // what its number is, "length"
  std::string_view nan;       // what to do instead of writing NaN
  std::string_view infinite;  // and instead of what no number of 64 bits holds
};

/// The contents of a file. Throws UsageError, which ends in `remedy`, when there is none or it is a
/// folder or a device, UsageError when it has more bytes than `most`, and Failure when reading
/// breaks off. How large a file is, is known before it is read; of what has no size, such as a
/// pipe, no more than `most` is read.
std::string file_contents(const std::string& path, std::string_view remedy, double most);
/// The same, where half of the free memory is the most: what is made of the text needs some, too.
std::string file_contents(const std::string& path, std::string_view remedy);

std::string lower(std::string_view text);

/// What a file holds, to be quoted in an error: short, and printable.
std::string shown(std::string_view text);

/// Goes through a text by lines, and through a line by words. Lines may end in CR LF; blanks around
/// words do not count. What is wrong is a UsageError, "FILE:LINE: what is wrong: what to do".
class LineReader {
 public:
  /// A byte-order mark of UTF-8 is passed over; what is no text is refused. `file` is the name in
  /// errors, and must outlive the reader.
  LineReader(std::string_view text, const std::string& file);

  /// The next line that has a word; false at the end.
  bool next_line();
  /// The next word of the line; empty at its end.
  std::string_view word();
  std::string_view line() const { return line_; }
  void end_of_line();

  /// A count, from `least`: "the number of `what`".
  std::int64_t count(std::string_view what, std::int64_t least);
  /// The same, from 1 to 2^31 - 1: `remedy` is what to do about a greater one.
  std::int64_t extent(std::string_view what, std::string_view remedy);
  /// A number from 1 to `most`, less 1; `plural` is what there are so many of.
  std::int32_t index(std::string_view what, std::string_view plural, std::int64_t most,
                     const EntryWords& words);
  /// A number that is finite in f64, and how it is written.
  struct Number {
    double value;
    std::string_view text;
  };
  Number number(const EntryWords& words);

  /// Refuses an entry more than the `entries` that the header says, of which `done` were read, and
  /// a file that ends after fewer.
  void check_one_more(std::int64_t done, std::int64_t entries) const;
  void check_all(std::int64_t done, std::int64_t entries) const;

  template <class... Values>
  [[noreturn]] void refuse(fmt::format_string<Values...> what, Values&&... values) const {
    reject("{}:{}: {}", file_, number_ > 0 ? number_ : 1,
           fmt::format(what, std::forward<Values>(values)...));
  }

 private:
  void skip_blanks();

  std::string_view rest_, line_;
  const std::string& file_;
  std::int64_t number_ = 0;
};

}  // namespace portcost
