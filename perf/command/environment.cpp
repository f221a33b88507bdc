// SPDX-License-Identifier: Apache-2.0
#include "perf/command/environment.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <limits.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
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
    Number{"OMP_MAX_ACTIVE_LEVELS", 0, any, false},
    Number{"OMP_THREAD_LIMIT", 1, any, false},
    Number{"KOKKOS_NUM_THREADS", 1, most_threads, false},
    Number{"KOKKOS_DEVICE_ID", 0, any, false},
    Number{"KOKKOS_NUM_DEVICES", 1, any, false},
    Number{"KOKKOS_SKIP_DEVICE", 0, any, false},
    Number{"KOKKOS_VISIBLE_DEVICES", 0, any, true},
    Number{"PORTCOST_LAST_CACHE_MIB", 1, 1 << 14, false},
};
// What a variable may be, by the OpenMP specification 5.2, chapter 21; OpenMP's libraries pass over
// anything else with a warning. Kokkos stops at other words for its own.
struct Words {
  const char *name, *pattern, *allowed;
};
constexpr const char *truth = "true|false", *truth_text = "true or false";
constexpr const char *answer = "true|false|yes|no|1|0", *answer_text = "1 or 0";
constexpr std::array words{
    Words{"KOKKOS_DISABLE_WARNINGS", answer, answer_text},
    Words{"KOKKOS_TUNE_INTERNALS", answer, answer_text},
    Words{"KOKKOS_PRINT_CONFIGURATION", answer, answer_text},
    Words{"KOKKOS_MAP_DEVICE_ID_BY", "mpi_rank|random", "mpi_rank or random"},
    Words{"OMP_CANCELLATION", truth, truth_text},
    Words{"OMP_DISPLAY_AFFINITY", truth, truth_text},
    Words{"OMP_DISPLAY_ENV", "true|false|verbose", "true, false or verbose"},
    Words{"OMP_DYNAMIC", truth, truth_text},
    Words{"OMP_NESTED", truth, truth_text},
    Words{"OMP_PLACES",
          R"((threads|cores|ll_caches|sockets|numa_domains)(\s*\(\s*\d+\s*\))?|[0-9{}:,!\s-]+)",
          "threads, cores, ll_caches, sockets, numa_domains or a list of {} places"},
    Words{"OMP_PROC_BIND",
          R"(true|false|(primary|master|close|spread)(\s*,\s*(primary|master|close|spread))*)",
          "true, false, or primary, close or spread, for each level"},
    Words{"OMP_SCHEDULE", R"(((non)?monotonic\s*:\s*)?(static|dynamic|guided|auto)(\s*,\s*\d+)?)",
          "static, dynamic, guided or auto, and maybe a chunk: static,64"},
    Words{"OMP_STACKSIZE", R"(\d{1,18}\s*[bkmg]?)", "a number with B, K, M or G"},
    Words{"OMP_WAIT_POLICY", "active|passive", "active or passive"},
};

bool fits(const Number& number, const std::string& item) {
  static const std::regex digits(R"(\s*(\d{1,7})\s*)");
  std::smatch match;
  if (!std::regex_match(item, match, digits)) return false;
  const int value = std::stoi(match[1]);
  return number.least <= value && value <= number.most;
}

// Of "16 M"; without a letter these are KiB.
double bytes_of(const std::string& stack) {
  const std::string units = "bkmg";
  double unit = 1024;
  for (const char c : stack) {
    const std::size_t power = units.find(static_cast<char>(std::tolower(c)));
    if (power != std::string::npos) unit = std::pow(1024.0, power);
  }
  return std::stod(stack) * unit;
}

// True where the system starts a thread with so large a stack. (OpenMP ends the program with 1.)
bool starts_with_stack(double bytes) {
  if (bytes > 1e15) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  const auto size =
      std::max(static_cast<std::size_t>(bytes), static_cast<std::size_t>(PTHREAD_STACK_MIN));
  const bool starts =
      pthread_attr_setstacksize(&attributes, size) == 0 &&
      pthread_create(
          &thread, &attributes, [](void*) -> void* { return nullptr; }, nullptr) == 0;
  if (starts) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return starts;
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
  for (const auto& [name, pattern, allowed] : words) {
    const char* const text = value_of(name);
    if (text == nullptr) continue;
    const std::regex whole(fmt::format(R"(\s*({})\s*)", pattern), std::regex::icase);
    if (std::regex_match(text, whole)) continue;
    throw UsageError(fmt::format("{}={} is not {}: name one, or unset it", name, text, allowed));
  }
  const char* const stack = value_of("OMP_STACKSIZE");
  if (stack != nullptr && !starts_with_stack(bytes_of(stack))) {
    throw UsageError(fmt::format(
        "OMP_STACKSIZE={} is more than a thread gets here: name less, or unset it", stack));
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
