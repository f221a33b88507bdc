// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "perf/command/commands.hpp"

namespace portcost {

namespace {

std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value,
                     value >= 99.95    ? 0
                     : value >= 9.995  ? 1
                     : value >= 0.9995 ? 2
                                       : 3);
}

// Three decimals for the ratios there should be, fewer for those there should not.
std::string ratio_digits(double ratio) {
  return fmt::format("{:.{}f}", ratio, ratio < 9.9995 ? 3 : ratio < 99.995 ? 2 : 0);
}

std::string interval(const Estimate& ratio) {
  if (!ratio.decided()) return ratio_digits(ratio.value);
  return fmt::format("{} [{}, {}]", ratio_digits(ratio.value), ratio_digits(ratio.interval.low),
                     ratio_digits(ratio.interval.high));
}

// Words of `text` on lines of at most 100 columns, each begun by `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result, line(indent, ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > indent && line.size() + 1 + word.size() > 100) {
      result += line + '\n';
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
  }
  return result + line + '\n';
}

// Of a rate: most are of 10^9; short messages are slower.
std::pair<double, std::string_view> scale_of(double rate) {
  if (rate >= 1e13) return {1e12, "T"};
  if (rate >= 1e8) return {1e9, "G"};
  return rate >= 1e5 ? std::pair{1e6, std::string_view("M")}
                     : std::pair{1e3, std::string_view("k")};
}

const SideResult* side_of(const Result& result, bool portable) {
  for (const SideResult& side : result.sides) {
    if ((side.model == name(Model::kokkos)) == portable) return &side;
  }
  return nullptr;
}

std::string cells(const SideResult* side) {
  if (side == nullptr) return fmt::format("{:>9} {:>6} {:>9}", "-", "", "");
  return fmt::format("{:>9} {:>4.0f} % {:>9}", readable_time(side->device_s.median),
                     100 * side->limit_fraction, readable_time(side->wall_s.median));
}

// An unclear row may still exclude one side.
std::string verdict(const Result& r) {
  if (!r.ratio.decided()) return "no verdict";
  if (r.verdict == Verdict::unclear && r.disturbed.empty()) {
    if (r.ratio.interval.high <= 1 + widest_equal) return "not slower";
    if (r.ratio.interval.low >= 1 - widest_equal) return "not faster";
  }
  return std::string(name(r.verdict));
}

// What keeps a row from a verdict, and a defect that is listed and does not show, below it.
std::string reason(const Result& r) {
  if (!r.agrees || r.measurement.blocks == 0) return {};
  std::string text = r.defect ? wrapped(not_seen(*r.defect), 4) : "";
  if (!r.launch_gaps.empty()) text += wrapped(r.launch_gaps, 4);
  if (!r.undecided.empty()) return text + wrapped(r.undecided, 4);
  return r.disturbed.empty() ? text : text + wrapped("disturbed: " + r.disturbed, 4);
}

std::string range(const Interval& interval) {
  return fmt::format("[{:.3f}, {:.3f}]", interval.low, interval.high);
}

// What the verdicts of a table are compared with.
std::string noise_lines(const Result& null) {
  if (!null.agrees || null.measurement.blocks == 0) return {};
  if (!null.noise) return "  noise floor: not decided; " + null.undecided + '\n';
  std::string text = fmt::format("  noise floor {} ({} against itself); equal: within {}\n",
                                 range(*null.noise), null.step, range(equal_within(*null.noise)));
  if (null.excludes_one()) {
    text +=
        "  THE NOISE FLOOR EXCLUDES 1: one variant against itself differs by more than chance\n";
  }
  if (!null.disturbed.empty()) text += wrapped("noise floor disturbed: " + null.disturbed, 2);
  return text;
}

// Of results that several processes have measured.
std::string processes_line(const std::vector<Result>& results) {
  for (const Result& r : results) {
    if (r.measurement.processes < 2 || !r.measured()) continue;
    const Unit unit = r.measurement.time(&Timing::device_s, 0).unit;
    return fmt::format("  {} processes; the unit of an interval is the {}\n",
                       r.measurement.processes, name(unit));
  }
  return {};
}

