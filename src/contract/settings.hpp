// SPDX-License-Identifier: Apache-2.0
// What users give as key=value: the sizes of a problem (whole numbers) and its parameters, each of
// its own type: a real, a whole number, a choice by name, or the path of a file. And globs over
// names and the known name nearest to an unknown one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace portcost {

/// One number an algorithm takes: its key, default, allowed range (both ends included) and what it
/// means.
struct SizeKey {
  std::string_view key;
  std::int64_t standard;
  std::int64_t least;
  std::int64_t most;
  std::string_view meaning;
  /// False for a key that shapes the work without there being more of it (bins, bits of a word).
  bool counts = true;
  /// The numbers allowed; empty for all of the range.
  std::span<const std::int64_t> only = {};
};

/// A parameter's value: a whole number, a real, or a text (the name of a choice, a path).
using Parameter = std::variant<std::int64_t, double, std::string>;

/// One parameter an algorithm takes. Made by real(), whole(), choice() and path().
struct ParameterKey {
  enum class Kind { real, whole, choice, path };
  std::string_view key;
  Kind kind = Kind::real;
  double standard = 0;                             // of a number
  std::span<const std::string_view> choices = {};  // of a choice; the first is the default
  std::string_view meaning;
  std::int64_t least = -greatest, most = greatest;  // of a whole number, both included

  static constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  static constexpr ParameterKey real(std::string_view key, double standard,
                                     std::string_view meaning) {
    return {key, Kind::real, standard, {}, meaning};
  }
  static constexpr ParameterKey whole(std::string_view key, std::int64_t standard,
                                      std::string_view meaning, std::int64_t least = -greatest,
                                      std::int64_t most = greatest) {
    return {key, Kind::whole, static_cast<double>(standard), {}, meaning, least, most};
  }
  static constexpr ParameterKey choice(std::string_view key,
                                       std::span<const std::string_view> choices,
                                       std::string_view meaning) {
    return {key, Kind::choice, 0, choices, meaning};
  }
  /// A file that can be read; none by default.
  static constexpr ParameterKey path(std::string_view key, std::string_view meaning) {
    return {key, Kind::path, 0, {}, meaning};
  }
  Parameter standard_value() const;
  /// "default 0.2", "uniform, heavy; default uniform", "the path of a file"
  std::string allowed() const;
};

/// Values in the order of the algorithm's keys.
template <class Value>
class Settings {
 public:
  using Entry = std::pair<std::string, Value>;

  Settings() = default;
  explicit Settings(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  /// The value of `key`; throws Failure when there is none (a defect: users' keys are checked when
  /// parsed).
  const Value& at(std::string_view key) const;
  const std::vector<Entry>& entries() const { return entries_; }
  /// "nx=14400,ny=14400,steps=1"
  std::string text() const;
  bool operator==(const Settings&) const = default;

 private:
  std::vector<Entry> entries_;
};

using Size = Settings<std::int64_t>;

/// Each is read by its type; another type than the key's is a defect
/// (std::bad_variant_access).
class Parameters : public Settings<Parameter> {
 public:
  using Settings::Settings;
  double real(std::string_view key) const { return std::get<double>(at(key)); }
  std::int64_t whole(std::string_view key) const { return std::get<std::int64_t>(at(key)); }
  const std::string& text_of(std::string_view key) const { return std::get<std::string>(at(key)); }
  /// Where among `choices` the one that is chosen stands.
  std::size_t number_of(std::string_view key, std::span<const std::string_view> choices) const;
};

/// Reads "key=value,..." ; keys left out keep their default. Throws UsageError, in one line that
/// names the value, for unknown or repeated keys, malformed numbers, values out of range, unknown
/// choices and files that cannot be read.
Size parse_size(std::string_view text, std::span<const SizeKey> keys);
Parameters parse_parameters(std::string_view text, std::span<const ParameterKey> keys);

/// Those that are given in the text, in their order, each as parse_parameters reads it; throws as
/// that does.
std::vector<Parameters::Entry> given_parameters(std::string_view text,
                                                std::span<const ParameterKey> keys);

/// Those that are not as their keys' default: what sets a problem apart from the usual one.
Parameters changed(const Parameters& parameters, std::span<const ParameterKey> keys);

/// True when all of `text` matches `pattern`, in which `*` stands for any characters ('/' too), `?`
/// for one and `[abc]` for one of these (fnmatch).
bool glob_match(std::string_view pattern, std::string_view text);

/// Fewest single-character edits (insert, delete, replace) that turn `a` into `b` (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The entry of `known` with the smallest edit distance to `text`; empty when `known` is.
std::string nearest_name(std::string_view text, const std::vector<std::string>& known);
/// "did you mean 'cold'? Known: cold, hot", behind what is said of a name that is not among
/// `known`.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

/// What `words` says of each of `all`, with `between` them.
template <class All, class Words = std::identity>
std::string joined(const All& all, std::string_view between, const Words& words = {}) {
  std::string result;
  for (const auto& one : all) {
    if (&one != &*std::begin(all)) result += between;
    result += std::invoke(words, one);
  }
  return result;
}

}  // namespace portcost
