// SPDX-License-Identifier: Apache-2.0
// jacobi: the rule and the layout on values worked out by hand, the HOWTO's own program, all
// variants where tiles end and passes of many_steps meet, convergence, and what the judge finds.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "src/support/error.hpp"
#include "tests/support.hpp"
#include "variants/catalogue.hpp"
#include "variants/jacobi/problem.hpp"

namespace portcost::test::test_jacobi {

namespace {

using jacobi::Coefficients;

const Algorithm& row() { return algorithm_called("jacobi"); }

Problem problem_of(const std::string& size, const std::string& parameters,
                   ElementType type = ElementType::f64) {
  return {parse_size(size, row().size_keys), parse_parameters(parameters, row().parameter_keys),
          type, 3};
}

// What a variant answers; with early ends, as the command runs it.
Answer answer_of_variant(const Problem& problem, const Variant& variant) {
  Stream& stream = shared_stream(variant.place);
  const auto instance = row().make(problem, stream);
  const auto execution = variant.make(problem, *instance);
  return run_afresh(*instance, *execution);
}
Answer right_answer(const Problem& problem) {
  return answer_of_variant(problem, reference_of(row(), {}));
}

template <class T>
std::vector<T> values(const Answer& answer, std::string_view name) {
  const Array& array = answer.at(name);
  std::vector<T> result(array.bytes.size() / sizeof(T));
  std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
  return result;
}

// The variants of a place whose answer is not the reference's, to the bit.
std::vector<std::string> wrong_variants(Place place, const Problem& problem) {
  const Answer right = right_answer(problem);
  std::vector<std::string> wrong;
  for (const Variant& variant : row().variants) {
    if (variant.place != place || variant.model == Model::reference) continue;
    const Disagreement difference =
        compare_exact(answer_of_variant(problem, variant), right, shared_stream(place));
    if (difference.agrees()) continue;
    wrong.push_back(variant_name(row(), variant) + " " + problem.size.text() + ": " +
                    difference.text);
  }
  return wrong;
}

const std::vector<std::string> none;

// Tiles of 510 and 240 columns, bands of 8, 32, 64 and 16 rows; more sweeps a pass than the grid
// has nodes; passes of 8, 4, 2 and 1 sweeps one after the other.
void check_borders(Place place) {
  for (const char* size : {"rows=1,columns=1,iterations=15", "rows=2,columns=3,iterations=9",
                           "rows=5,columns=497,iterations=8", "rows=300,columns=5,iterations=8",
                           "rows=8,columns=510,iterations=3", "rows=9,columns=511,iterations=3",
                           "rows=64,columns=254,iterations=3", "rows=65,columns=255,iterations=3",
                           "rows=32,columns=240,iterations=15", "rows=33,columns=241,iterations=9",
                           "rows=131,columns=1537,iterations=15"}) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      CAPTURE(size, name(type));
      CHECK(wrong_variants(place, problem_of(size, "", type)) == none);
    }
  }
}

void check_depths(Place place) {
  for (const int depth : {1, 2, 4}) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      const std::string parameters = fmt::format("depth={},dx=0.3,dy=1.7,boundary=-2", depth);
      CAPTURE(depth, name(type));
      CHECK(wrong_variants(
                place, problem_of("rows=150,columns=1100,iterations=7", parameters, type)) == none);
    }
  }
}

// The same residuals, sweeps and end in all variants: each answer holds them.
void check_convergence(Place place) {
  const std::string size = "rows=20,columns=33,iterations=5000";
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const std::string tolerance = type == ElementType::f64 ? "1e-9" : "1e-3";
    const Problem ended = problem_of(size, "check_every=37,tolerance=" + tolerance, type);
    CHECK(wrong_variants(place, ended) == none);
    // One row, and one column, alone: what leaves out the last misses all.
    for (const char* watched :
         {"rows=70,columns=600,iterations=23", "rows=1,columns=30,iterations=5",
          "rows=30,columns=1,iterations=5"}) {
      CHECK(wrong_variants(place, problem_of(watched, "check_every=3", type)) == none);
    }
  }
}

// The HOWTO's program, as in its step 3: every operation rounded by itself.
std::vector<double> howto(int rows, int columns, int sweeps) {
  const int width = columns + 2, height = rows + 2;
  const double x = 1. / 0.5 / 0.5, y = 1. / 0.25 / 0.25, beta = 1.0 / (2.0 * (x + y));
  const auto index = [=](int i, int j) { return static_cast<std::size_t>(i * width + j); };
  std::vector<double> now(index(height, 0), 1.0), result;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) now[index(i, j)] = 0;
  }
  std::vector<double> next = now;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = 1; i <= rows; ++i) {
      for (int j = 1; j <= columns; ++j) {
        // Products by powers of 2 are exact, so that it does not matter whether these are fused.
        const double across = (now[index(i - 1, j)] + now[index(i + 1, j)]) * x;
        const double along = (now[index(i, j - 1)] + now[index(i, j + 1)]) * y;
        next[index(i, j)] = (across + along) * beta;
      }
    }
    now.swap(next);
  }
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) result.push_back(now[index(i, j)]);
  }
  return result;
}

