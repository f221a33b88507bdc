// SPDX-License-Identifier: Apache-2.0
// floyd_warshall: its rule, shapes and inputs by hand; every variant on graphs that a user might
// give; the order of dataflow and of look_ahead.
#include "tests/bad_inputs.hpp"
#include "variants/floyd_warshall/kokkos/rounds_ahead.hpp"
#include "variants/floyd_warshall/schedule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::test::test_floyd_warshall {

using namespace floyd_warshall;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr int none = no_path<int>;

const Algorithm& row() { return algorithm_called("floyd_warshall"); }

TEST_CASE("floyd_warshall rule: a shorter path counts, without overflow; far rows are 64-bit",
          "[floyd_warshall]") {
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
  CHECK(relax(3.0f, inf, -inf) == 3);
  CHECK_FALSE(relaxes(known, inf, -inf));
  const Graph<float> g{nullptr, nullptr, 130'000, 130'048, nullptr, 256};

  CHECK(g.offset(129'999) == std::uint64_t{129'999} * 130'048);
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

// Paths as long and as negative as they may be, and pairs without a path among them.
TEST_CASE_IN_PLACES("floyd_warshall: {} variants tell long paths from none",
                    "[floyd_warshall][kokkos]") {
  constexpr std::int64_t n = 70;
  for (const int each : {most_length / 69, -(most_length / 69)}) {
    std::vector<int> matrix(n * n, none);
    for (std::int64_t i = 0; i + 1 < n; ++i) matrix[i * n + i + 1] = each;
    solve_graph<int>(place, matrix, n, [&](const Answer& answer) {
      const std::vector<int> lengths = elements<int>(answer.at("distance"));
      std::vector<int> wanted;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) wanted.push_back(j < i ? none : (j - i) * each);
      }
      CHECK(lengths == wanted);
    });
  }
}

// The variants on tiles against the truth, and against the first of them: on so many tiles that
// what a round must wait for is still being worked on. A missing wait shows on few by luck alone.
TEST_CASE_IN_PLACES("floyd_warshall: {} variants agree on very many tiles",
                    "[floyd_warshall][kokkos]") {
  const int n = place == Place::host ? 700 : 4000;
  Stream& stream = shared_stream(place);
  for (const ElementType type : {ElementType::f32, ElementType::i32}) {
    const Problem problem = problem_of(row(), n, "graph=ring", type);
    const auto instance = row().make(problem, stream);
    std::optional<Answer> first;
    const auto check = [&](const Variant& variant, Answer answer) {
      CHECK(row().judge(problem, variant.step, answer, *instance).fault == "");
      if (!first) {
        first = std::move(answer);
      } else {
        CHECK(row().compare(problem, answer, *first, stream).text == "");
      }
    };
    CAPTURE(n, name(type));
    for_answers(row(), place, problem, *instance, check, [](const Variant& variant) {
      return variant.model != Model::reference && variant.step != "naive_2d" &&
             variant.step != "block_2d";
    });
    CHECK(first);
  }
}

// How often each tile had been written when a task looked at it: its own, and its sources.
using Seen = std::vector<int>;

// What teams share, and the tiles, of which only the number of writes is kept.
class Tiles {
 public:
  Tiles(int tiles, int depth)
      : sections(flow_sections(tiles, depth)),
        state(Flow::state_size(tiles, depth)),
        flow{sections.data(), state.data(), tiles, depth},
        writes_(tiles * tiles) {}

  const Section& section_of(int ticket) const {
    return *std::prev(std::upper_bound(sections.begin(), sections.end(), ticket,
                                       [](int t, const Section& s) { return t < s.first_ticket; }));
  }
  int tickets() const { return sections[sections.size() - 2].first_ticket; }

