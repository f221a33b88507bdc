// SPDX-License-Identifier: Apache-2.0
#include "perf/command/environment.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <string>

#include "src/support/error.hpp"

namespace portcost {

namespace {

// Kokkos keeps its host threads in an array of this length, and does not look (3.4 to 4.7).
constexpr int most_threads = 512;

struct Number {
  const char* name;
  int least, most;
  bool list;  // "4,2" will do
};
constexpr int any = 1'000'000;
constexpr std::array numbers{
    Number{"OMP_NUM_THREADS", 1, most_threads, true},
    Number{"KOKKOS_NUM_THREADS", 1, most_threads, false},
    Number{"KOKKOS_DEVICE_ID", 0, any, false},
    Number{"KOKKOS_NUM_DEVICES", 1, any, false},
    Number{"KOKKOS_SKIP_DEVICE", 0, any, false},
    Number{"KOKKOS_VISIBLE_DEVICES", 0, any, true},
    Number{"PORTCOST_LAST_CACHE_MIB", 1, 1 << 14, false},
};
// Kokkos stops at any other word.
constexpr std::array switches{"KOKKOS_DISABLE_WARNINGS", "KOKKOS_TUNE_INTERNALS",
                              "KOKKOS_PRINT_CONFIGURATION"};

bool fits(const Number& number, const std::string& item) {
  static const std::regex digits(R"(\s*(\d{1,7})\s*)");
  std::smatch match;
  if (!std::regex_match(item, match, digits)) return false;
  const int value = std::stoi(match[1]);
  return number.least <= value && value <= number.most;
}

bool fits_whole(const Number& number, const std::string& text) {
  if (!number.list) return fits(number, text);
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    if (!fits(number, text.substr(begin, end - begin))) return false;
  }
  return true;
}

}  // namespace

void check_environment(const std::function<const char*(const char*)>& value_of, int threads) {
  for (const Number& number : numbers) {
    const char* const text = value_of(number.name);
    if (text == nullptr || fits_whole(number, text)) continue;
    throw UsageError(fmt::format("{}={} is no whole number from {} to {}: name one, or unset it",
                                 number.name, text, number.least, number.most));
  }
  for (const char* const name : switches) {
    static const std::regex words("true|false|yes|no|1|0", std::regex::icase);
    const char* const text = value_of(name);
    if (text == nullptr || std::regex_match(text, words)) continue;
    throw UsageError(fmt::format("{}={} is neither 1 nor 0: name one, or unset it", name, text));
  }
  const char* const by = value_of("KOKKOS_MAP_DEVICE_ID_BY");
  if (by != nullptr && std::string(by) != "mpi_rank" && std::string(by) != "random") {
    throw UsageError(fmt::format(
        "KOKKOS_MAP_DEVICE_ID_BY={} is unknown: mpi_rank and random are, or unset it", by));
  }
  if (threads > most_threads) {
    throw UsageError(
        fmt::format("OpenMP would start {} threads here, and Kokkos can hold {}: set "
                    "OMP_NUM_THREADS={} or fewer",
                    threads, most_threads, most_threads));
  }
}

void check_environment() {
  check_environment([](const char* name) { return std::getenv(name); }, omp_get_max_threads());
}

}  // namespace portcost
