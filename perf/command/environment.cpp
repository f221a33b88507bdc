// SPDX-License-Identifier: Apache-2.0
// Environment variables that OpenMP and Kokkos read by themselves, looked at before they do.
#include <omp.h>
#include <pthread.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "perf/command/commands.hpp"

namespace portcost {

namespace {

// Kokkos keeps its host threads in an array of this length, and does not look (3.4 to 4.7).
constexpr int most_threads = 512;

struct Number {
  std::vector<const char*> names;
  int least, most;
  bool list = false;  // "4,2" will do
};
constexpr int any = std::numeric_limits<int>::max();
const std::vector<Number> numbers{
    {{"OMP_NUM_THREADS"}, 1, most_threads, true},
    {{"OMP_DEFAULT_DEVICE", "OMP_MAX_ACTIVE_LEVELS", "OMP_MAX_TASK_PRIORITY", "KOKKOS_DEVICE_ID",
      "KOKKOS_SKIP_DEVICE"},
     0,
     any},
    {{"OMP_NUM_TEAMS", "OMP_TEAMS_THREAD_LIMIT", "OMP_THREAD_LIMIT", "KOKKOS_NUM_DEVICES"}, 1, any},
    {{"KOKKOS_NUM_THREADS"}, 1, most_threads},
    {{"KOKKOS_VISIBLE_DEVICES"}, 0, any, true},
    {{"PORTCOST_LAST_CACHE_MIB"}, 1, 1 << 14},
};
// What a variable may be, by the OpenMP specification 5.2, chapter 21, and libgomp's manual,
// chapter 4; OpenMP's libraries pass over anything else with a warning. Kokkos stops at other words
// for its own.
struct Words {
  std::vector<const char*> names;
  const char *pattern, *allowed;
};
const std::vector<Words> known_words{
    {{"GOMP_CPU_AFFINITY"},
     R"(\d+(-\d+(:\d+)?)?([\s,]+\d+(-\d+(:\d+)?)?)*)",
     "a list of processors: 0 3-7 8-14:2"},
    {{"GOMP_SPINCOUNT"},
     R"(\d{1,18}\s*[kmgt]?|infinite|infinity)",
     "a number, maybe with K, M, G or T, or infinite"},
    {{"GOMP_STACKSIZE", "OMP_STACKSIZE"}, R"(\d{1,18}\s*[bkmg]?)", "a number with B, K, M or G"},
    {{"KOKKOS_DISABLE_WARNINGS", "KOKKOS_TUNE_INTERNALS", "KOKKOS_PRINT_CONFIGURATION"},
     "true|false|yes|no|1|0",
     "1 or 0"},
    {{"KOKKOS_MAP_DEVICE_ID_BY"}, "mpi_rank|random", "mpi_rank or random"},
    {{"OMP_ALLOCATOR"},
     R"(omp_(default|large_cap|const|high_bw|low_lat)_mem_space(\s*:\s*\w+\s*=\s*\w+)"
     R"((\s*,\s*\w+\s*=\s*\w+)*)?)"
     R"(|omp_(default|large_cap|const|high_bw|low_lat|cgroup|pteam|thread)_mem_alloc)",
     "an allocator or a memory space of OpenMP, maybe with traits"},
    {{"OMP_CANCELLATION", "OMP_DISPLAY_AFFINITY", "OMP_DYNAMIC", "OMP_NESTED"},
     "true|false",
     "true or false"},
    {{"OMP_DEBUG", "OMP_TOOL"}, "enabled|disabled", "enabled or disabled"},
    {{"OMP_DISPLAY_ENV"}, "true|false|verbose", "true, false or verbose"},
    {{"OMP_PROC_BIND"},
     R"(true|false|(primary|master|close|spread)(\s*,\s*(primary|master|close|spread))*)",
     "true, false, or primary, close or spread, for each level"},
    {{"OMP_SCHEDULE"},
     R"(((non)?monotonic\s*:\s*)?(static|dynamic|guided|auto)(\s*,\s*0*[1-9]\d*)?)",
     "static, dynamic, guided or auto, and maybe a chunk: static,64"},
    {{"OMP_TARGET_OFFLOAD"}, "mandatory|disabled|default", "mandatory, disabled or default"},
    {{"OMP_WAIT_POLICY"}, "active|passive", "active or passive"},
};

bool fits(const Number& number, const std::string& item) {
  static const std::regex digits(R"(\s*(\d{1,10})\s*)");
  std::smatch match;
  if (!std::regex_match(item, match, digits)) return false;
  const long long value = std::stoll(match[1]);
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
  const bool starts =
      pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(bytes)) == 0 &&
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

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex(R"(\s*()" + pattern + R"()\s*)", std::regex::icase));
}

