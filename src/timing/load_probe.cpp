// SPDX-License-Identifier: Apache-2.0
#include "src/timing/load_probe.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

namespace portcost {

namespace {

// What a quiet machine shows too: ticks of 10 ms that are counted on the wrong side, and kernel
// threads that take a processor now and then.
constexpr double counting_error_s = 0.05;
constexpr double others_allowed = 0.10;   // of the processors that the work needs
constexpr double steal_allowed = 0.02;    // of all processors
constexpr double switches_allowed = 50;   // a second of timed work, and
constexpr double switches_a_thread = 10;  // for each thread
constexpr double switches_without_word = 10;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

rusage usage() {
  rusage result{};
  getrusage(RUSAGE_SELF, &result);
  return result;
}

std::vector<std::size_t> of_this_node(const Ranks& ranks) {
  const std::string name = host_name();
  const std::vector<std::string> all = ranks.gathered(name);
  std::vector<std::size_t> result;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] == name) result.push_back(rank);
  }
  return result;
}

class SystemLoadProbe final : public LoadProbe {
 public:
  SystemLoadProbe(Place place, const Ranks& ranks)
      : ranks_(ranks), mine_(of_this_node(ranks)), cpus_(cpus_of_node(place, ranks)) {}

  long switches() override { return usage().ru_nivcsw; }

  LoadCounts counts() override {
    std::ifstream file("/proc/stat");
    std::ostringstream text;
    text << file.rdbuf();
    const rusage own = usage();
    const auto all = ranks_.gathered(seconds(own.ru_utime) + seconds(own.ru_stime));
    double own_s = 0;
    for (const std::size_t rank : mine_) own_s += all[rank];
    return count_load(text.str(), cpus_.allowed, 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK)),
                      own_s);
  }

  int cpus() const override { return cpus_.usable(); }
  int threads() const override { return cpus_.threads; }

 private:
  const Ranks& ranks_;
  std::vector<std::size_t> mine_;  // the ranks of this computer
  Cpus cpus_;
};

}  // namespace

Cpus cpus_of_node(Place place, const Ranks& ranks) {
  Cpus result = find_cpus();
  if (place == Place::device) result.threads = 1;
  const std::vector<std::string> all = ranks.gathered(ranges_text(result.allowed));
  const std::vector<double> threads = ranks.gathered(result.threads);
  std::set<int> allowed;
  result.threads = 0;
  for (const std::size_t rank : of_this_node(ranks)) {
    for (const int cpu : numbers_of(all[rank])) allowed.insert(cpu);
    result.threads += static_cast<int>(threads[rank]);
  }
  result.allowed.assign(allowed.begin(), allowed.end());
  return result;
}

LoadCounts count_load(const std::string& proc_stat, const std::vector<int>& cpus, double tick_s,
                      double own_s) {
  const std::set<int> wanted(cpus.begin(), cpus.end());
  LoadCounts result{0, -own_s};
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    int cpu = 0;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft = 0, stolen = 0;
    std::istringstream fields(line.substr(3));
    // The first line, "cpu  ", is the sum over all.
    if (line.starts_with("cpu ") || !(fields >> cpu) || !wanted.contains(cpu)) continue;
    fields >> user >> nice >> system >> idle >> waiting >> irq >> soft >> stolen;
    result.others_s += tick_s * (user + nice + system + irq + soft);
    result.steal_s += tick_s * stolen;
  }
  return result;
}

std::string Load::disturbance() const {
  if (threads > cpus) return fmt::format("{} threads on {} processors", threads, cpus);
  if (clock < 1) {
    return fmt::format("the clock stayed at {:.0f} % of the fastest seen", 100 * clock);
  }
  // Others may use what the work leaves idle.
  const double in_the_way = others_s - wall_s * (cpus - threads);
  if (in_the_way > counting_error_s + others_allowed * threads * wall_s) {
    return fmt::format("other processes took {:.1f} of {} processors", others_s / wall_s, cpus);
  }
  if (steal_s > counting_error_s + steal_allowed * cpus * wall_s) {
    return fmt::format("{:.0f} % of the processors' time was stolen",
                       100 * steal_s / (wall_s * cpus));
  }
  const double expected = (switches_allowed + switches_a_thread * threads) * timed_s;
  if (static_cast<double>(switches) > switches_without_word + expected) {
    return fmt::format("{} involuntary context switches in {:.2g} s", switches, timed_s);
  }
  return {};
}

std::unique_ptr<LoadProbe> make_load_probe(Place place, const Ranks& ranks) {
  return std::make_unique<SystemLoadProbe>(place, ranks);
}

}  // namespace portcost
