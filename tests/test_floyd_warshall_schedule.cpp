// SPDX-License-Identifier: Apache-2.0
// floyd_warshall: the order of dataflow. Teams that run at the same time, in any order that the
// awaited counts allow, find every tile as one team alone would.
#include <cstddef>

#include "tests/support.hpp"
#include "variants/floyd_warshall/schedule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::test::test_floyd_warshall_schedule {

namespace {

using namespace floyd_warshall;

// How often each tile had been written when a task looked at it: its own, and its sources.
using Seen = std::vector<int>;

// What teams share, and the tiles, of which only the number of writes is kept.
class Tiles {
 public:
  Tiles(int tiles, int depth)
      : sections(flow_sections(tiles, depth)),
        state(Flow::state_size(tiles, depth)),
        flow{sections.data(), state.data(), tiles, depth},
        writes_(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tiles)) {}

  const Section& section_of(int ticket) const {
    return *std::prev(std::upper_bound(sections.begin(), sections.end(), ticket,
                                       [](int t, const Section& s) { return t < s.first_ticket; }));
  }
  int tickets() const { return sections[sections.size() - 2].first_ticket; }

  bool may_start(int ticket) const {
    const Section& section = section_of(ticket);
    const auto there = [&](Awaited awaited) {
      return state.at(static_cast<std::size_t>(awaited.place)) >= awaited.least;
    };
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
    const auto count = [&](int place) -> int& { return state.at(static_cast<std::size_t>(place)); };
    if (task.round < 0) {
      ++count(Flow::panel);
    } else {
      count(flow.tile(task.at)) = task.round + 1;
      ++count(flow.row(task.round, task.at.row));
      ++count(flow.col(task.round, task.at.col));
    }
  }
  int& writes(Tile at) {
    return writes_.at(static_cast<std::size_t>(at.row) * static_cast<std::size_t>(flow.tiles) +
                      static_cast<std::size_t>(at.col));
  }

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

}  // namespace

TEST_CASE("floyd_warshall: one team alone never waits, and takes all vertices of every tile",
          "[floyd_warshall]") {
  for (const auto [tiles, depth] : shapes) {
    CAPTURE(tiles, depth);
    Tiles all(tiles, depth);
    std::map<std::pair<int, int>, std::map<int, int>> vertices;  // of a tile
    for (int ticket = 0; ticket < all.tickets(); ++ticket) {
      CAPTURE(ticket);
      REQUIRE(all.may_start(ticket));
      const Task task = Task::of(all.section_of(ticket), ticket);
      REQUIRE(task.depth > 0);
      for (int k = task.k; k < task.k + task.depth; ++k) {
        ++vertices[{task.at.row, task.at.col}][k];
      }
      all.finish(task);
    }
    REQUIRE(vertices.size() == static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tiles));
    for (const auto& [tile, times] : vertices) {
      CAPTURE(tile);
      CHECK(times.size() == static_cast<std::size_t>(tiles));
      for (const auto& [k, count] : times) CHECK(count == 1);
    }
  }
}

TEST_CASE("floyd_warshall: tiles of one vertex, in the order of tickets, become the distances",
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
    const Tiles all(tiles, depth);
    for (int ticket = 0; ticket < all.tickets(); ++ticket) {
      const Task task = Task::of(all.section_of(ticket), ticket);
      const auto i = static_cast<std::size_t>(task.at.row),
                 j = static_cast<std::size_t>(task.at.col);
      for (int via = task.k; via < task.k + task.depth; ++via) {
        const auto k = static_cast<std::size_t>(via);
        start[i][j] = std::min(start[i][j], start[i][k] + start[k][j]);
      }
    }
    CHECK(start == expected);
  }
}

TEST_CASE("floyd_warshall: teams at the same time find each tile as one team alone does",
          "[floyd_warshall]") {
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

TEST_CASE("floyd_warshall: with few tiles a processor has one team", "[floyd_warshall]") {
  CHECK(flow_teams_of(1, 1056, 132) == 132);
  CHECK(flow_teams_of(14, 1056, 132) == 132);
  CHECK(flow_teams_of(15, 1056, 132) == 1056);
  CHECK(flow_teams_of(1 << 20, 1056, 132) == 1056);
  CHECK(flow_teams_of(1, 1, 2) == 1);
}

}  // namespace portcost::test::test_floyd_warshall_schedule