std::string row(const Result& r) {
  if (!r.agrees && r.defect) {
    return fmt::format("{:<14} KNOWN DEFECT: no time\n", r.step) + wrapped(text_of(*r.defect), 4);
  }
  if (!r.agrees) {
    return fmt::format("{:<14} {}\n", r.step, r.failed.empty() ? "ANSWERS DIFFER" : "FAILED") +
           wrapped(r.disagreement, 4);
  }
  if (r.measurement.blocks == 0)
    return fmt::format("{:<14} not measured: {}\n", r.step, name(r.measurement.stop));
  std::string cost;
  if (r.paired())
    cost = fmt::format("{:<{}} {}", interval(r.ratio), r.ratio.decided() ? 20 : 0, verdict(r));
  return fmt::format("{:<14} {} {} {}\n", r.step, cells(side_of(r, false)), cells(side_of(r, true)),
                     cost);
}

}  // namespace

std::string readable_time(double seconds) {
  if (!(seconds > 0)) return "-";
  if (seconds < 0.9995e-6) return three_digits(seconds * 1e9) + " ns";
  if (seconds < 0.9995e-3) return three_digits(seconds * 1e6) + " us";
  if (seconds < 0.9995) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string readable_limit(const Limit& limit) {
  if (limit.unit == "s") return readable_time(limit.value);
  if (limit.unit == "B") return fmt::format("{} kB", three_digits(limit.value / 1e3));
  const auto [scale, letter] = scale_of(limit.value);
  return fmt::format("{} {}{}", three_digits(limit.value / scale), letter, limit.unit);
}

std::string readable_interval(const Limit& limit) {
  if (!(limit.interval.low > 0)) return {};
  if (limit.unit == "s") {
    return fmt::format(" [{}, {}]", readable_time(limit.interval.low),
                       readable_time(limit.interval.high));
  }
  const double scale = limit.unit == "B" ? 1e3 : scale_of(limit.value).first;
  return fmt::format(" [{}, {}]", three_digits(limit.interval.low / scale),
                     three_digits(limit.interval.high / scale));
}

std::string progress_line(const Result& r, int done, int all) {
  const std::string what = r.role == Role::null ? "noise floor" : r.step;
  std::string line = fmt::format("[{:>3}/{}] {}/{} {}", done, all, r.algorithm, what, r.where());
  if (!r.failed.empty()) return line + ": FAILED";
  if (!r.agrees) return line + (r.fails() ? ": ANSWERS DIFFER" : ": known defect");
  if (r.measurement.blocks == 0) return line + fmt::format(": {}", name(r.measurement.stop));
  if (r.paired()) return line + fmt::format(": {}", interval(r.ratio));
  return line + fmt::format(": {}", readable_time(r.sides[0].device_s.median));
}

std::string group_table(const std::vector<Result>& results) {
  if (results.empty()) return {};
  const Result& first = results.front();
  std::string text = fmt::format("\n{}  {}  {}  {}\n", first.algorithm, first.problem_text(),
                                 name(first.problem.type), name(first.regime));
  // Read back from a record, rows without times have no limit.
  const auto limited =
      std::ranges::find_if(results, [](const Result& r) { return !r.limit.name.empty(); });
  if (limited != results.end()) {
    text += fmt::format("  limit: {} {}{}, least time {}", limited->limit.name,
                        readable_limit(limited->limit), readable_interval(limited->limit),
                        readable_time(limited->floor_s));
    for (const auto& [name, seconds] : limited->other_floors) {
      text += fmt::format("; {} alone {}", name, readable_time(seconds));
    }
    text += '\n';
  }
  text += processes_line(results);
  const auto null =
      std::ranges::find_if(results, [](const Result& r) { return r.role == Role::null; });
  if (null != results.end()) text += noise_lines(*null);
  std::string native = "native";
  for (const Result& r : results) {
    if (const SideResult* side = side_of(r, false)) native = std::string(side->model);
  }
  text += fmt::format("{:<14} {:>9} {:>6} {:>9} {:>9} {:>6} {:>9} {}\n", "step", native, "limit",
                      "wall", "kokkos", "limit", "wall", "cost of portability");
  for (const Result& r : results) {
    if (r.role == Role::null && r.agrees) continue;
    text += row(r) + reason(r);
    if (r.role != Role::best || !r.agrees) continue;
    text += fmt::format("  best: {} against {}\n", r.sides[0].variant, r.sides[1].variant);
  }
  return text;
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::runtime_error(fmt::format("the output could not be written ({})",
                                       errno != 0 ? std::strerror(errno) : "it is closed or full"));
}

}  // namespace portcost
