// SPDX-License-Identifier: Apache-2.0
// portcost list: what there is.
#include <fmt/format.h>

#include <algorithm>

#include "perf/command/commands.hpp"
#include "src/contract/rung.hpp"

namespace portcost {

namespace {

std::vector<const UnequalWork*> unequal_work_of(const Choice& choice) {
  std::vector<const UnequalWork*> result;
  for (const UnequalWork& one : choice.algorithm->unequal_work) {
    if (std::ranges::any_of(choice.variants,
                            [&](const Variant* variant) { return variant->step == one.step; })) {
      result.push_back(&one);
    }
  }
  return result;
}

std::vector<const KnownDefect*> defects_of(const Choice& choice) {
  std::vector<const KnownDefect*> result;
  for (const KnownDefect& defect : choice.algorithm->known_defects) {
    if (std::ranges::any_of(choice.variants, [&](const Variant* v) {
          return v->model == Model::library && v->step == defect.step && v->place == defect.place;
        })) {
      result.push_back(&defect);
    }
  }
  return result;
}

// One line of all steps that only MPI is missing for.
std::string without_mpi(const Choice& choice) {
  std::vector<std::string_view> steps;
  for (const Absence* absence : choice.absent) {
    if (absence->reason != needs_mpi) continue;
    if (std::ranges::find(steps, absence->step) == steps.end()) steps.push_back(absence->step);
  }
  if (steps.empty()) return {};
  return fmt::format("  over processes ({}): {}\n", joined(steps, ", "), needs_mpi);
}

}  // namespace

Json list_json(const Choice& choice) {
  const Algorithm& a = *choice.algorithm;
  Json row{
      {"name", a.name}, {"summary", a.summary}, {"agreement", a.agreement}, {"steps", a.steps}};
  row["types"] = Json::array();
  for (const ElementType type : a.types) row["types"].push_back(name(type));
  row["size_keys"] = Json::array();
  for (const SizeKey& k : a.size_keys) {
    row["size_keys"].push_back({{"key", k.key},
                                {"default", k.standard},
                                {"least", k.least},
                                {"most", k.most},
                                {"meaning", k.meaning},
                                {"counts", k.counts}});
  }
  row["parameter_keys"] = Json::array();
  for (const ParameterKey& k : a.parameter_keys) {
    row["parameter_keys"].push_back(
        {{"key", k.key}, {"allowed", k.allowed()}, {"meaning", k.meaning}});
  }
  row["variants"] = Json::array();
  for (const Variant* v : choice.variants) {
    row["variants"].push_back({{"name", variant_name(a, *v)},
                               {"step", v->step},
                               {"model", name(v->model)},
                               {"place", name(v->place)},
                               {"portable", v->portable},
                               {"over_ranks", v->over_ranks}});
  }
  row["absent"] = Json::array();
  for (const Absence* absence : choice.absent) {
    row["absent"].push_back({{"name", variant_name(a, *absence)},
                             {"step", absence->step},
                             {"model", name(absence->model)},
                             {"reason", absence->reason}});
  }
  row["unequal_work"] = Json::array();
  for (const UnequalWork* one : unequal_work_of(choice)) {
    row["unequal_work"].push_back(
        {{"step", one->step}, {"what", one->what}, {"reason", one->reason}});
  }
  row["known_defects"] = Json::array();
  for (const KnownDefect* defect : defects_of(choice)) {
    row["known_defects"].push_back({{"step", defect->step},
                                    {"library", defect->library},
                                    {"first_version", defect->first_version},
                                    {"last_version", defect->last_version},
                                    {"what", defect->what},
                                    {"reason", defect->reason},
                                    {"reproducer", defect->reproducer}});
  }
  return row;
}

std::string list_text(const Choice& choice) {
  const Algorithm& a = *choice.algorithm;
  std::string text = fmt::format("{}: {}\n  agreement: {}\n", a.name, a.summary, a.agreement);
  for (const SizeKey& k : a.size_keys) {
    text += fmt::format("  --size {:<8} {} (default {}, {} to {})\n", k.key, k.meaning, k.standard,
                        k.least, k.most);
  }
  for (const ParameterKey& k : a.parameter_keys) {
    text += fmt::format("  --parameter {:<3} {} ({})\n", k.key, k.meaning, k.allowed());
  }
  for (const Variant* v : choice.variants) {
    text += fmt::format("  {:<36} on the {}{}\n", variant_name(a, *v), name(v->place),
                        v->over_ranks ? ", over processes" : "");
  }
  for (const Absence* absence : choice.absent) {
    if (absence->reason == needs_mpi) continue;
    text += fmt::format("  {:<36} absent: {}\n", variant_name(a, *absence), absence->reason);
  }
  text += without_mpi(choice);
  for (const UnequalWork* one : unequal_work_of(choice)) {
    text += fmt::format("  {}/{}/kokkos: other {} than the native side, because {}\n", a.name,
                        one->step, one->what, one->reason);
  }
  for (const KnownDefect* defect : defects_of(choice)) {
    text += fmt::format("  {}/{}/library: known defect in {} {} to {}: {}\n", a.name, defect->step,
                        defect->library, defect->first_version, defect->last_version,
                        text_of(texts_of(*defect)));
  }
  return text;
}

int list(const ListOptions& options) {
  Json all = Json::array();
  for (const Choice& choice : select_variants(options.filters, Among::all)) {
    if (options.json) {
      all.push_back(list_json(choice));
    } else {
      fmt::print("{}", list_text(choice));
    }
  }
  if (options.json) {
    fmt::print("{}\n", all.dump(2));
  } else if (options.filters.empty() && !left_out().empty()) {
    fmt::print("left out of this build: {} ({})\n", names_of(left_out()), how_to_build_all);
  }
  return 0;
}

}  // namespace portcost