// A list of OMP_PLACES, by its grammar: "!ONE" or "ONE:LENGTH:STRIDE" with commas between them, ONE
// a number or, of `places`, a list of such intervals in braces. std::regex would run out of stack
// on the list of many processors, and gets one interval at a time.
bool fits_list(std::string_view text, bool places) {
  static const std::regex interval(
      R"(\s*(!\s*\d{1,9}|\d{1,9}(\s*:\s*0*[1-9]\d{0,8}(\s*:\s*[-+]?\s*\d{1,9})?)?)\s*)");
  for (;;) {
    std::size_t end = 0;
    for (int open = 0; end < text.size() && (open > 0 || text[end] != ','); ++end) {
      open += (text[end] == '{') - (text[end] == '}');
    }
    std::string one(text.substr(0, end));
    if (const std::size_t begin = one.find('{'); places && begin != std::string::npos) {
      const std::size_t close = one.rfind('}');
      if (close == std::string::npos || close < begin) return false;
      if (!fits_list(one.substr(begin + 1, close - begin - 1), false)) return false;
      one.replace(begin, close - begin + 1, " 0 ");
    }
    if (!std::regex_match(one, interval)) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void refuse(const char* name, const char* text, const char* allowed) {
  reject("{}={} is not {}: name one, or unset it", name, text, allowed);
}

}  // namespace

void check_environment(const std::function<const char*(const char*)>& value_of, int threads) {
  for (const Number& number : numbers) {
    for (const char* const name : number.names) {
      const char* const text = value_of(name);
      if (text == nullptr || fits_whole(number, text)) continue;
      reject("{}={} is no whole number from {} to {}: name one, or unset it", name, text,
             number.least, number.most);
    }
  }
  for (const auto& [names, pattern, allowed] : known_words) {
    for (const char* const name : names) {
      const char* const text = value_of(name);
      if (text != nullptr && !matches(text, pattern)) refuse(name, text, allowed);
    }
  }
  // "cores(4)" or "{0,1},{2,3}"
  constexpr auto named =
      R"((threads|cores|ll_caches|sockets|numa_domains)(\s*\(\s*0*[1-9]\d*\s*\))?)";
  if (const char* const places = value_of("OMP_PLACES");
      places != nullptr && !matches(places, named) && !fits_list(places, true)) {
    refuse("OMP_PLACES", places,
           "threads, cores, ll_caches, sockets, numa_domains or a list of {} places");
  }
  for (const char* const name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = value_of(name);
    const double bytes = text == nullptr ? 0 : bytes_of(text);
    if (text == nullptr || starts_with_stack(bytes)) continue;
    reject("{}={} is {}, or unset it", name, text,
           bytes < 1 << 20 ? "less than a thread needs here: name more"
                           : "more than a thread gets here: name less");
  }
  if (threads > most_threads) {
    reject(
        "OpenMP would start {} threads here, and Kokkos can hold {}: set "
        "OMP_NUM_THREADS={} or fewer",
        threads, most_threads, most_threads);
  }
}

void check_environment() {
  check_environment([](const char* name) { return std::getenv(name); }, omp_get_max_threads());
}

}  // namespace portcost
