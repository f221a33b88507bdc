// SPDX-License-Identifier: Apache-2.0
// The firewall around Kokkos, the direction of dependencies and the shape of the folders: rules
// over file names and texts, so that a planted violation can show that they work. Each returns a
// line a violation.
#include <regex>

#include "tests/support.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_layout {
namespace {

// Paths from the repository's root, with their text.
using Sources = std::map<std::string, std::string>;
using Violations = std::vector<std::string>;

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
    R"(variants/shared/(kokkos_(space|team|tiles|tricks|usual|graph|compat)\.hpp|kokkos_runtime\.cpp))"
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

// "src" of "src/support/error.hpp"; "heat2d" of "variants/heat2d/rule.hpp".
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
      R"(Kokkos_Core\.hpp|variants/shared/kokkos_(space|team|tiles|tricks|usual|graph|compat)\.hpp)");
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

// C++ and CUDA sources, headers and the README files of src, variants, perf and tests.
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

// Kokkos and CUDA headers only where they may be; dependencies point one way: perf and tests to
// variants to src; no algorithm includes another's files.
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

// src names no algorithm, comments apart.
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

// Every algorithm's folder has the files it must have and only those it may have.
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

// No variant asks whether it runs on a host: in an algorithm's folder kokkos_shapes is an
// argument, of a function or a template, and nothing else. Kokkos sources compare no place with
// another, but for a function that returns the shape of a place, and ask neither kokkos_on_host
// nor what they are compiled for. What a place changes is a shape (such a function, ShapeIn), or a
// step that only one place has (host_step, device_step, host_row).
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

// Every source starts with its licence.
Violations licence_violations(const Sources& sources) {
  Violations found;
  for (const auto& [path, text] : sources) {
    if (is_source(path) && !text.starts_with("// SPDX-License-Identifier: Apache-2.0\n")) {
      found.push_back(path + " does not start with its licence");
    }
  }
  return found;
}

const Sources& all_sources() {
  static const Sources sources = read_sources(PORTCOST_SOURCE_DIR);
  return sources;
}

// Those of this repository: a build may have more.
std::vector<std::string> names_in_catalogue() {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : catalogue()) {
    const std::string name(algorithm->name);
    if (all_sources().contains("variants/" + name + "/algorithm.cpp")) names.push_back(name);
  }
  return names;
}

std::string include(const std::string& name) { return "#include \"" + name + "\""; }

// Each of these include lines is refused in the one files, and in none of the others.
void check_lines(const std::vector<std::string>& lines, const std::vector<std::string>& refusing,
                 const std::vector<std::string>& taking) {
  const auto violations = [](const std::string& path, const std::string& line) {
    return include_violations({{path, "// a comment\n" + line + "\nint x;\n"}});
  };
  for (const std::string& line : lines) {
    CAPTURE(line);
    for (const std::string& path : refusing) CHECK(violations(path, line) != Violations{});
    for (const std::string& path : taking) CHECK(violations(path, line) == Violations{});
  }
}

// A complete folder of an algorithm called "wave".
Sources wave() {
  Sources sources;
  for (const char* file :
       {"problem.hpp", "reference.cpp", "truth.cpp", "kokkos.cpp", "algorithm.cpp", "README.md"}) {
    sources[std::string("variants/wave/") + file] = "";
  }
  return sources;
}

TEST_CASE("layout: the sources keep the rules", "[layout]") {
  for (const char* path : {"src/statistics/statistics.cpp", "variants/catalogue.hpp",
                           "perf/command/portcost.cpp", "tests/test_layout.cpp"}) {
    CHECK(all_sources().contains(path));
  }
  CHECK(include_violations(all_sources()) == Violations{});
  CHECK(naming_violations(all_sources(), names_in_catalogue()) == Violations{});
  CHECK(folder_violations(all_sources(), names_in_catalogue()) == Violations{});
  CHECK(place_violations(all_sources()) == Violations{});
  CHECK(licence_violations(all_sources()) == Violations{});
}

TEST_CASE("layout: the template of an algorithm keeps the rules of the catalogue", "[layout]") {
  const std::string folder = "perf/setup/template/axpy/";
  CHECK(all_sources().contains(folder + "problem.hpp"));
  check_lines({include("variants/shared/kokkos_space.hpp")}, {folder + "openmp.cpp"},
              {folder + "kokkos.cpp"});
  check_lines({include("variants/sum/problem.hpp"), include("perf/command/text.hpp")},
              {folder + "openmp.cpp"}, {});
  check_lines({include("axpy/problem.hpp")}, {"perf/command/text.cpp"}, {folder + "kokkos.cpp"});
}

