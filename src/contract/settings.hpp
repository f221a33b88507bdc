// SPDX-License-Identifier: Apache-2.0
// Named numbers that users give as key=value: the sizes of a problem (whole numbers) and its
// parameters (reals).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
};
struct ParameterKey {
  std::string_view key;
  double standard;
  std::string_view meaning;
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
  Value at(std::string_view key) const;
  const std::vector<Entry>& entries() const { return entries_; }
  /// "nx=14400,ny=14400,steps=1"
  std::string text() const;
  bool operator==(const Settings&) const = default;

 private:
  std::vector<Entry> entries_;
};

using Size = Settings<std::int64_t>;
using Parameters = Settings<double>;

/// Reads "key=value,..." ; keys left out keep their default. Throws UsageError, in one line that
/// names the value, for unknown or repeated keys, malformed numbers and values out of range.
Size parse_size(std::string_view text, std::span<const SizeKey> keys);
Parameters parse_parameters(std::string_view text, std::span<const ParameterKey> keys);

/// Those that are not as their keys' default: what sets a problem apart from the usual one.
Parameters changed(const Parameters& parameters, std::span<const ParameterKey> keys);

}  // namespace portcost
