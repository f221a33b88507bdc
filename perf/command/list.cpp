// SPDX-License-Identifier: Apache-2.0
// portcost list: what there is. portcost machine: what was built, and for what. portcost limits:
// what this machine can do.
#include <algorithm>
#include <cstdio>

#include "perf/command/commands.hpp"
#include "perf/command/watch.hpp"
#include "src/contract/rung.hpp"
#include "variants/shared/kokkos_runtime.hpp"

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

int limits(const MachineOptions& options) {
  const Ranks& ranks = options.all_ranks();
  if (options.ranks != nullptr) {
    device_of(ranks, options.share_gpus);
    if (const std::string text = crowding(kokkos_place(), ranks, options.share_gpus);
        !text.empty() && ranks.is_first()) {
      fmt::print(stderr, "portcost: {}\n", text);
    }
  }
  std::vector<std::string> known;
  std::vector<Place> places;
  for (const Place place : {Place::device, Place::host}) {
    if (place == Place::device && !device_present()) continue;
    for (std::string& limit : limit_names(place, ranks)) {
      known.push_back(std::move(limit));
      places.push_back(place);
    }
  }
  for (const std::string& wanted : options.names) {
    if (std::ranges::none_of(known, [&](const auto& k) { return glob_match(wanted, k); })) {
      reject("no limit is called '{}': {}", wanted, did_you_mean(wanted, known));
    }
  }
  Json all = Json::array();
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool wanted =
        options.names.empty() ||
        std::ranges::any_of(options.names, [&](const auto& n) { return glob_match(n, known[i]); });
    if (!wanted) continue;
    tell_limit(options.watch, known[i]);
    const Limit limit = limit_of(known[i], Stream(places[i], ranks));
    all.push_back(to_json(limit));
    if (!options.json) {
      fmt::print("{:<26} {:>16}{}\n", limit.name, readable_limit(limit), readable_interval(limit));
    }
    std::fflush(stdout);
  }
  if (options.json) fmt::print("{}\n", all.dump(2));
  return 0;
}

int machine(const MachineOptions& options) {
  const Place place = device_present() ? Place::device : Place::host;
  nlohmann::json device = describe_device();
  if (!device.empty()) {  // beside the rate that the clock and the bus allow
    const Limit copy = limit_of("device copy", Stream(place));
    device["memory_rate_measured"] = copy.value;
  }
  const nlohmann::json about{{"machine", describe_machine(place)},
                             {"device", device},
                             {"build", describe_build()},
                             {"commit", commit()},
                             {"version", version()}};
  if (options.json) {
    fmt::print("{}\n", about.dump(2));
    return 0;
  }
  fmt::print("portcost {} ({})\n", version(), commit());
  for (const char* part : {"machine", "device", "build"}) {
    for (const auto& [key, value] : about[part].items()) {
      fmt::print("  {:<20} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return 0;
}

}  // namespace portcost
