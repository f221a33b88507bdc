// SPDX-License-Identifier: Apache-2.0
#include "src/contract/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>

#include "src/machine/machine.hpp"

namespace portcost {

namespace {

Size with_keys(const Algorithm& algorithm, const Numbers& numbers) {
  require(numbers.size() == algorithm.size_keys.size(),
          fmt::format("{}: a size of {} numbers for {} keys", algorithm.name, numbers.size(),
                      algorithm.size_keys.size()));
  std::vector<Size::Entry> entries;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    entries.emplace_back(algorithm.size_keys[i].key, numbers[i]);
  }
  return Size(std::move(entries));
}

std::vector<Size> with_keys(const Algorithm& algorithm, const std::vector<Numbers>& sizes) {
  std::vector<Size> result;
  for (const Numbers& numbers : sizes) result.push_back(with_keys(algorithm, numbers));
  return result;
}

// The numbers of "4099", "2^20", "0..5" or "2^10..2^28".
Numbers range_of(std::string_view text) {
  const auto whole = [&](std::string_view digits) {
    std::int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [behind, status] = std::from_chars(digits.data(), end, value);
    require(behind == end && status == std::errc(), fmt::format("sizes hold '{}'", text));
    return value;
  };
  // As a base and a power; without a power, the base is 0.
  const auto parsed = [&](std::string_view number) {
    const std::size_t at = number.find('^');
    return at == number.npos ? std::pair(std::int64_t{0}, whole(number))
                             : std::pair(whole(number.substr(0, at)), whole(number.substr(at + 1)));
  };
  const std::size_t dots = text.find("..");
  const auto [base, first] = parsed(text.substr(0, dots));
  const std::int64_t last = dots == text.npos ? first : parsed(text.substr(dots + 2)).second;
  Numbers result;
  for (std::int64_t i = first; i <= last; ++i) {
    std::int64_t power = 1;
    for (std::int64_t k = 0; base != 0 && k < i; ++k) power *= base;
    result.push_back(base == 0 ? i : power);
  }
  return result;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> result;
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(at, begin);
    result.push_back(text.substr(begin, end - begin));
  }
  return result;
}

// The engine's own bits, because the standard's distributions differ from library to library.
std::int64_t draw_from(const Draw& draw, std::mt19937_64& random) {
  const std::uint64_t r = random();
  const bool no_range = draw.most < draw.least;
  if (no_range || (!draw.corners.empty() && (r & 1) != 0)) {
    return draw.corners.at((r >> 1) % draw.corners.size());
  }
  return draw.least + static_cast<std::int64_t>(
                          (r >> 1) % static_cast<std::uint64_t>(draw.most - draw.least + 1));
}

using Version = std::array<int, 3>;

// "4.6.01" as numbers; what is not given is 0. None for other texts, such as "none".
std::optional<Version> version_of(std::string_view text) {
  Version version{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int& part : version) {
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc()) return std::nullopt;
    if (next == end) return version;
    if (*next != '.') return std::nullopt;
    at = next + 1;
  }
  return version;  // a fourth number is of no use here
}

}  // namespace

Sizes::Sizes(const char* text) {
  for (const std::string_view size : split(text, ' ')) {
    std::vector<Numbers> all{{}};
    for (const std::string_view key : split(size, ',')) {
      std::vector<Numbers> longer;
      for (const Numbers& begun : all) {
        for (const std::string_view one : split(key, '|')) {
          for (const std::int64_t n : one == "=" ? Numbers{begun.back()} : range_of(one)) {
            longer.push_back(begun);
            longer.back().push_back(n);
          }
        }
      }
      all = std::move(longer);
    }
    for (const Numbers& one : all) {
      if (std::ranges::find(*this, one) == end()) push_back(one);
    }
  }
}

const Sizes& MeasuredSizes::operator()(Campaign campaign, Place place) const {
  const bool on_host = place == Place::host;
  const Sizes& full = on_host && !host_full.empty() ? host_full : device_full;
  if (campaign == Campaign::full && !full.empty()) return full;
  return on_host && !host.empty() ? host : device;
}

Cost Algorithm::cost_in(Place place, const Problem& problem) const {
  return place == Place::device && device_cost != nullptr ? device_cost(problem) : cost(problem);
}

std::unique_ptr<Instance> Algorithm::instance(const Problem& problem, Stream& stream) const {
  if (problem.ranks == 0) return make(problem, stream);
  require(make_over_ranks != nullptr, fmt::format("{} is not shared among processes", name));
  return make_over_ranks(problem, stream);
}

std::vector<Size> Algorithm::sizes(Campaign campaign, Place place) const {
  return with_keys(*this, measured(campaign, place));
}

std::vector<Size> Algorithm::sizes_of_host() const { return with_keys(*this, host_sizes.sizes); }

std::vector<Size> Algorithm::check_sizes() const { return with_keys(*this, checked); }

Size Algorithm::random_size(std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  Numbers numbers;
  for (const Draw& draw : drawn) numbers.push_back(draw_from(draw, random));
  return with_keys(*this, numbers);
}

std::string way_suffix(const Variant& variant) {
  std::string result;
  if (variant.model == Model::kokkos && variant.way != Way::tuned) {
    result = fmt::format(".{}", name(variant.way));
  }
  if (!variant.dials.empty()) result += fmt::format(":{}", variant.dials);
  return result;
}

std::string variant_name(const Algorithm& algorithm, const Variant& variant) {
  return fmt::format("{}/{}/{}{}", algorithm.name, variant.step, name(variant.model),
                     way_suffix(variant));
}

std::string variant_name(const Algorithm& algorithm, const Absence& absence) {
  return fmt::format("{}/{}/{}", algorithm.name, absence.step, name(absence.model));
}

bool Algorithm::shares_answer(std::string_view step) const {
  return one_answer && std::ranges::find(other_answers, step) == other_answers.end();
}

const Variant& reference_of(const Algorithm& algorithm, std::string_view step) {
  const Variant* first = nullptr;
  for (const Variant& variant : algorithm.variants) {
    if (variant.model != Model::reference) continue;
    if (variant.step == step) return variant;
    if (first == nullptr) first = &variant;
  }
  require(first != nullptr, fmt::format("{} has no reference", algorithm.name));
  return *first;
}

bool version_within(std::string_view version, std::string_view first, std::string_view last) {
  const auto it = version_of(version), low = version_of(first), high = version_of(last);
  return it && low && high && *low <= *it && *it <= *high;
}

const KnownDefect* known_defect(const Algorithm& algorithm, const Variant& variant,
                                const Problem& problem) {
  if (variant.model != Model::library) return nullptr;
  const auto found = std::ranges::find_if(algorithm.known_defects, [&](const KnownDefect& d) {
    return d.step == variant.step && d.place == variant.place && d.concerns(problem) &&
           version_within(describe_build().value(std::string(d.library), ""), d.first_version,
                          d.last_version);
  });
  return found == algorithm.known_defects.end() ? nullptr : &*found;
}

DefectText texts_of(const KnownDefect& defect) {
  return {std::string(defect.what), std::string(defect.reason), std::string(defect.reproducer)};
}

std::string text_of(const DefectText& defect) {
  return fmt::format("{}. Reason: {}. Reproducer: {}", defect.what, defect.reason,
                     defect.reproducer);
}

std::string not_seen(const DefectText& defect) {
  return fmt::format("listed defect not seen: remove it? ({})", defect.what);
}

}  // namespace portcost
