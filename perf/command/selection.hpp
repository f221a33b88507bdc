// SPDX-License-Identifier: Apache-2.0
// From what users type (filters, sizes, types) to what is to be done. Every mistake is a UsageError
// of one line.
#pragma once

#include "variants/catalogue.hpp"

namespace portcost {

/// An algorithm and those of its variants that were requested, in the order of its table; and what
/// was requested with them but is absent in this build.
struct Choice {
  const Algorithm* algorithm = nullptr;
  std::vector<const Variant*> variants;
  std::vector<const Absence*> absent = {};
};

/// Which variants are chosen among: those of one process, those over ranks (Variant::over_ranks),
/// or, to list them, all.
enum class Among { one_process, over_ranks, all };

/// The variants whose name matches any of `filters` (globs over algorithm/step/model; a filter
/// without '/' names an algorithm). No filters: everything. A filter that matches only what is
/// absent or left out, or CUDA's in a build for the host, is an error that says why; one that
/// matches nothing, an error that names the nearest known name; one that matches variants of the
/// other kind alone, an error that says whether they need a launcher.
std::vector<Choice> select_variants(std::span<const std::string> filters,
                                    Among among = Among::one_process);
/// The same among `algorithms` instead of the catalogue, where `missing` are left out.
std::vector<Choice> select_variants(std::span<const Algorithm* const> algorithms,
                                    std::span<const std::string> filters,
                                    std::span<const LeftOut> missing = {},
                                    Among among = Among::one_process);

/// How work of several processes is started.
inline constexpr std::string_view how_to_launch =
    "perf/run --ranks N, or mpirun -n N portcost, starts it";
/// And work of one.
inline constexpr std::string_view without_launcher = "start it without a launcher (mpirun, srun)";

inline bool runs_here(const Variant& variant) {
  return variant.place == Place::host || device_present();
}

/// Whether a variant is there to explain a price: one trick, a kind of View, ranges of 32 bits.
bool explains(const Variant& variant);
/// Of all variants keeps those of the default campaign: algorithms that are in it and, of each, its
/// headline's steps and its peers, without what explains a price.
void keep_default_campaign(std::vector<Choice>& choices, Place place);

/// "histogram, atomics": those left out, of the default campaign alone where that is asked for.
std::string names_of(std::span<const LeftOut> missing, bool default_campaign = false);
/// How to get an algorithm that is left out.
inline constexpr std::string_view how_to_build_all =
    "perf/portcost builds what a filter names, perf/prepare all";

/// The types called `names`, each once, or all of the algorithm's when none are named.
std::vector<ElementType> select_types(const Algorithm& algorithm,
                                      std::span<const std::string> names);

/// The sizes written in `texts`, each once, or `standard` when there are none.
std::vector<Size> select_sizes(const Algorithm& algorithm, std::span<const std::string> texts,
                               std::vector<Size> standard);

/// What is said of a variant that does not take a problem (Variant::unfit).
std::string unfit_text(const Algorithm& algorithm, const Problem& problem, const Variant& variant);

/// Throws UsageError, saying what is needed and what there is, unless the problem is valid and fits
/// into `place`. Of several ranks: into that of the one with the least; collective. `footprint`: of
/// what is needed, where that is another than the algorithm's.
void check_problem(const Algorithm& algorithm, const Problem& problem, Place place,
                   const Ranks& ranks = alone(), double (*footprint)(const Problem&) = nullptr);
/// What this process may take of the memory of a place: of several ranks of one computer, its
/// share; of all ranks, the least. Collective.
double memory_for_each(Place place, const Ranks& ranks);

/// The parameters of each problem that `texts` ask for, each text "key=value,...". A key in several
/// texts takes each of its values, with each value of the other keys; the key that came first
/// changes slowest: "r1=8,colour=red" and "r1=16,colour=blue" are four problems. No text: one
/// problem with the keys' defaults. Throws UsageError as parse_parameters does, also for a key
/// twice in one text and for a value that is given twice.
std::vector<Parameters> parse_parameter_sets(std::span<const std::string> texts,
                                             std::span<const ParameterKey> keys);

}  // namespace portcost