TEST_CASE("layout rules: headers outside their files, wrong dependencies", "[layout]") {
  check_lines(
      {"#include <Kokkos_Core.hpp>", "  #  include <KokkosBlas.hpp>",
       include("variants/shared/kokkos_space.hpp"), include("variants/shared/kokkos_compat.hpp"),
       include("variants/shared/kokkos_tiles.hpp"), include("variants/shared/kokkos_usual.hpp"),
       include("variants/shared/kokkos_graph.hpp"), include("variants/shared/kokkos_tricks.hpp")},
      {"src/memory/buffer.hpp", "variants/wave/openmp.cpp", "variants/wave/cuda.cu",
       "variants/wave/algorithm.cpp", "variants/wave/problem.hpp", "perf/command/bench.cpp",
       "tests/test_text.cpp", "variants/shared/matrix_tiles.hpp", "variants/shared/cuda_tiles.cuh"},
      {"variants/wave/kokkos.cpp", "variants/wave/kokkos/naive.cpp",
       "variants/wave/library_kokkos.cpp", "variants/wave/library_kokkos_kernels.cpp",
       "variants/shared/kokkos_space.hpp", "variants/shared/kokkos_compat.hpp",
       "variants/shared/kokkos_tiles.hpp", "variants/shared/kokkos_usual.hpp",
       "variants/shared/kokkos_graph.hpp", "variants/shared/kokkos_runtime.cpp",
       "tests/test_kokkos_space.cpp"});
  check_lines(
      {"#include <mpi.h>", "#include <mpi-ext.h>"},
      {"src/memory/buffer.hpp", "src/distributed/array.hpp", "src/distributed/reductions.cu",
       "variants/wave/kokkos.cpp", "tests/ranks/main.cpp"},
      {"tests/ranks/failing.cpp", "src/distributed/files.cpp", "src/distributed/mpi_calls.hpp"});
  check_lines({"#include <nccl.h>"}, {"src/distributed/nccl_path.cpp", "variants/wave/cuda.cu"},
              {"src/distributed/nccl_group.cpp"});
  check_lines(
      {"#include <cuda_runtime.h>", "#include <cub/cub.cuh>", "#include <cublas_v2.h>",
       "#include <cooperative_groups.h>"},
      {"src/memory/buffer.hpp", "variants/wave/kokkos.cpp", "variants/wave/problem.hpp",
       "variants/shared/matrix_tiles.hpp"},
      {"variants/wave/cuda.cu", "variants/shared/cuda_graph.cuh", "src/memory/cuda_check.hpp"});
  check_lines({include("variants/shared/cuda_tiles.cuh")},
              {"variants/wave/kokkos.cpp", "variants/wave/problem.hpp"},
              {"variants/wave/cuda/tiles.cuh"});
  const std::string in_wave = "variants/wave/algorithm.cpp", in_perf = "perf/command/text.cpp";
  check_lines({include("variants/catalogue.hpp")}, {"src/a.cpp"}, {});
  check_lines({include("perf/command/text.hpp")}, {"src/a.cpp", in_wave}, {});
  check_lines({include("tests/support.hpp")}, {in_wave, in_perf}, {});
  check_lines({include("variants/heat2d/rule.hpp"), include("../heat2d/rule.hpp")}, {in_wave}, {});
  check_lines({include("variants/wave/rule.hpp")}, {}, {in_wave});
  check_lines({include("variants/wave/problem.hpp")}, {}, {"variants/catalogue.cpp"});
  check_lines({include("src/machine/limits.hpp")}, {}, {in_perf});
}

TEST_CASE("layout rules: algorithms' names and lacking licences are found", "[layout]") {
  const auto named = [](const std::string& text) {
    return !naming_violations({{"src/a.cpp", text}}, {"wave"}).empty();
  };

  CHECK(named("if (name == \"wave\") return 1;"));
  CHECK(named("wave::solve();"));
  CHECK(named("f(\"wave/naive/cuda\");"));
  CHECK_FALSE(named("int wave = 0;  // wave::solve()"));
  CHECK_FALSE(named("shockwave::solve();"));
  CHECK(naming_violations({{"perf/a.cpp", "wave::solve();"}}, {"wave"}).empty());
  CHECK(licence_violations({{"src/a.cpp", "#include <vector>\n"}}).size() == 1);
  CHECK(licence_violations({{"src/a.cpp", "// SPDX-License-Identifier: Apache-2.0\n"}}).empty());
  CHECK(licence_violations({{"variants/wave/README.md", "# wave\n"}}).empty());
}

