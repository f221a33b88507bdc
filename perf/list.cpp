// SPDX-License-Identifier: Apache-2.0
// portcost list, limits, machine: what there is.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "perf/commands.hpp"
#include "perf/text.hpp"
#include "src/error.hpp"
#include "src/known_defect.hpp"
#include "src/machine.hpp"
#include "src/names.hpp"
#include "variants/kokkos_runtime.hpp"

namespace portcost {

namespace {

// The known defects of the variants that were chosen.
std::vector<const KnownDefect*> defects_of(const Choice& choice) {
  std::vector<const KnownDefect*> result;
  for (const KnownDefect& defect : choice.algorithm->known_defects) {
    if (std::any_of(choice.variants.begin(), choice.variants.end(), [&](const Variant* v) {
          return v->model == Model::library && v->step == defect.step && v->place == defect.place;
        })) {
      result.push_back(&defect);
    }
  }
  return result;
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
        {{"key", k.key}, {"default", k.standard}, {"meaning", k.meaning}});
  }
  row["variants"] = Json::array();
  for (const Variant* v : choice.variants) {
    row["variants"].push_back({{"name", variant_name(a, *v)},
                               {"step", v->step},
                               {"model", name(v->model)},
                               {"place", name(v->place)}});
  }
  row["absent"] = Json::array();
  for (const Absence* absence : choice.absent) {
    row["absent"].push_back({{"name", variant_name(a, *absence)},
                             {"step", absence->step},
                             {"model", name(absence->model)},
                             {"reason", absence->reason}});
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
    text += fmt::format("  --parameter {:<3} {} (default {})\n", k.key, k.meaning, k.standard);
  }
  for (const Variant* v : choice.variants) {
    text += fmt::format("  {:<36} on the {}\n", variant_name(a, *v), name(v->place));
  }
  for (const Absence* absence : choice.absent) {
    text += fmt::format("  {:<36} absent: {}\n", variant_name(a, *absence), absence->reason);
  }
  for (const KnownDefect* defect : defects_of(choice)) {
    text +=
        fmt::format("  {}/{}/library: known defect in {} {} to {}: {}\n", a.name, defect->step,
                    defect->library, defect->first_version, defect->last_version, text_of(*defect));
  }
  return text;
}

int list(const ListOptions& options) {
  Json all = Json::array();
  for (const Choice& choice : select_variants(options.filters)) {
    if (options.json) {
      all.push_back(list_json(choice));
    } else {
      fmt::print("{}", list_text(choice));
    }
  }
  if (options.json) fmt::print("{}\n", all.dump(2));
  return 0;
}

int limits(const MachineOptions& options) {
  std::vector<std::string> known;
  std::vector<Place> places;
  for (const Place place : {Place::device, Place::host}) {
    if (place == Place::device && !device_present()) continue;
    for (const std::string_view limit : limit_names(place)) {
      known.emplace_back(limit);
      places.push_back(place);
    }
  }
  for (const std::string& wanted : options.names) {
    if (std::none_of(known.begin(), known.end(),
                     [&](const auto& k) { return glob_match(wanted, k); })) {
      throw UsageError(fmt::format("no limit is called '{}': did you mean '{}'? Known here: {}",
                                   wanted, nearest_name(wanted, known), fmt::join(known, ", ")));
    }
  }
  Json all = Json::array();
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool wanted = options.names.empty() ||
                        std::any_of(options.names.begin(), options.names.end(),
                                    [&](const auto& n) { return glob_match(n, known[i]); });
    if (!wanted) continue;
    const Limit limit = measure_limit(known[i], Stream(places[i]));
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
  const nlohmann::json about{{"machine", describe_machine(place)},
                             {"build", describe_build()},
                             {"commit", commit()},
                             {"version", version()}};
  if (options.json) {
    fmt::print("{}\n", about.dump(2));
    return 0;
  }
  fmt::print("portcost {} ({})\n", version(), commit());
  for (const char* part : {"machine", "build"}) {
    for (const auto& [key, value] : about[part].items()) {
      fmt::print("  {:<18} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return 0;
}

}  // namespace portcost
