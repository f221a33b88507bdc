// SPDX-License-Identifier: Apache-2.0
#include "src/contract/settings.hpp"

#include <fmt/ranges.h>

#include <fnmatch.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "src/support/reject.hpp"

namespace portcost {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <class Key>
std::vector<std::string> names_of(std::span<const Key> keys) {
  std::vector<std::string> names;
  for (const Key& one : keys) names.emplace_back(one.key);
  return names;
}

template <class Key>
std::size_t find_key(std::string_view key, std::span<const Key> keys) {
  const auto found = std::ranges::find(keys, key, &Key::key);
  if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin());
  const std::vector<std::string> names = names_of(keys);
  if (names.empty()) reject("unknown key '{}': none is taken here", key);
  reject("unknown key '{}': {}", key, did_you_mean(key, names));
}

// A whole number that is all of a text; its absence with the reason.
struct Whole {
  std::errc status = std::errc();
  std::int64_t value = 0;
};
constexpr Whole no_number{std::errc::invalid_argument, 0};
constexpr Whole too_large{std::errc::result_out_of_range, 0};

Whole digits(std::string_view text) {
  Whole result;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), result.value);
  if (end != text.data() + text.size()) return no_number;
  result.status = status;
  return result;
}

// `left` times `base`, `power` times over.
Whole scaled(Whole left, std::int64_t base, std::int64_t power) {
  if (left.status != std::errc()) return left;
  for (std::int64_t i = 0; i < power && left.value != 0 && base != 1; ++i) {
    if (__builtin_mul_overflow(left.value, base, &left.value)) return too_large;
  }
  return left;
}

// "1.5e3": as many digits behind the point as zeros at most.
Whole with_exponent(std::string_view mantissa, std::string_view exponent) {
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  if (exponent.starts_with('-')) return no_number;
  const Whole zeros = digits(exponent);
  if (zeros.status != std::errc()) return zeros;
  std::int64_t power = zeros.value;
  std::string all(mantissa);
  if (const std::size_t point = all.find('.'); point != std::string::npos) {
    all.erase(point, 1);
    power -= static_cast<std::int64_t>(all.size() - point);
    if (power < 0 || point == 0 || point == all.size()) return no_number;
    if (all[point - 1] == '-') return no_number;  // -.5e1
  }
  return scaled(digits(all), 10, power);
}

// 4096, 2^12, 4Ki, 4.096e3.
Whole whole_number(std::string_view text) {
  constexpr std::array<std::string_view, 4> units{"Ki", "Mi", "Gi", "Ti"};
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!text.ends_with(units[i])) continue;
    return scaled(digits(text.substr(0, text.size() - 2)), 1024, static_cast<std::int64_t>(i + 1));
  }
  if (const std::size_t at = text.find('^'); at != std::string_view::npos) {
    const Whole base = digits(text.substr(0, at)), power = digits(text.substr(at + 1));
    if (base.status != std::errc()) return base;
    if (power.status != std::errc()) return power;
    if (base.value < 0 || power.value < 0) return no_number;
    return scaled({{}, 1}, base.value, power.value);
  }
  if (const std::size_t at = text.find_first_of("eE"); at != std::string_view::npos) {
    return with_exponent(text.substr(0, at), text.substr(at + 1));
  }
  return digits(text);
}

std::int64_t parse_value(const SizeKey& key, std::string_view text) {
  const auto [status, value] = whole_number(text);
  if (status == std::errc::result_out_of_range) {
    reject("{}={} is too large: at most {}", key.key, text, key.most);
  }
  if (status != std::errc()) {
    reject("{}={} is no whole number: give digits, or such as 2^20, 4Ki or 1e6; {} to {}", key.key,
           text, key.least, key.most);
  }
  if (value < key.least || value > key.most) {
    reject("{}={} is out of range: allowed are {} to {}", key.key, value, key.least, key.most);
  }
  if (!key.only.empty() && std::ranges::find(key.only, value) == key.only.end()) {
    reject("{}={} is not allowed: it must be one of {}", key.key, value, fmt::join(key.only, ", "));
  }
  return value;
}

double parse_real(const ParameterKey& key, std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || status != std::errc() || !std::isfinite(value)) {
    reject("{}={} is no finite number", key.key, text);
  }
  return value;
}

std::string parse_choice(const ParameterKey& key, std::string_view text) {
  if (std::ranges::find(key.choices, text) != key.choices.end()) {
    return std::string(text);
  }
  const std::vector<std::string> known(key.choices.begin(), key.choices.end());
  reject("{}={} is unknown: {}", key.key, text, did_you_mean(text, known));
}

std::string parse_path(const ParameterKey& key, std::string_view text) {
  const std::string path(text);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || !std::ifstream(path)) {
    reject("{}={}: there is no such file, or it cannot be read", key.key, text);
  }
  return path;
}