  bool may_start(int ticket) const {
    const Section& section = section_of(ticket);
    const auto there = [&](Awaited awaited) { return state.at(awaited.place) >= awaited.least; };
    return there({Flow::panel, section.panel_parts}) &&
           (!section.touches || there(flow.before(section.round, Task::of(section, ticket).at)));
  }
  Seen seen(const Task& task) {
    Seen result{writes(task.at)};
    for (int k = task.k; k < task.k + task.depth; ++k) {
      result.push_back(writes({task.at.row, k}));
      result.push_back(writes({k, task.at.col}));
    }
    return result;
  }
  void finish(const Task& task) {
    ++writes(task.at);
    const auto count = [&](int place) -> int& { return state.at(place); };
    if (task.round < 0) {
      ++count(Flow::panel);
    } else {
      count(flow.tile(task.at)) = task.round + 1;
      ++count(flow.row(task.round, task.at.row));
      ++count(flow.col(task.round, task.at.col));
    }
  }
  int& writes(Tile at) { return writes_.at(at.row * flow.tiles + at.col); }

  std::vector<Section> sections;
  std::vector<int> state;
  Flow flow;

 private:
  std::vector<int> writes_;
};

struct Shape {
  int tiles, depth;
};
constexpr Shape shapes[] = {{1, 1}, {2, 1}, {3, 1}, {5, 1},  {8, 1}, {20, 1},
                            {1, 2}, {2, 2}, {3, 2}, {4, 2},  {7, 2}, {20, 2},
                            {9, 3}, {3, 4}, {8, 4}, {11, 4}, {20, 4}};

// Which tiles each launch of look_ahead reads and writes, and which launches it has to follow.
struct Launch {
  std::set<std::pair<int, int>> reads, writes;
  std::set<std::size_t> before;
};

// The launches so far, and what the next one follows.
struct Recorder {
  std::vector<Launch> launches;

  std::size_t add(std::set<std::size_t> before, Launch launch) {
    for (const std::size_t one : std::set(before)) before.merge(std::set(launches[one].before));
    launch.before = std::move(before);
    launches.push_back(std::move(launch));
    return launches.size() - 1;
  }
};
struct Node {
  std::set<std::size_t> after;  // empty: the root
};
Node after_both(const Node& one, const Node& other) {
  Node both = one;
  both.after.insert(other.after.begin(), other.after.end());
  return both;
}

std::vector<Launch> launches_ahead(int tiles) {
  Recorder recorder;
  const auto close = [&](const Node& after, int k) {
    return Node{{recorder.add(after.after, {{{k, k}}, {{k, k}}, {}})}};
  };
  const auto take = [&](const Node& after, const Region& region) {
    if (region.count() == 0) return after;
    Launch launch;
    for (int i = 0; i < region.count(); ++i) {
      const Tile at = region.at(i);
      launch.writes.insert({at.row, at.col});
      for (int k = region.k; k < region.k + region.depth; ++k) {
        launch.reads.insert({at.row, k});
        launch.reads.insert({k, at.col});
      }
    }
    return Node{{recorder.add(after.after, std::move(launch))}};
  };
  rounds_ahead(tiles, Node{}, close, take, after_both);
  return recorder.launches;
}

bool meet(const std::set<std::pair<int, int>>& some, const std::set<std::pair<int, int>>& others) {
  return std::any_of(some.begin(), some.end(),
                     [&](const auto& tile) { return others.contains(tile); });
}

TEST_CASE("floyd_warshall: one team never waits, and its tiles become distances",
          "[floyd_warshall]") {
  using Matrix = std::vector<std::vector<int>>;
  for (const auto [tiles, depth] : shapes) {
    CAPTURE(tiles, depth);
    const auto n = static_cast<std::size_t>(tiles);
    Matrix start(n, std::vector<int>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {  // one edge of two is long enough to be left aside
        const auto drawn = static_cast<int>(random_bits(7, i * n + j) % 1000);
        start[i][j] = i == j ? 0 : drawn < 500 ? 1 + drawn % 9 : 100'000;
      }
    }
    Matrix expected = start;
    for (std::size_t k = 0; k < n; ++k) {
      for (auto& row : expected) {
        for (std::size_t j = 0; j < n; ++j) row[j] = std::min(row[j], row[k] + expected[k][j]);
      }
    }
    Tiles all(tiles, depth);
    int taken = 0;  // vertices of all tiles together
    for (int ticket = 0; ticket < all.tickets(); ++ticket) {
      CAPTURE(ticket);
      REQUIRE(all.may_start(ticket));
      const Task task = Task::of(all.section_of(ticket), ticket);
      taken += task.depth;
      const auto [i, j] = task.at;
      for (int k = task.k; k < task.k + task.depth; ++k) {
        start[i][j] = std::min(start[i][j], start[i][k] + start[k][j]);
      }
      all.finish(task);
    }
    CHECK(start == expected);
    CHECK(taken == tiles * tiles * tiles);
  }
}