std::string refusal(const std::string& parameters) {
  return message_of<UsageError>(
      [&] { row().validate(problem_of("rows=3,columns=3,iterations=3", parameters)); });
}

std::string fault_of(const Problem& problem, const Answer& answer) {
  Stream& host = shared_stream(Place::host);
  return row().judge(problem, "naive", answer, *row().make(problem, host)).fault;
}

template <class T>
void put(Answer& answer, std::string_view name, std::size_t at, T value) {
  for (Array& array : answer.arrays) {
    if (array.name == name) std::memcpy(array.bytes.data() + at * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

TEST_CASE("jacobi rule: a node's new value and residual on exact numbers", "[jacobi]") {
  const Coefficients<double> c{4, 16, 0.025};

  // ((1 + 2) 4 + (3 + 4) 16 - 44) / 40 = 2
  CHECK(jacobi::relaxed(c, 1.0, 2.0, 3.0, 4.0, jacobi::source(c, 44.0)) == 2.0);
  // (1 - 10 + 2) 4 + (3 - 10 + 4) 16 - 44 = -28 - 48 - 44
  CHECK(jacobi::residual(c, 5.0, 1.0, 2.0, 3.0, 4.0, 44.0) == 120.0);
  CHECK(jacobi::relaxed(c, 0.0, 0.0, 8.0, 0.0, jacobi::source(c, 0.0)) == 3.2);
}

TEST_CASE("jacobi rule: coefficients, and which are refused", "[jacobi]") {
  const Coefficients<double> c = jacobi::coefficients(0.5, 0.25);
  CHECK((c.x == 4 && c.y == 16 && c.beta == 0.025));
  CHECK(mentions(refusal("dx=0"), "dx=0 "));
  CHECK(mentions(refusal("dy=-1"), "dy=-1 "));
  CHECK(mentions(refusal("dx=nan"), "dx=nan "));
  CHECK(mentions(refusal("dx=1e-200"), "dx=1e-200 "));
  CHECK(mentions(refusal("dy=1e200"), "dy=1e+200 "));
}

TEST_CASE("jacobi: parameters that go with nothing are refused by name", "[jacobi]") {
  CHECK(mentions(refusal("boundary=inf"), "boundary=inf "));
  CHECK(mentions(refusal("check_every=-1"), "check_every=-1 "));
  CHECK(mentions(refusal("tolerance=-1"), "tolerance=-1 "));
  CHECK(mentions(refusal("tolerance=0.1"), "give check_every="));
  CHECK(mentions(refusal("depth=3"), "depth=3 must be 1, 2, 4 or 8"));
  CHECK(refusal("check_every=2,tolerance=0.1,depth=4") == "(nothing thrown)");
}

TEST_CASE("jacobi layout: rows start on lines of 128 bytes and hold the frame", "[jacobi]") {
  CHECK(jacobi::pitch_of<double>(1) == 32);
  CHECK(jacobi::pitch_of<double>(15) == 32);
  CHECK(jacobi::pitch_of<double>(16) == 48);
  CHECK(jacobi::pitch_of<float>(31) == 64);
  CHECK(jacobi::pitch_of<float>(32) == 96);
  CHECK(jacobi::first_inside<double>(16) == 48 + 16);
  CHECK(jacobi::pitch_of<double>(std::int64_t{1} << 30) < (std::int64_t{1} << 31));
}

TEST_CASE("jacobi layout: rows of grids past 2^31 nodes are 64-bit", "[jacobi]") {
  const jacobi::Sweep<float> sweep{nullptr, nullptr, nullptr, 60000, 60000, 60064, {}};

  CHECK(sweep.offset(59999) == std::int64_t{59999} * 60064);
  CHECK(sweep.offset(-1) == -60064);
  CHECK((sweep.inside(0, 0) && sweep.inside(59999, 59999)));
  CHECK_FALSE((sweep.inside(-1, 0) || sweep.inside(0, 60000)));
}

TEST_CASE("jacobi layout: bands share rows, and the last has no more than the others", "[jacobi]") {
  for (const int rows : {1, 2, 7, 8, 100}) {
    for (const int bands : {1, 2, 3, 7, 8}) {
      int next = 0;
      for (int b = 0; b < bands; ++b) {
        const jacobi::Band band = jacobi::band_of(rows, bands, b);
        CHECK(band.first == next);
        CHECK(band.end - band.first <= jacobi::band_of(rows, bands, 0).end);
        next = band.end;
      }
      CHECK(next == rows);
    }
  }
}

TEST_CASE("jacobi shapes: a pass takes the most sweeps that are left and allowed", "[jacobi]") {
  CHECK(jacobi::pass_of(100, 8) == 8);
  CHECK(jacobi::pass_of(7, 8) == 4);
  CHECK(jacobi::pass_of(3, 8) == 2);
  CHECK(jacobi::pass_of(1, 8) == 1);
  CHECK(jacobi::pass_of(100, 1) == 1);
}

TEST_CASE("jacobi: the reference has the bytes of the HOWTO's program", "[jacobi]") {
  const Problem problem = problem_of("rows=37,columns=52,iterations=500", "fields=zero");
  CHECK(values<double>(right_answer(problem), "temperature") == howto(37, 52, 500));
}

TEST_CASE("jacobi: without a right side the plate takes its frame's value", "[jacobi]") {
  const Problem problem =
      problem_of("rows=9,columns=11,iterations=5000", "fields=zero,boundary=1,check_every=5000");
  for (const double value : values<double>(right_answer(problem), "temperature")) {
    CHECK(std::abs(value - 1) < 1e-12);
  }
}

TEST_CASE("jacobi: a run ends with the first residual within the tolerance", "[jacobi]") {
  const Problem problem =
      problem_of("rows=9,columns=11,iterations=5000", "fields=zero,check_every=10,tolerance=1e-6");
  const Answer answer = right_answer(problem);
  const int sweeps = values<std::int32_t>(answer, "sweeps")[0];
  const auto residuals = values<double>(answer, "residual");

  REQUIRE((sweeps % 10 == 0 && sweeps > 10 && sweeps < 5000));
  const auto last = static_cast<std::size_t>(sweeps / 10 - 1);
  CHECK(residuals[last] <= 1e-6);
  CHECK(residuals[last - 1] > 1e-6);
  CHECK(std::isnan(residuals[last + 1]));
  CHECK(fault_of(problem, answer).empty());
}

TEST_CASE("jacobi: residuals on the way change no node", "[jacobi]") {
  const std::string size = "rows=9,columns=8,iterations=23";
  const Answer watched = right_answer(problem_of(size, "check_every=9"));
  CHECK(values<double>(watched, "residual").size() == 3);
  CHECK(values<std::int32_t>(watched, "sweeps")[0] == 23);
  CHECK(values<double>(watched, "temperature") ==
        values<double>(right_answer(problem_of(size, "")), "temperature"));
}

TEST_CASE("jacobi: host variants agree where tiles end and passes meet", "[jacobi][kokkos]") {
  check_borders(Place::host);
}
TEST_CASE("jacobi: host variants agree at every depth", "[jacobi][kokkos]") {
  check_depths(Place::host);
}
TEST_CASE("jacobi: host variants converge in the same sweep, with the same residuals",
          "[jacobi][kokkos]") {
  check_convergence(Place::host);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("jacobi: device variants agree where tiles end and passes meet",
          "[jacobi][kokkos][gpu]") {
  need_device();
  check_borders(Place::device);
}
TEST_CASE("jacobi: device variants agree at every depth", "[jacobi][kokkos][gpu]") {
  need_device();
  check_depths(Place::device);
}
TEST_CASE("jacobi: device variants converge in the same sweep, with the same residuals",
          "[jacobi][kokkos][gpu]") {
  need_device();
  check_convergence(Place::device);
}
#endif

TEST_CASE("jacobi judge: one wrong node is found", "[jacobi]") {
  const Problem problem = problem_of("rows=20,columns=30,iterations=7", "");
  Answer answer = right_answer(problem);
  CHECK(fault_of(problem, answer).empty());
  const double value = values<double>(answer, "temperature")[17];
  put(answer, "temperature", 17, value + 1e-12);
  CHECK(mentions(fault_of(problem, answer), "node [0][17] is "));
}

// Too many sweeps to follow a node back.
TEST_CASE("jacobi judge: a sweep too few is found by the sums of modes", "[jacobi]") {
  const char* const size = "rows=300,columns=400,iterations={}";
  const Problem problem = problem_of(fmt::format(fmt::runtime(size), 2000), "");
  const Problem shorter = problem_of(fmt::format(fmt::runtime(size), 1999), "");

  CHECK(fault_of(problem, right_answer(problem)).empty());
  CHECK(mentions(fault_of(problem, right_answer(shorter)), "by sine mode 1, 1"));
}

TEST_CASE("jacobi judge: a wrong residual, and an end that has no reason, are found", "[jacobi]") {
  const Problem problem = problem_of("rows=9,columns=8,iterations=40", "check_every=10");
  Answer answer = right_answer(problem);
  CHECK(fault_of(problem, answer).empty());
  const double last = values<double>(answer, "residual")[3];
  put(answer, "residual", 3, last * 1.01);
  CHECK(mentions(fault_of(problem, answer), "residual[3] is "));
  put(answer, "residual", 3, last);
  put(answer, "sweeps", 0, 30);
  CHECK(mentions(fault_of(problem, answer), "residual[3] is "));
}

}  // namespace portcost::test::test_jacobi
