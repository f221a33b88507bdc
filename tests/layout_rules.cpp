// SPDX-License-Identifier: Apache-2.0
// The rules of layout as functions over file names and texts.
#include "tests/layout_rules.hpp"

#include <regex>

namespace portcost::test {

namespace {

struct Include {
  std::string name;
  bool quoted;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex form(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> result;
  for (const std::string& line : lines_of(text)) {
    std::smatch match;
    if (std::regex_search(line, match, form)) result.push_back({match[2], match[1] == "\""});
  }
  return result;
}

bool is_source(const std::string& path) {
  const auto ending = std::filesystem::path(path).extension();
  return ending == ".cpp" || ending == ".hpp" || ending == ".cu" || ending == ".cuh";
}

const std::regex files_that_see_kokkos(
    R"(variants/shared/(kokkos_(space|team|tiles|usual|graph|compat)\.hpp|kokkos_runtime\.cpp))"
    R"(|variants/[^/]+/(kokkos\.cpp|kokkos/[^/]+\.[ch]pp|library_kokkos(_kernels)?\.cpp))"
    R"(|variants/[^/]+/reproducers/[^/]+/[^/]+\.[ch]pp)"
    R"(|tests/(test_kokkos_space\.cpp|book/[^/]+\.[ch]pp|stagger\.hpp|tsan_(fences\.hpp|races\.cpp)))");

bool may_see_cuda(const std::string& path) {
  return path.ends_with(".cu") || path.ends_with(".cuh") || path == "src/memory/cuda_check.hpp" ||
         path == "src/timing/profiled_range.cpp";
}

const std::regex headers_of_cuda(
    R"((cuda|cub/|thrust/|cublas|cusolver|curand|cooperative_groups|nvml|mma\.h).*|.*\.cuh)");

bool may_see_mpi(const std::string& path) {
  if (path == "tests/ranks/failing.cpp") return true;  // puts a function in place of MPI's
  return path.starts_with("src/distributed/") && !path.ends_with(".cu") &&
         (path.ends_with(".cpp") || path == "src/distributed/mpi_calls.hpp");
}

// "src" of "src/support/error.hpp"; "heat2d" of "variants/heat2d/rule.hpp", nothing of
// "variants/shared/data.hpp".
std::string top_of(const std::string& path) { return path.substr(0, path.find('/')); }
std::string algorithm_of(const std::string& path) {
  static const std::regex form("variants/(?!shared/)([^/]+)/.*");
  std::smatch match;
  return std::regex_match(path, match, form) ? match[1].str() : std::string();
}

// What may be included from each top folder.
std::string allowed_tops(const std::string& top) {
  if (top == "src") return "src";
  if (top == "variants") return "src variants";
  if (top == "perf") return "src variants perf";
  return "src variants perf tests";
}

std::string fault(const std::string& path, const Include& include) {
  const std::string& name = include.name;
  static const std::regex own(
      R"(Kokkos_Core\.hpp|variants/shared/kokkos_(space|team|tiles|usual|graph|compat)\.hpp)");
  const bool kokkos =
      (!include.quoted && name.starts_with("Kokkos")) || std::regex_match(name, own);
  if (kokkos && !std::regex_match(path, files_that_see_kokkos))
    return "Kokkos does not belong here";
  if (std::regex_match(name, headers_of_cuda) && !may_see_cuda(path))
    return "CUDA does not belong here";
  if ((name == "mpi.h" || name == "mpi-ext.h") && !may_see_mpi(path)) {
    return "MPI does not belong here";
  }
  if (name == "nccl.h" && path != "src/distributed/nccl_group.cpp") {
    return "NCCL does not belong here";
  }
  if (!include.quoted || path.find("/reproducers/") != std::string::npos) return {};
  if (name == "build_info.hpp" || name == "portcost_commit.hpp") return {};  // generated
  if (name.find('/') == std::string::npos || name.find("..") != std::string::npos) {
    return "is not named from the root";
  }
  if (allowed_tops(top_of(path)).find(top_of(name)) == std::string::npos) {
    return "points the wrong way";
  }
  const std::string mine = algorithm_of(path), its = algorithm_of(name);
  if (!mine.empty() && !its.empty() && mine != its) return "is another algorithm's";
  return {};
}

std::string without_comments(const std::string& text) {
  std::string result;
  for (const std::string& line : lines_of(text)) result += line.substr(0, line.find("//")) + "\n";
  return result;
}

// Uses of kokkos_shapes other than as an argument: `f(kokkos_shapes)`, `F<kokkos_shapes, A>`. In
// formatted code a comparison and an `if` have a space before what stands here.
int uses_of_shapes(const std::string& code) {
  if (code.find("kokkos_shapes") == std::string::npos) return 0;
  static const std::regex any(R"(\bkokkos_shapes\b)");
  static const std::regex argument(R"(([\w>][<(]|,)\s*kokkos_shapes\s*(,|\)|>(?!=)))");
  static const std::regex cast(R"((_cast<[^()]*>|\bPlace|\bint)[({]\s*kokkos_shapes)");
  const auto count = [&code](const std::regex& form) {
    return static_cast<int>(std::distance(std::sregex_iterator(code.begin(), code.end(), form),
                                          std::sregex_iterator()));
  };
  return count(any) - count(argument) + count(cast);
}

const std::regex portable_files(R"(variants/(?!shared/)[^/]+/(library_)?kokkos.*)");

// The template of an algorithm is held to the rules of the catalogue's folders, as what is copied
// from it will be: "variants/axpy/cuda.cu" of "perf/setup/template/axpy/cuda.cu".
std::string as_in_catalogue(const std::string& path) {
  const std::string above = "perf/setup/template/";
  return path.starts_with(above) ? "variants/" + path.substr(above.size()) : path;
}

// What a file of the template includes of its own folder: "axpy/problem.hpp".
Include as_in_catalogue(const std::string& path, const Include& include) {
  const std::string place = as_in_catalogue(path);
  const bool own =
      place != path && include.quoted && include.name.starts_with(algorithm_of(place) + "/");
  return {own ? "variants/" + include.name : include.name, include.quoted};
}

const std::regex files_of_folders(
    R"((problem|rule|schedule|known_defects|ranks(_[a-z0-9_]+)?)\.hpp)"
    R"(|(reference|openmp|kokkos|library_[a-z_]+|truth|algorithm|solver|ranks(_[a-z0-9_]+)?)\.cpp)"
    R"(|(cuda|library_[a-z_]+)\.cu|README\.md|libraries\.cmake|paper_table\.json|lines_of_code\.json)"
    R"(|reproducers/[a-z0-9_]+/([a-z0-9_]+\.(cpp|cu)|CMakeLists\.txt|README\.md))"
    R"(|openmp/[a-z0-9_]+\.[ch]pp|kokkos/[a-z0-9_]+\.[ch]pp|cuda/[a-z0-9_]+\.(cu|cuh|hpp))");

}  // namespace

Sources read_sources(const std::string& root) {
  namespace fs = std::filesystem;
  Sources sources;
  for (const char* top : {"src", "variants", "perf", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / top)) {
      const std::string path = fs::relative(entry.path(), root).string();
      const bool wanted = is_source(path) || !algorithm_of(path).empty();
      if (entry.is_regular_file() && wanted) sources[path] = read_file(entry.path());
    }
  }
  return sources;
}

Violations include_violations(const Sources& sources) {
  Violations found;
  for (const auto& [path, text] : sources) {
    if (!is_source(path)) continue;
    for (const Include& include : includes_of(text)) {
      const std::string why = fault(as_in_catalogue(path), as_in_catalogue(path, include));
      if (!why.empty()) found.push_back(path + ": " + include.name + " " + why);
    }
  }
  return found;
}

Violations naming_violations(const Sources& sources, const std::vector<std::string>& algorithms) {
  Violations found;
  for (const auto& [path, text] : sources) {
    if (top_of(path) != "src") continue;
    const std::string code = without_comments(text);
    for (const std::string& name : algorithms) {
      if (code.find(name) == std::string::npos) continue;  // far faster than an expression
      // As a string, a path or a namespace: a word such as "sum" alone may mean anything.
      const std::regex form("\"" + name + "[\"/]|\\b" + name + "(::|/)|namespace " + name + "\\b");
      if (std::regex_search(code, form)) found.push_back(path + ": names " + name);
    }
  }
  return found;
}

Violations folder_violations(const Sources& sources, const std::vector<std::string>& algorithms) {
  Violations found;
  for (const std::string& name : algorithms) {
    const std::string folder = "variants/" + name + "/";
    for (const char* file :
         {"problem.hpp", "reference.cpp", "truth.cpp", "algorithm.cpp", "README.md"}) {
      if (!sources.contains(folder + file)) found.push_back(folder + file + " is missing");
    }
    const bool portable = std::any_of(sources.begin(), sources.end(), [&](const auto& source) {
      return source.first == folder + "kokkos.cpp" || source.first.starts_with(folder + "kokkos/");
    });
    if (!portable) found.push_back(folder + "kokkos.cpp is missing");
    for (const auto& [path, text] : sources) {
      if (path.starts_with(folder) &&
          !std::regex_match(path.substr(folder.size()), files_of_folders)) {
        found.push_back(path + " has no place there");
      }
    }
  }
  return found;
}

Violations place_violations(const Sources& sources) {
  static const std::regex asked(
      R"(\b(kokkos_on_host|kokkos_place|KOKKOS_IF_ON_\w+|SpaceAccessibility|__CUDA_ARCH__)\b)"
      R"(|[=!]=\s*Place::|Place::\w+\s*[=!]=|\bcase\s+Place::)");
  static const std::regex shape(R"(return place == Place::\w+\s*\?|ShapeIn<kokkos_place\(\),)");
  Violations found;
  for (const auto& [path, text] : sources) {
    const std::string place = as_in_catalogue(path);
    if (!is_source(place) || algorithm_of(place).empty()) continue;
    // Plain Kokkos asks by Kokkos's own traits, and its table of steps has those of one place.
    if (place.ends_with("/kokkos/book.hpp") || place.ends_with("/kokkos/book.cpp")) continue;
    const std::string code = without_comments(text);
    if (uses_of_shapes(code) > 0) found.push_back(path + ": kokkos_shapes is not an argument");
    if (!std::regex_match(place, portable_files)) continue;
    const std::string others = std::regex_replace(code, shape, "");
    std::smatch match;
    if (std::regex_search(others, match, asked)) {
      found.push_back(path + ": asks where it runs (" + match.str() + ")");
    }
  }
  return found;
}

Violations licence_violations(const Sources& sources) {
  Violations found;
  for (const auto& [path, text] : sources) {
    if (is_source(path) && !text.starts_with("// SPDX-License-Identifier: Apache-2.0\n")) {
      found.push_back(path + " does not start with its licence");
    }
  }
  return found;
}

}  // namespace portcost::test