TEST_CASE("floyd_warshall: teams at a time find each tile as one does", "[floyd_warshall]") {
  for (const auto [tiles, depth] : shapes) {
    Tiles alone(tiles, depth);
    std::vector<Seen> expected;
    for (int ticket = 0; ticket < alone.tickets(); ++ticket) {
      const Task task = Task::of(alone.section_of(ticket), ticket);
      expected.push_back(alone.seen(task));
      alone.finish(task);
    }
    for (const int teams : {2, 7, 40}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(tiles, depth, teams, seed);
        Tiles all(tiles, depth);
        struct Team {
          std::optional<int> ticket;
          bool started;
        };
        std::vector<Team> running(static_cast<std::size_t>(teams), Team{std::nullopt, false});
        int next = 0, done = 0;
        for (std::uint64_t step = 0; done < all.tickets(); ++step) {
          REQUIRE(step < 2'000'000);  // else all wait for each other
          Team& team = running[static_cast<std::size_t>(random_bits(seed, step)) % running.size()];
          if (!team.ticket) {
            if (next < all.tickets()) team = {next++, false};
            continue;
          }
          const Task task = Task::of(all.section_of(*team.ticket), *team.ticket);
          const auto index = static_cast<std::size_t>(*team.ticket);
          if (!team.started) {
            if (!all.may_start(*team.ticket)) continue;
            team.started = true;
            REQUIRE(all.seen(task) == expected[index]);
          } else {  // nobody has changed what it was reading
            REQUIRE(all.seen(task) == expected[index]);
            all.finish(task);
            ++done;
            team.ticket.reset();
          }
        }
      }
    }
  }
}

TEST_CASE("floyd_warshall: with few tiles a processor has one team, a second launch few tiles",
          "[floyd_warshall]") {
  CHECK(flow_teams_of(1, 1056, 132) == 132);
  CHECK(flow_teams_of(14, 1056, 132) == 132);
  CHECK(flow_teams_of(15, 1056, 132) == 1056);
  CHECK(flow_teams_of(1 << 20, 1056, 132) == 1056);
  CHECK(flow_teams_of(1, 1, 2) == 1);
  const auto [first, second] = in_two(rest_around(64, 5));  // 62 by 62 tiles
  CHECK((first.count() == 53 * 62 && second.count() == ceil_div(late_tiles, 62) * 62));
}

TEST_CASE("floyd_warshall: launches that share a tile follow each other", "[floyd_warshall]") {
  for (const int tiles : {1, 2, 3, 4, 5, 9, 16, 40}) {
    const std::vector<Launch> launches = launches_ahead(tiles);
    std::map<std::pair<int, int>, int> taken;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      for (const auto& tile : launches[i].writes) ++taken[tile];
      for (std::size_t j = 0; j < i && tiles < 40; ++j) {
        const bool share = meet(launches[i].writes, launches[j].writes) ||
                           meet(launches[i].writes, launches[j].reads) ||
                           meet(launches[i].reads, launches[j].writes);
        CAPTURE(tiles, i, j);
        CHECK((!share || launches[i].before.contains(j)));
      }
    }
    // Each tile has the paths over the vertices of all.
    CHECK(taken.size() == static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tiles));
    for (const auto& [tile, times] : taken) {
      CAPTURE(tiles, tile.first, tile.second);
      CHECK(times == tiles);
    }
  }
}

}  // namespace portcost::test::test_floyd_warshall
