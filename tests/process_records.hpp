// SPDX-License-Identifier: Apache-2.0
// Made-up records of processes that measured the same, to be combined.
#pragma once

#include "perf/command/result.hpp"
#include "tests/support.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test {

/// What one process has measured; what is not named is the same in all.
struct MadeUpProcess {
  int seed = 1;
  double shift = 0;     // added to the log ratio of the pair
  int allocations = 1;  // in which the pair and its noise floor are measured
  std::string null_step = "naive";
  Json header = Json::object();       // fields that are not as usual
  void (*change)(Result&) = nullptr;  // applied to the pair before it is concluded
  bool with_pair = true, with_end = true;
};

/// `pairs` pairs of blocks on each allocation, first in order 0 1, then 1 0. Side 0 takes
/// `ratios[allocation]` seconds and side 1 a second, times `position` where it goes second.
inline Measurement made_up_measurement(int pairs, const std::vector<double>& ratios,
                                       double position = 1, int sides = 2) {
  Measurement result;
  result.allocations = static_cast<int>(ratios.size());
  for (int allocation = 0; allocation < result.allocations; ++allocation) {
    for (int block = 0; block < 2 * pairs; ++block) {
      for (int place = 0; place < sides; ++place) {
        Sample sample;
        sample.block = block;
        sample.position = place;
        sample.allocation = allocation;
        sample.side = block % 2 == 0 || sides == 1 ? place : 1 - place;
        const double ratio = ratios[allocation];
        const double takes = (sample.side == 0 ? ratio : 1) * (place == 1 ? position : 1);
        sample.timing = {takes, 2 * takes};
        result.samples.push_back(sample);
      }
    }
  }
  result.blocks = 2 * pairs * result.allocations;
  return result;
}

/// In the third block of each allocation side 0 takes 1, 2 or 3 times as long.
inline Measurement interrupted(Measurement measurement) {
  for (Sample& sample : measurement.samples) {
    if (sample.block == 2 && sample.side == 0) sample.timing.device_s *= 1 + sample.allocation % 3;
  }
  return measurement;
}

/// Checks that a row has the fields of `wanted`, a JSON object.
inline void check_fields(const Json& row, const char* wanted) {
  const Json fields = Json::parse(wanted);
  for (const auto& [key, value] : fields.items()) {
    CAPTURE(key);
    CHECK(row.at(key) == value);
  }
}

namespace process_records {

inline const Limit limit{"host copy", 1e9, "B/s", {0.99e9, 1.01e9}};

inline const Algorithm& heat() { return *catalogue()[0]; }

inline Problem problem() {
  return {parse_size("nx=64,ny=48,steps=1", heat().size_keys),
          parse_parameters("", heat().parameter_keys), ElementType::f32, 1};
}

inline SideResult side(const std::string& step, std::string_view model, double first_run_s) {
  SideResult result;
  result.variant = "heat2d/" + step + "/" + std::string(model);
  result.model = model;
  result.step = step == "naive" ? "naive" : "full_halo";
  result.first_run_s = first_run_s;
  return result;
}

// Side 0 takes exp(`log`) seconds.
inline Measurement measured(const MadeUpProcess& process, int sides, double log) {
  const auto allocations = static_cast<std::size_t>(process.allocations);
  Measurement m = made_up_measurement(8, std::vector(allocations, std::exp(log)), 1, sides);
  m.stop = Stop::precise;
  m.load.wall_s = 1;
  return m;
}

inline Result result(const MadeUpProcess& process, Role role, const std::string& step,
                     const std::vector<SideResult>& sides, double log) {
  Result made;
  made.id = role == Role::null ? 0 : role == Role::pair ? 1 : 2;
  made.role = role;
  made.algorithm = heat().name;
  made.agreement = heat().agreement;
  made.step = step;
  made.problem = problem();
  made.truth = "drawn nodes";
  made.limit = limit;
  made.cost = {{0.5e9, made.limit.name}};
  made.floor_s = floor_of(made.cost, {{made.limit.name, made.limit}}).seconds;
  made.sides = sides;
  made.measurement = measured(process, static_cast<int>(sides.size()), log);
  return made;
}

inline Result made_up_null(const MadeUpProcess& process) {
  const SideResult each = side(process.null_step, "openmp", 0.1);
  return result(process, Role::null, process.null_step, {each, each}, process.shift / 100);
}

inline void write(RecordWriter& writer, Result made) {
  if (made.measured()) conclude(made);
  writer.write_result(to_json(made),
                      made.agrees ? samples_to_json(made, "Made-up CPU") : std::vector<Json>());
}

}  // namespace process_records

/// The header of its record.
inline Json made_up_header(const MadeUpProcess& process) {
  const std::string seed = std::to_string(process.seed);
  Json row{{"format", record_format},
           {"version", "1"},
           {"commit", "abc"},
           {"date", "2026-01-0" + seed + "T00:00:00Z"},
           {"command", "portcost bench heat2d --seed " + seed},
           {"arguments", {"heat2d", "--seed", seed}},
           {"seed", process.seed},
           {"machine", {{"processor", "Made-up CPU"}, {"cores", 4}, {"affinity", "0-" + seed}}},
           {"build", {{"compiler", "GNU"}}},
           {"settings", {{"seconds", 1.0}}}};
  row.update(process.header);
  return row;
}

/// The pair, as process.change has left it, before it is concluded. Its 8 pairs of blocks have log
/// ratios of 0.1 and the shift; side 1 takes a second.
inline Result made_up_pair(const MadeUpProcess& process) {
  using namespace process_records;
  Result pair =
      result(process, Role::pair, "naive",
             {side("naive", "kokkos", 0.3 + 0.01 * process.seed), side("naive", "openmp", 0.4)},
             0.1 + process.shift);
  pair.noise = Interval{0.999, 1.001};
  if (process.change != nullptr) process.change(pair);
  return pair;
}

/// Writes the record `name`, of a limit, a null, a pair and a solo, and returns its path.
inline std::string write_process(const TemporaryFolder& folder, const std::string& name,
                                 const MadeUpProcess& process) {
  using namespace process_records;
  const std::string path = folder.file(name);
  {
    RecordWriter writer(path);
    writer.write("header", made_up_header(process));
    writer.write("limit", to_json(limit));
    write(writer, made_up_null(process));
    if (process.with_pair) write(writer, made_up_pair(process));
    write(writer, result(process, Role::solo, "full_halo", {side("full_halo", "openmp", 0.2)},
                         process.shift));
    if (process.with_end) writer.finish();
  }
  return process.with_end ? path : path + ".part";
}

}  // namespace portcost::test