Parameter parse_value(const ParameterKey& key, std::string_view text) {
  using enum ParameterKey::Kind;
  if (key.kind == choice) return parse_choice(key, text);
  if (key.kind == path) return parse_path(key, text);
  if (key.kind == real) return parse_real(key, text);
  return parse_value(SizeKey{key.key, 0, key.least, key.most, key.meaning}, text);
}

Parameter standard_of(const ParameterKey& key) { return key.standard_value(); }
std::int64_t standard_of(const SizeKey& key) { return key.standard; }

// What the text gives: of each its key, by its place among `keys`, and its value.
template <class Key>
auto given_in(std::string_view text, std::span<const Key> keys) {
  std::vector<std::pair<std::size_t, decltype(standard_of(keys[0]))>> result;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view item = trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (comma != std::string_view::npos && rest.empty()) {
      reject("'{}' ends in a comma: give key=value,key=value", text);
    }
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) {
      reject("'{}' is not of the form key=value; known keys: {}", item,
             fmt::join(names_of(keys), ", "));
    }
    const std::size_t index = find_key(trimmed(item.substr(0, equals)), keys);
    if (std::ranges::count(result, index, [](const auto& one) { return one.first; }) > 0) {
      reject("key '{}' is given twice in '{}'", keys[index].key, text);
    }
    result.emplace_back(index, parse_value(keys[index], trimmed(item.substr(equals + 1))));
  }
  return result;
}

template <class Result, class Key>
Result parse(std::string_view text, std::span<const Key> keys) {
  std::vector<typename Result::Entry> entries;
  for (const Key& key : keys) entries.emplace_back(key.key, standard_of(key));
  for (auto& [index, value] : given_in(text, keys)) entries[index].second = std::move(value);
  return Result(std::move(entries));
}

std::string text_of(std::int64_t value) { return fmt::format("{}", value); }
std::string text_of(const Parameter& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

}  // namespace

Parameter ParameterKey::standard_value() const {
  if (kind == Kind::real) return standard;
  if (kind == Kind::whole) return static_cast<std::int64_t>(standard);
  return std::string(choices.empty() ? "" : choices.front());
}

std::string ParameterKey::allowed() const {
  if (kind == Kind::path) return "the path of a file";
  if (kind == Kind::choice)
    return fmt::format("{}; default {}", fmt::join(choices, ", "), choices[0]);
  return fmt::format("default {}", standard);
}

template <class Value>
const Value& Settings<Value>::at(std::string_view key) const {
  const auto entry = std::ranges::find(entries_, key, &Entry::first);
  require(entry != entries_.end(), fmt::format("no setting is called '{}'", key));
  return entry->second;
}

template <class Value>
std::string Settings<Value>::text() const {
  return joined(entries_, ",",
                [](const Entry& one) { return one.first + '=' + text_of(one.second); });
}

template class Settings<std::int64_t>;
template class Settings<Parameter>;

std::size_t Parameters::number_of(std::string_view key,
                                  std::span<const std::string_view> choices) const {
  const auto found = std::ranges::find(choices, text_of(key));
  require(found != choices.end(), fmt::format("'{}' is no choice of {}", text_of(key), key));
  return static_cast<std::size_t>(found - choices.begin());
}

Size parse_size(std::string_view text, std::span<const SizeKey> keys) {
  return parse<Size>(text, keys);
}

Parameters parse_parameters(std::string_view text, std::span<const ParameterKey> keys) {
  return parse<Parameters>(text, keys);
}

std::vector<Parameters::Entry> given_parameters(std::string_view text,
                                                std::span<const ParameterKey> keys) {
  std::vector<Parameters::Entry> result;
  for (auto& [index, value] : given_in(text, keys)) {
    result.emplace_back(keys[index].key, std::move(value));
  }
  return result;
}

Parameters changed(const Parameters& parameters, std::span<const ParameterKey> keys) {
  std::vector<Parameters::Entry> entries;
  for (const auto& entry : parameters.entries()) {
    const auto key = std::ranges::find(keys, entry.first, &ParameterKey::key);
    if (key == keys.end() || entry.second != key->standard_value()) entries.push_back(entry);
  }
  return Parameters(std::move(entries));
}

bool glob_match(std::string_view pattern, std::string_view text) {
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), FNM_NOESCAPE) == 0;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string nearest_name(std::string_view text, const std::vector<std::string>& known) {
  const auto closest = std::ranges::min_element(
      known, {}, [&](const std::string& one) { return edit_distance(text, one); });
  return closest == known.end() ? std::string() : *closest;
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& known) {
  return fmt::format("did you mean '{}'? Known: {}", nearest_name(text, known),
                     joined(known, ", "));
}

}  // namespace portcost
