// SPDX-License-Identifier: Apache-2.0
// Shares, grids, and what moves between parts: against points counted one by one.
#include "src/distributed/communicator.hpp"
#include "tests/points.hpp"
#include "tests/support.hpp"

namespace portcost::test::distribution {

using namespace portcost::distributed;

std::vector<std::int64_t> sizes(const std::vector<std::int64_t>& bounds) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) result.push_back(bounds[i + 1] - bounds[i]);
  return result;
}

// Which GPU each rank of a computer takes.
using Seen = std::vector<std::vector<std::string>>;
using Chosen = std::vector<std::optional<int>>;

bool everybody(int) { return true; }

TEST_CASE("shares are even, rounded up or by weights, in a grid for exchanges", "[distributed]") {
  CHECK(sizes(bounds_of(10, 4, Sharing::even, "rows")) == std::vector<std::int64_t>{3, 3, 2, 2});
  CHECK(sizes(bounds_of(7, 7, Sharing::even, "rows")) == std::vector<std::int64_t>(7, 1));
  CHECK(sizes(bounds_of(5, 1, Sharing::even, "rows")) == std::vector<std::int64_t>{5});
  CHECK(sizes(bounds_of(10, 4, Sharing::ceil, "rows")) == std::vector<std::int64_t>{3, 3, 3, 1});
  CHECK(sizes(bounds_of(12, 4, Sharing::ceil, "rows")) == std::vector<std::int64_t>{3, 3, 3, 3});
  const std::string said = message_of<UsageError>([] { bounds_of(10, 7, Sharing::ceil, "rows"); });
  CHECK(
      mentions(said, "Cannot distribute, too many processors: 10 rows for 7 of them, each with 2"));
  check_throws<UsageError>("Cannot distribute, too many processors: 3 rows for 4 of them",
                           [] { bounds_of(3, 4, Sharing::even, "rows"); });
  CHECK(why_not_shared(10, 7, Sharing::ceil, "rows") == said);
  CHECK(why_not_shared(10, 7, Sharing::even, "rows").empty());
  CHECK(sizes(bounds_of(100, {9, 1}, "rows")) == std::vector<std::int64_t>{90, 10});
  CHECK(sizes(bounds_of(10, {1, 1, 1}, "rows")) == std::vector<std::int64_t>{4, 3, 3});
  CHECK(sizes(bounds_of(10, {5.6, 3.3, 1.1}, "rows")) == std::vector<std::int64_t>{6, 3, 1});
  CHECK(sizes(bounds_of(10, {1000, 1, 1}, "rows")) == std::vector<std::int64_t>{8, 1, 1});
  CHECK(sizes(bounds_of(3, {1e-9, 1e9, 1}, "rows")) == std::vector<std::int64_t>{1, 1, 1});
  check_throws<UsageError>("1 rows for 2 of them", [] { bounds_of(1, {1, 2}, "rows"); });
  for (int points = 3; points < 200; ++points) {
    const auto shares = sizes(bounds_of(points, {0.2, 3.3, 1.7}, "rows"));
    CHECK(std::accumulate(shares.begin(), shares.end(), 0) == points);
    CHECK(*std::min_element(shares.begin(), shares.end()) >= 1);
    // The largest remainders: nobody is a whole point away from his due, but for the first point.
    CHECK(std::abs(static_cast<double>(shares[1]) - points * 3.3 / 5.2) < 1.5);
  }
  CHECK(choose_grid({1, 100, 100}, 4) == Index{1, 2, 2});
  CHECK(choose_grid({1, 100, 100}, 7) == Index{1, 7, 1});
  CHECK(choose_grid({1, 10, 1000}, 4) == Index{1, 1, 4});
  CHECK(choose_grid({64, 64, 64}, 8) == Index{2, 2, 2});
  CHECK(choose_grid({1, 100, 100}, 6, {0, 1, 0}) == Index{1, 1, 6});
  check_throws<UsageError>("Cannot distribute, too many processors", [] {
    choose_grid({1, 2, 2}, 5);
  });
  check_throws<UsageError>("is not one of 5 processes", [] {
    choose_grid({1, 9, 9}, 5, {1, 2, 0});
  });
}

TEST_CASE("each point has one owner, whose box holds it", "[distributed]") {
  const Index global{3, 11, 13};
  Distribution::Settings settings{{1, 3, 2}, Sharing::even, {1, 2, 3, 1, 5, 2}};
  const Distribution distribution(global, 6, settings);
  std::map<int, std::int64_t> owned;
  for_points(distribution.domain(), [&](const Index& point) {
    const int owner = distribution.owner(point);
    CHECK(distribution.corners(owner).contains(point));
    ++owned[owner];
  });
  for (int part = 0; part < 6; ++part) {
    CHECK(owned[part] == distribution.corners(part).volume());
    CHECK(distribution.part_at(distribution.position(part)) == part);
  }
}

