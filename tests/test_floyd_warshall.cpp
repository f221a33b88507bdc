// SPDX-License-Identifier: Apache-2.0
// floyd_warshall: its rule, shapes and order of work, on values worked out by hand; every variant
// at sizes around the borders of tiles, on all inputs, and on graphs that a user might give.
#include "tests/floyd_warshall_answers.hpp"

namespace portcost::test::test_floyd_warshall {

using namespace floyd_warshall;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr int none = no_path<int>;

const Algorithm& row() { return algorithm_called("floyd_warshall"); }

Problem problem_of(std::int64_t n, const std::string& parameters, ElementType type) {
  return test::problem_of(row(), n, parameters, type);
}

void agree(Place place, std::int64_t n, const std::string& parameters, ElementType type) {
  test::agree(row(), place, n, parameters, type);
}

TEST_CASE("floyd_warshall rule: a shorter path counts, without overflow", "[floyd_warshall]") {
  CHECK(relax(5, 2, 2) == 4);
  CHECK(relax(4, 2, 2) == 4);
  CHECK(relax(3.0f, 2.0f, 2.0f) == 3);
  CHECK(relax(inf, 2.0f, inf) == inf);
  float known = 5;
  CHECK_FALSE(relaxes(known, 2.0f, 3.0f));
  CHECK(relaxes(known, 2.0f, 2.5f));
  CHECK(known == 4.5f);
  constexpr int e = no_edge<int>;
  CHECK(std::int64_t{e} + e <= std::numeric_limits<int>::max());
  CHECK(is_no_path(relax(e, e, e)));
  CHECK(is_no_path(relax(e, e, -most_length)));
  CHECK_FALSE(is_no_path(most_length));
  CHECK(std::int64_t{e} - most_length > most_length);
  CHECK(is_no_path(inf));
  CHECK_FALSE(is_no_path(std::numeric_limits<float>::max()));
}

TEST_CASE("floyd_warshall rule: infinity less infinity changes no path", "[floyd_warshall]") {
  CHECK(relax(3.0f, inf, -inf) == 3);
  float known = 3;
  CHECK_FALSE(relaxes(known, inf, -inf));
}

TEST_CASE("floyd_warshall shapes: rows past 2^32 elements are 64-bit", "[floyd_warshall]") {
  const Graph<float> g{nullptr, nullptr, 130'000, 130'048, nullptr, 256};

  CHECK(g.offset(129'999) == std::uint64_t{129'999} * 130'048);
}

TEST_CASE("floyd_warshall rounds: each tile takes paths over all once", "[floyd_warshall]") {
  for (const auto& [tiles, depth] : {std::pair(1, 1), {4, 1}, {5, 2}, {7, 3}, {3, 8}}) {
    CAPTURE(tiles, depth);
    std::vector<int> taken(static_cast<std::size_t>(tiles * tiles * tiles), 0);
    const auto at = [&](int k, int row, int col) -> int& {
      return taken[static_cast<std::size_t>((k * tiles + row) * tiles + col)];
    };
    std::vector<int> pivots;
    rounds(
        tiles, depth,
        [&](int k) {
          pivots.push_back(k);
          ++at(k, k, k);
        },
        [&](const Region& region) {
          for (int index = 0; index < region.count(); ++index) {
            const Tile tile = region.at(index);
            for (int k = region.k; k < region.k + region.depth; ++k) ++at(k, tile.row, tile.col);
          }
        });
    CHECK(static_cast<int>(pivots.size()) == tiles);
    CHECK(std::is_sorted(pivots.begin(), pivots.end()));
    CHECK(std::count(taken.begin(), taken.end(), 1) == tiles * tiles * tiles);
  }
}

TEST_CASE("floyd_warshall inputs: rings are one-way, no cycle negative", "[floyd_warshall]") {
  const Input ring{Kind::ring, false, 3, 30};

  CHECK(weight(ring, 0, 0) == 0);
  CHECK(weight(ring, 0, 1) < 100);
  CHECK(weight(ring, 19, 0) < 100);
  CHECK(weight(ring, 0, 20) < 100);
  CHECK((std::isinf(weight(ring, 20, 0)) && std::isinf(weight(ring, 0, 2))));
  const Input input{Kind::negative, false, 3, 40};
  int negative = 0;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) {
      negative += weight(input, i, j) < 0;
      CHECK((i == j || weight(input, i, j) + weight(input, j, i) >= 2));
    }
  }
  CHECK(negative > 20);
}

TEST_CASE("floyd_warshall: r1 and real i32 are refused", "[floyd_warshall]") {
  const auto refusal = [](const std::string& parameters, ElementType type) {
    return message_of<UsageError>([&] { row().validate(problem_of(64, parameters, type)); });
  };

  CHECK(mentions(refusal("r1=100", ElementType::f32), "r1=100 must be a multiple of 128"));
  CHECK(mentions(refusal("r1=0", ElementType::f32), "r1=0 "));
  CHECK(mentions(refusal("weights=real", ElementType::i32), "--type f32"));
  CHECK_NOTHROW(row().validate(problem_of(64, "r1=384,weights=real", ElementType::f32)));
}

