// SPDX-License-Identifier: Apache-2.0
#include "tests/process_records.hpp"

#include <cmath>

#include "src/record/record.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test {

namespace {

constexpr int pairs = 8;

const Algorithm& heat() { return *catalogue()[0]; }

Problem problem() {
  return {parse_size("nx=64,ny=48,steps=1", heat().size_keys),
          parse_parameters("", heat().parameter_keys), ElementType::f32, 1};
}

SideResult side(const std::string& step, std::string_view model, double first_run_s) {
  SideResult result;
  result.variant = "heat2d/" + step + "/" + std::string(model);
  result.model = model;
  result.step = step == "naive" ? "naive" : "full_halo";
  result.first_run_s = first_run_s;
  return result;
}

// Side 0 takes exp(`log`) seconds, side 1 one.
Measurement measurement(int allocations, std::size_t sides, double log) {
  Measurement m;
  m.allocations = allocations;
  for (int allocation = 0; allocation < allocations; ++allocation) {
    for (int block = 0; block < 2 * pairs; ++block) {
      for (int i = 0; i < static_cast<int>(sides); ++i) {
        Sample sample;
        sample.block = block;
        sample.side = block % 2 == 0 || sides == 1 ? i : 1 - i;
        sample.position = i;
        sample.allocation = allocation;
        const double seconds = sample.side == 0 ? std::exp(log) : 1;
        sample.timing = {seconds, 2 * seconds};
        m.samples.push_back(sample);
      }
    }
  }
  m.blocks = 2 * pairs * allocations;
  m.stop = Stop::precise;
  m.load.wall_s = 1;
  return m;
}

Result result(const MadeUpProcess& process, Role role, const std::string& step) {
  Result made;
  made.id = role == Role::null ? 0 : role == Role::pair ? 1 : 2;
  made.role = role;
  made.algorithm = heat().name;
  made.agreement = heat().agreement;
  made.step = step;
  made.problem = problem();
  made.truth = "drawn nodes";
  made.limit = {"host copy", process.copy_rate, "B/s", {0.99e9, 1.01e9}};
  made.cost = {{0.5e9, made.limit.name}};
  made.floor_s = floor_of(made.cost, {{made.limit.name, made.limit}}).seconds;
  return made;
}

Result made_up_null(const MadeUpProcess& process) {
  Result null = result(process, Role::null, process.null_step);
  null.sides = {side(process.null_step, "openmp", 0.1), side(process.null_step, "openmp", 0.1)};
  null.measurement = measurement(process.allocations, 2, process.shift / 100);
  return null;
}

Result made_up_solo(const MadeUpProcess& process) {
  Result solo = result(process, Role::solo, "full_halo");
  solo.sides = {side("full_halo", "openmp", 0.2)};
  solo.measurement = measurement(process.allocations, 1, process.shift);
  return solo;
}

Json header(const MadeUpProcess& process) {
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

void write(RecordWriter& writer, Result made) {
  if (made.measured()) conclude(made);
  writer.write_result(to_json(made),
                      made.agrees ? samples_to_json(made, "Made-up CPU") : std::vector<Json>());
}

}  // namespace

Result made_up_pair(const MadeUpProcess& process) {
  Result pair = result(process, Role::pair, "naive");
  pair.sides = {side("naive", "kokkos", 0.3 + 0.01 * process.seed), side("naive", "openmp", 0.4)};
  pair.measurement = measurement(process.allocations, 2, 0.1 + process.shift);
  pair.noise = Interval{0.999, 1.001};
  if (process.change != nullptr) process.change(pair);
  return pair;
}

std::string write_process(const TemporaryFolder& folder, const std::string& name,
                          const MadeUpProcess& process) {
  const std::string path = folder.file(name);
  {
    RecordWriter writer(path);
    writer.write("header", header(process));
    writer.write("limit", to_json(Limit{"host copy", process.copy_rate, "B/s", {0.99e9, 1.01e9}}));
    write(writer, made_up_null(process));
    if (process.with_pair) write(writer, made_up_pair(process));
    write(writer, made_up_solo(process));
    if (process.with_end) writer.finish();
  }
  return process.with_end ? path : path + ".part";
}

}  // namespace portcost::test