TEST_CASE("a distribution refuses what cannot be, and a halo wider than a block", "[distributed]") {
  check_throws<UsageError>("1 to 2147483647 rows, not 0", [] { Distribution({1, 0, 5}, 1); });
  check_throws<UsageError>("not 2147483648", [] {
    Distribution({1, 5, std::int64_t{1} << 31}, 1);
  });
  check_throws<UsageError>("0 processes", [] { Distribution({1, 5, 5}, 0); });
  check_throws<UsageError>("1 weights for 2", [] {
    Distribution({1, 5, 5}, 2, {{}, Sharing::even, {1}});
  });
  check_throws<UsageError>("positive number, not 0", [] {
    Distribution({1, 5, 5}, 2, {{}, Sharing::even, {1, 0}});
  });
  check_throws<UsageError>("too many processors", [] { Distribution({1, 5, 1}, 6); });
  const Distribution distribution({1, 10, 10}, 4, {{1, 4, 1}});
  check_throws<UsageError>(
      "a halo of 3 rows is wider than the block of process 2, which has 2 of 10", [&] {
        check_stencil(distribution, {{0, 3, 1}});
      });
  check_stencil(distribution, {{0, 2, 11}});
  check_throws<UsageError>("a halo of 11 columns", [&] {
    check_stencil(distribution,
                  {{0, 0, 11},
                   StencilType::star,
                   {BoundaryType::ghosted, BoundaryType::ghosted, BoundaryType::periodic}});
  });
  check_throws<UsageError>("not -1", [&] { check_stencil(distribution, {{0, -1, 0}}); });
}

void check_halos(const Distribution& distribution, const Stencil& stencil) {
  // Of each part: the ghost points that arrive, and from where.
  std::vector<std::map<Index, Index>> arrived(static_cast<std::size_t>(distribution.parts()));
  for (const Transfer& t : halo_transfers(distribution, stencil, everybody)) {
    CHECK(t.source.extents() == t.target.extents());
    CHECK(distribution.corners(t.from).contains(t.source));
    for_points(t.target, [&](const Index& point) {
      const bool fresh =
          arrived[t.to].emplace(point, t.source.begin + (point - t.target.begin)).second;
      CHECK(fresh);
    });
  }
  for (int part = 0; part < distribution.parts(); ++part) {
    auto& mine = arrived[part];
    const Box corners = distribution.corners(part);
    for_points(corners.grown(stencil.width), [&](const Index& point) {
      if (corners.contains(point)) return;
      const auto truth = origin_of(point, corners, distribution, stencil);
      const auto found = mine.find(point);
      CHECK((found != mine.end()) == truth.has_value());
      if (truth && found != mine.end()) CHECK(found->second == *truth);
    });
  }
}

TEST_CASE("a halo's points come from whoever owns them", "[distributed]") {
  constexpr auto ghosted = BoundaryType::ghosted, periodic = BoundaryType::periodic;
  const StencilType type = GENERATE(StencilType::star, StencilType::box);
  check_halos(Distribution({1, 12, 15}, 6), {{0, 2, 1}, type, {}});
  check_halos(Distribution({1, 12, 15}, 6), {{0, 2, 3}, type, {ghosted, periodic, periodic}});
  check_halos(Distribution({1, 9, 4}, 3), {{0, 3, 0}, type, {ghosted, periodic, ghosted}});
  check_halos(Distribution({1, 9, 4}, 1), {{0, 4, 2}, type, {ghosted, periodic, periodic}});
  check_halos(Distribution({4, 5, 6}, 8), {{1, 1, 2}, type, {periodic, ghosted, periodic}});
  check_halos(Distribution({1, 20, 8}, 4, {{1, 2, 2}, Sharing::even, {1, 2, 3, 4}}),
              {{0, 3, 2}, type, {ghosted, periodic, periodic}});
}

TEST_CASE("two ends list what lies between them in the same order", "[distributed]") {
  const Distribution distribution({2, 9, 9}, 8);
  const Stencil stencil{{1, 1, 1},
                        StencilType::box,
                        {BoundaryType::periodic, BoundaryType::periodic, BoundaryType::periodic}};
  const auto between = [&](int mine, int from, int to) {
    std::vector<std::pair<Box, Box>> result;
    for (const Transfer& t :
         halo_transfers(distribution, stencil, [mine](int part) { return part == mine; })) {
      if (t.from == from && t.to == to) result.emplace_back(t.source, t.target);
    }
    return result;
  };
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) CHECK(between(a, a, b) == between(b, a, b));
  }
}