TEST_CASE("floyd_warshall: a wrong answer is judged wrong", "[floyd_warshall][kokkos]") {
  const Reference right(row(), problem_of(60, "graph=ring,paths=on", ElementType::f32));
  const auto fault_with = [&](const char* array, std::size_t at, auto value) {
    return right.fault(right.answer_with(array, at, value));
  };

  CHECK(fault_with("distance", 60 * 7 + 7, 0.0f).empty());
  CHECK(mentions(fault_with("distance", 60 * 7 + 9, 1e6f), "distance[7][9]"));
  CHECK_FALSE(fault_with("distance", 60 * 7 + 9, 0.5f).empty());
  CHECK_FALSE(fault_with("distance", 60 * 45 + 3, 10.0f).empty());  // no path
  CHECK_FALSE(fault_with("distance", 5, std::nanf("")).empty());
  CHECK(mentions(fault_with("next", 60 * 7 + 9, 3), "next[7][9] is 3"));
  CHECK(mentions(fault_with("next", 60 * 7 + 9, -1), "next[7][9] is -1"));
  CHECK(mentions(fault_with("negative_cycle", 0, 4), "vertex 4"));
}

TEST_CASE_IN_PLACES("floyd_warshall: {} variants agree at the borders of tiles, on all inputs",
                    "[floyd_warshall][kokkos]", "[slow]") {
  for (const ElementType type : {ElementType::f32, ElementType::i32}) {
    for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200}) {
      agree(place, n, n % 2 == 0 ? "graph=ring" : "graph=negative", type);
      if (n % 3 == 0) agree(place, n, "", type);
    }
    for (const std::int64_t n : {1, 33, 65, 129, 200}) {
      agree(place, n, n == 65 ? "graph=ring,paths=on" : "graph=negative,paths=on", type);
    }
  }
  agree(place, 129, "weights=real,paths=on", ElementType::f32);
  agree(place, 200, "weights=real,graph=ring", ElementType::f32);
  agree(place, 140, "weights=real,graph=negative", ElementType::f32);
}

// More than two tiles of every step, and rounds of several tiles whose last is shorter.
TEST_CASE_IN_PLACES("floyd_warshall: {} variants agree on several tiles, in rounds of several",
                    "[floyd_warshall][kokkos]", "[slow]") {
  agree(place, 270, "graph=ring,paths=on,r1=128", ElementType::i32);
  agree(place, 390, "graph=ring", ElementType::f32);
  if (place == Place::device) agree(place, 1100, "graph=ring,paths=on", ElementType::f32);
}

// Paths as long and as negative as they may be, and pairs without a path among them.
TEST_CASE("floyd_warshall: variants tell long paths from none", "[floyd_warshall][kokkos][gpu]") {
  at_each_place([](Place place) {
    constexpr std::int64_t n = 70;
    for (const int each : {most_length / 69, -(most_length / 69)}) {
      std::vector<int> matrix(n * n, none);
      for (std::int64_t i = 0; i + 1 < n; ++i)
        matrix[static_cast<std::size_t>(i * n + i + 1)] = each;
      solve_graph<int>(place, matrix, n, [&](const Answer& answer) {
        const std::vector<int> lengths = elements<int>(answer.at("distance"));
        std::vector<int> wanted;
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) wanted.push_back(j < i ? none : (j - i) * each);
        }
        CHECK(lengths == wanted);
      });
    }
  });
}

// The variants on tiles against the truth, and against the first of them: on so many tiles that
// what a round must wait for is still being worked on. A missing wait shows on few by luck alone.
TEST_CASE("floyd_warshall: variants agree on very many tiles", "[floyd_warshall][kokkos][gpu]") {
  at_each_place([](Place place) {
    const int n = place == Place::host ? 700 : 4000;
    Stream& stream = shared_stream(place);
    for (const ElementType type : {ElementType::f32, ElementType::i32}) {
      const Problem problem = problem_of(n, "graph=ring", type);
      const auto instance = row().make(problem, stream);
      std::optional<Answer> first;
      for (const Variant& variant : row().variants) {
        if (variant.place != place || variant.model == Model::reference) continue;
        if (variant.step == "naive_2d" || variant.step == "block_2d") continue;
        CAPTURE(variant_name(row(), variant), n, name(type));
        Answer answer = run_afresh(*instance, *variant.make(problem, *instance));
        CHECK(row().judge(problem, variant.step, answer, *instance).fault == "");
        if (!first) {
          first = std::move(answer);
        } else {
          CHECK(row().compare(problem, answer, *first, stream).text == "");
        }
      }
      CHECK(first);
    }
  });
}

}  // namespace portcost::test::test_floyd_warshall