TEST_CASE("layout rules: missing and foreign files in a folder are found", "[layout]") {
  CHECK(folder_violations(wave(), {"wave"}) == Violations{});

  for (const auto& [path, text] : wave()) {
    Sources sources = wave();
    sources.erase(path);
    CHECK(folder_violations(sources, {"wave"}) == Violations{path + " is missing"});
  }
  for (const std::string extra : {"notes.txt", "kokkos.cu", "helpers.hpp", "cuda/naive.cpp"}) {
    Sources sources = wave();
    sources["variants/wave/" + extra] = "";
    CHECK(folder_violations(sources, {"wave"}).size() == 1);
  }
  Sources sources = wave();
  sources.erase("variants/wave/kokkos.cpp");
  sources["variants/wave/kokkos/naive.cpp"] = "";
  sources["variants/wave/cuda/naive.cu"] = "";

  CHECK(folder_violations(sources, {"wave"}) == Violations{});
}

TEST_CASE("layout rules: a shape may depend on the place, a variant may not", "[layout]") {
  const auto asks = [](const std::string& code, const std::string& file = "kokkos.cpp") {
    return !place_violations({{"variants/wave/" + file, "// a comment\n" + code + "\n"}}).empty();
  };

  for (const std::string given :
       {"constexpr Shape shape = shape_of(kokkos_shapes);", "using P = Pack<T, kokkos_shapes>;",
        "using S = ShapeIn<kokkos_shapes, A, B>;", "using R = ShapeIn<kokkos_place(), A, B>;",
        "run<kokkos_shapes>(1, 2);", "f(tiles(\n    kokkos_shapes, n));", "g<int>(kokkos_shapes);",
        "int x;  // kokkos_shapes == Place::host", "answer(is ? Place::device : Place::host);"}) {
    CAPTURE(given);
    CHECK_FALSE(asks(given));
    CHECK_FALSE(asks(given, "kokkos/usual.cpp"));
  }
  for (const std::string asked :
       {"if constexpr (kokkos_shapes == Place::host) {", "if (Place::host != kokkos_shapes) {",
        "constexpr bool host = kokkos_shapes == Place::host;", "constexpr Place q = kokkos_shapes;",
        "const bool on = f(kokkos_shapes) && kokkos_shapes != place;", "return kokkos_shapes;",
        "auto x = static_cast<int>(kokkos_shapes);", "auto q = Place(kokkos_shapes);",
        "bool less = Place::host <\n    kokkos_shapes;", "switch (kokkos_shapes) {"}) {
    CAPTURE(asked);
    CHECK(asks(asked));
    CHECK(asks(asked, "problem.hpp"));
  }
  for (const std::string asked :
       {"if constexpr (kokkos_on_host) f();", "if (kokkos_place() == Place::host) f();",
        "if constexpr (place == Place::device) f();", "KOKKOS_IF_ON_HOST((f();))",
        "if (Place::host == here) f();", "case Place::host: f();"}) {
    CAPTURE(asked);
    CHECK(asks(asked));
    CHECK(asks(asked, "kokkos/teams.hpp"));
    CHECK(asks(asked, "library_kokkos_kernels.cpp"));
    CHECK_FALSE(asks(asked, "algorithm.cpp"));
    CHECK_FALSE(asks(asked, "kokkos/book.cpp"));
  }
  CHECK_FALSE(asks("return place == Place::device ? a : b;", "problem.hpp"));
  CHECK_FALSE(
      asks("constexpr Cut cut(Place place) {\n  return place == Place::device ? a : b;\n}"));
  CHECK(
      place_violations({{"variants/shared/kokkos_team.hpp", "if (kokkos_on_host) f();"}}).empty());
  CHECK_FALSE(
      place_violations({{"perf/setup/template/axpy/kokkos.cpp", "if (kokkos_on_host) f();"}})
          .empty());
}

}  // namespace
}  // namespace portcost::test::test_layout