TEST_CASE("a redistribution brings each point to its new owner once", "[distributed]") {
  const Distribution from({2, 9, 14}, 6), to({2, 9, 14}, 5, {{1, 1, 5}, Sharing::ceil});
  std::map<Index, int> arrived;
  for (const Transfer& t : redistribution_transfers(from, to, everybody, everybody)) {
    CHECK(t.source == t.target);
    for_points(t.source, [&](const Index& point) {
      CHECK(from.owner(point) == t.from);
      CHECK(to.owner(point) == t.to);
      ++arrived[point];
    });
  }
  CHECK(static_cast<std::int64_t>(arrived.size()) == from.domain().volume());
  for (const auto& [point, times] : arrived) CHECK(times == 1);
  const Distribution other({2, 9, 15}, 6);
  check_throws<UsageError>("different extents",
                           [&] { redistribution_transfers(from, other, everybody, everybody); });
}

TEST_CASE("portions of a redistribution bring each point that moves once", "[distributed]") {
  const Distribution from({2, 9, 14}, 5, {{1, 1, 5}}), to({2, 9, 14}, 5, {{1, 5, 1}});
  const std::vector<Transfer> all = redistribution_transfers(from, to, everybody, everybody);
  std::map<Index, int> arrived;
  for (int piece = 0; piece < 3; ++piece) {
    for (const Transfer& t : portion_of(all, {piece, 3, false})) {
      CHECK((t.from != t.to && t.source == t.target && !t.source.empty()));
      for_points(t.source, [&](const Index& point) {
        CHECK((from.owner(point) == t.from && to.owner(point) == t.to));
        ++arrived[point];
      });
    }
  }
  std::int64_t own = 0;
  for_points(from.domain(), [&](const Index& point) {
    const bool stays = from.owner(point) == to.owner(point);
    own += stays;
    CHECK(arrived[point] == (stays ? 0 : 1));
  });
  std::int64_t moved = 0;
  for (const Transfer& t : portion_of(all, {})) moved += t.source.volume();
  CHECK(own > 0);
  CHECK(moved == from.domain().volume());
}

TEST_CASE("slabs are a box in pieces that follow each other, none too long", "[distributed]") {
  constexpr std::int64_t most = slab_bytes / 8;
  for (const Box& box : {Box{{0, 0, 0}, {3, 4, 5}}, Box{{1, 2, 3}, {5, 9, most / 4 + 3}},
                         Box{{7, 0, 9}, {most / 20 + 7, 3, 16}}, Box{{0, 3, 1}, {2, 5, most + 1}},
                         Box{{0, 0, 0}, {2, 2, 5 * most}}, Box{{0, 0, 0}, {1, 1, 1 << 29}}}) {
    std::int64_t next = 0;
    for (const Box& slab : slabs_of(box, 8)) {
      REQUIRE(!slab.empty());
      REQUIRE(slab.volume() <= most);
      // The first and the last point, as numbered in the box, are as far apart as there are points.
      const auto number = [&](const Index& point) {
        const Index from = point - box.begin;
        return (from[0] * box.extent(1) + from[1]) * box.extent(2) + from[2];
      };
      REQUIRE(number(slab.begin) == next);
      next = number(slab.end - Index{1, 1, 1}) + 1;
      REQUIRE(next - number(slab.begin) == slab.volume());
    }
    CHECK(next == box.volume());
  }
  CHECK(slabs_of({{0, 0, 0}, {100, 100, 100}}, 8).size() == 1);
  CHECK(slabs_of({{0, 0, 0}, {1, 1, 1 << 29}}, 8).size() == 64);
  CHECK(slabs_of({}, 8).empty());
}

TEST_CASE("ranks take a GPU each, those of their own, or share GPUs evenly", "[distributed]") {
  const std::vector<std::string> all{"a", "b", "c"};
  CHECK(gpus_of_ranks({all, all, all}, false) == Chosen{0, 1, 2});
  CHECK(gpus_of_ranks({all, all}, true) == Chosen{0, 1});
  CHECK(gpus_of_ranks({{"a"}, {"a"}}, false) == Chosen{0, {}});
  CHECK(gpus_of_ranks({{}, {}}, true) == Chosen{{}, {}});
  CHECK(gpus_of_ranks({{"a"}, {"b"}, {"c"}}, false) == Chosen{0, 0, 0});
  CHECK(gpus_of_ranks({{"a"}, {"b"}, {"c"}}, true) == Chosen{0, 0, 0});
  const Seen near{{"a", "b"}, {"a", "b"}, {"c", "d"}, {"c", "d"}, {"c", "d"}};
  CHECK(gpus_of_ranks(near, false) == Chosen{0, 1, 0, 1, {}});
  const std::vector<std::string> two{"a", "b"};
  CHECK(gpus_of_ranks({two, two, two, two, two}, true) == Chosen{0, 1, 0, 1, 0});
  CHECK(gpus_of_ranks({{"a"}, {"a"}, two}, true) == Chosen{0, 0, 1});
}

}  // namespace portcost::test::distribution
