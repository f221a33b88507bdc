// SPDX-License-Identifier: Apache-2.0
// The firewall around Kokkos, the direction of dependencies and the shape of the folders.
#include "tests/layout_rules.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_layout {

namespace {

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

}  // namespace

TEST_CASE("layout: the sources are found", "[layout]") {
  for (const char* path : {"src/statistics/statistics.cpp", "variants/catalogue.hpp",
                           "perf/command/portcost.cpp", "tests/test_layout.cpp"}) {
    CHECK(all_sources().contains(path));
  }
}

TEST_CASE("layout: every include is allowed where it stands", "[layout]") {
  CHECK(include_violations(all_sources()) == Violations{});
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

TEST_CASE("layout: the instrument names no algorithm", "[layout]") {
  CHECK(naming_violations(all_sources(), names_in_catalogue()) == Violations{});
}

TEST_CASE("layout: every algorithm's folder has its files and no others", "[layout]") {
  CHECK(folder_violations(all_sources(), names_in_catalogue()) == Violations{});
}

TEST_CASE("layout: no variant asks where it runs", "[layout]") {
  CHECK(place_violations(all_sources()) == Violations{});
}

TEST_CASE("layout: every source starts with its licence", "[layout]") {
  CHECK(licence_violations(all_sources()) == Violations{});
}

TEST_CASE("layout rules: Kokkos is refused outside its files", "[layout]") {
  check_lines(
      {"#include <Kokkos_Core.hpp>", "  #  include <KokkosBlas.hpp>",
       include("variants/shared/kokkos_space.hpp"), include("variants/shared/kokkos_compat.hpp"),
       include("variants/shared/kokkos_tiles.hpp"), include("variants/shared/kokkos_usual.hpp"),
       include("variants/shared/kokkos_graph.hpp")},
      {"src/memory/buffer.hpp", "variants/wave/openmp.cpp", "variants/wave/cuda.cu",
       "variants/wave/algorithm.cpp", "variants/wave/problem.hpp", "perf/command/bench.cpp",
       "tests/test_text.cpp", "variants/shared/matrix_tiles.hpp", "variants/shared/cuda_tiles.cuh"},
      {"variants/wave/kokkos.cpp", "variants/wave/kokkos/naive.cpp",
       "variants/wave/library_kokkos.cpp", "variants/wave/library_kokkos_kernels.cpp",
       "variants/shared/kokkos_space.hpp", "variants/shared/kokkos_compat.hpp",
       "variants/shared/kokkos_tiles.hpp", "variants/shared/kokkos_usual.hpp",
       "variants/shared/kokkos_graph.hpp", "variants/shared/kokkos_runtime.cpp",
       "tests/test_kokkos_space.cpp"});
}

TEST_CASE("layout rules: MPI is seen by the files of its folder alone", "[layout]") {
  check_lines(
      {"#include <mpi.h>", "#include <mpi-ext.h>"},
      {"src/memory/buffer.hpp", "src/distributed/array.hpp", "src/distributed/reductions.cu",
       "variants/wave/kokkos.cpp", "tests/ranks/main.cpp"},
      {"tests/ranks/failing.cpp", "src/distributed/files.cpp", "src/distributed/mpi_calls.hpp"});
  check_lines({"#include <nccl.h>"}, {"src/distributed/nccl_path.cpp", "variants/wave/cuda.cu"},
              {"src/distributed/nccl_group.cpp"});
}

TEST_CASE("layout rules: CUDA headers are refused outside CUDA sources", "[layout]") {
  check_lines(
      {"#include <cuda_runtime.h>", "#include <cub/cub.cuh>", "#include <cublas_v2.h>",
       "#include <cooperative_groups.h>"},
      {"src/memory/buffer.hpp", "variants/wave/kokkos.cpp", "variants/wave/problem.hpp",
       "variants/shared/matrix_tiles.hpp"},
      {"variants/wave/cuda.cu", "variants/shared/cuda_graph.cuh", "src/memory/cuda_check.hpp"});
  check_lines({include("variants/shared/cuda_tiles.cuh")},
              {"variants/wave/kokkos.cpp", "variants/wave/problem.hpp"},
              {"variants/wave/cuda/tiles.cuh"});
}

TEST_CASE("layout rules: dependencies that point the wrong way are refused", "[layout]") {
  const std::string in_wave = "variants/wave/algorithm.cpp", in_perf = "perf/command/text.cpp";
  check_lines({include("variants/catalogue.hpp")}, {"src/a.cpp"}, {});
  check_lines({include("perf/command/text.hpp")}, {"src/a.cpp", in_wave}, {});
  check_lines({include("tests/support.hpp")}, {in_wave, in_perf}, {});
  check_lines({include("variants/heat2d/rule.hpp"), include("../heat2d/rule.hpp")}, {in_wave}, {});
  check_lines({include("variants/wave/rule.hpp")}, {}, {in_wave});
  check_lines({include("variants/wave/problem.hpp")}, {}, {"variants/catalogue.cpp"});
  check_lines({include("src/machine/limits.hpp")}, {}, {in_perf});
}

TEST_CASE("layout rules: an algorithm's name in the instrument is found", "[layout]") {
  const auto named = [](const std::string& text) {
    return !naming_violations({{"src/a.cpp", text}}, {"wave"}).empty();
  };

  CHECK(named("if (name == \"wave\") return 1;"));
  CHECK(named("wave::solve();"));
  CHECK(named("f(\"wave/naive/cuda\");"));
  CHECK_FALSE(named("int wave = 0;  // wave::solve()"));
  CHECK_FALSE(named("shockwave::solve();"));
  CHECK(naming_violations({{"perf/a.cpp", "wave::solve();"}}, {"wave"}).empty());
}

TEST_CASE("layout rules: a missing or a foreign file in a folder is found", "[layout]") {
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
}

TEST_CASE("layout rules: steps may have files of their own", "[layout]") {
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

TEST_CASE("layout rules: a source without its licence is found", "[layout]") {
  CHECK(licence_violations({{"src/a.cpp", "#include <vector>\n"}}).size() == 1);
  CHECK(licence_violations({{"src/a.cpp", "// SPDX-License-Identifier: Apache-2.0\n"}}).empty());
  CHECK(licence_violations({{"variants/wave/README.md", "# wave\n"}}).empty());
}

}  // namespace portcost::test::test_layout
