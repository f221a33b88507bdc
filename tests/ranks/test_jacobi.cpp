// SPDX-License-Identifier: Apache-2.0
// jacobi and heat2d over processes have the serial reference's bytes, for any processes, halos and
// shares.
#include "tests/ranks/support.hpp"
#include "variants/jacobi/ranks_shares.hpp"
#include "variants/jacobi/ranks_steps.hpp"

namespace portcost::test::test_ranks_jacobi {

using distributed::Box;
using distributed::Processor;
using jacobi::Cut;
using jacobi::Field;

const Algorithm& row() { return *find_algorithm("jacobi"); }

// Two ways of Kokkos and OpenMP, five steps each.
void check_all(const std::string& size, const std::string& parameters = "") {
  check_all_steps(row(), 15, size, parameters);
}

TEST_CASE("ranks: jacobi's steps have the reference's bytes, at every depth", "[jacobi][ranks]") {
  check_all("rows=131,columns=259,iterations=19");
  check_all("rows=97,columns=31,iterations=9");
  check_all("rows=8,columns=70,iterations=5");
  for (const int depth : {1, 2, 4}) {
    check_all("rows=70,columns=67,iterations=11",
              fmt::format("depth={},dx=0.3,dy=1.7,boundary=-2", depth));
  }
}

TEST_CASE("ranks: jacobi's steps find the same residuals and end together", "[jacobi][ranks]") {
  // The greatest is any rank's.
  for (const int columns : {3, 7, 12, 20}) {
    check_all(fmt::format("rows=80,columns={},iterations=9", columns), "check_every=4");
  }
  const std::string size = "rows=70,columns=9,iterations=400",
                    ends = "fields=zero,check_every=20,tolerance=0.05";
  const Answer right = right_answer(row(), problem_of(row(), size, ends, ElementType::f64));
  const int sweeps = *reinterpret_cast<const int*>(right.at("sweeps").bytes.data());
  REQUIRE((sweeps > 20 && sweeps < 400));
  check_all(size, ends);
}

TEST_CASE("ranks: jacobi has the same bytes for any shares of the rows", "[jacobi][ranks]") {
  const Problem problem =
      problem_of(row(), "rows=203,columns=45,iterations=16", "", ElementType::f64);
  const Answer right = right_answer(row(), problem);
  const int rank = all_ranks().rank();
  for (const double second : {0.0, 0.7, 3.0}) {
    // One rank has two processors, with unequal shares, and the others more than it.
    Cut cut{Cut::Kind::rows, 8, {{Place::host, 1.0 + rank % 3}}, true};
    if (rank == 0 && second > 0) cut.mine.push_back({Place::host, second});
    Field<double> field(jacobi::input_of(problem), jacobi::coefficients_of(problem), cut,
                        shared_stream(Place::host));
    const double all = all_ranks().sum(1.0 + rank % 3) + second;
    const double mine = 203 * cut.mine[0].weight / all;
    const auto rows = static_cast<double>(field.part(0).layout.corners.extent(1));
    CHECK_ON_ALL(rows > mine - 1 && rows < mine + 1);
    const auto launches = std::get<jacobi::Launches<double>>(jacobi::openmp_launches());
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < field.parts(); ++i) {
        jacobi::sweep_part(field, i, 8, {launches, launches});
      }
      field.swap();
      field.halos().run(field.now());
    }
    const auto& wanted = right.at("temperature").bytes;
    std::vector<std::byte> found(rank == 0 ? wanted.size() : 0);
    distributed::collect(field.now(), reinterpret_cast<double*>(found.data()));
    CHECK_ON_ALL(std::ranges::equal(found, wanted.span().first(found.size())));
  }
}

// With a GPU: of its rows the cores get so many. The smallest share that is tried is 12 rows.
TEST_CASE("ranks: jacobi's hybrid has the same bytes for any percentage", "[jacobi][ranks]") {
  const std::string size =
      fmt::format("rows={},columns=45,iterations=11", 240 * all_ranks().size());
  for (const double percent : {0.0, 5.0, 37.5, 100.0, jacobi::every_share}) {
    check_all(size, fmt::format("host_share={}", percent));
  }
  // With a GPU and cores there are more processors than rows.
  check_all(fmt::format("rows={},columns=3,iterations=2", all_ranks().size()), "depth=1");
  Problem problem = problem_of(row(), size, "host_share=-2", ElementType::f64);
  CHECK_NOTHROW(row().validate(problem));
  for (const std::string_view wrong : {"-3", "-0.5", "101", "nan"}) {
    CHECK_THROWS_AS(row().validate(problem_of(row(), size, fmt::format("host_share={}", wrong),
                                              ElementType::f64)),
                    UsageError);
  }
}

TEST_CASE("ranks: jacobi takes other shares where they are faster for sure", "[jacobi][ranks]") {
  using jacobi::faster_than_first;
  // What drifts is no difference, however far: each round is held against itself.
  jacobi::Rounds rounds;
  for (int i = 0; i < jacobi::compared_rounds; ++i) {
    const double drift = 1 + 0.2 * i;
    rounds.push_back({drift, 0.99 * drift, 0.98 * drift, 1.01 * drift});
  }
  CHECK(faster_than_first(rounds) == 2);
  CHECK(jacobi::against_first(rounds, 2) > 0.979);
  CHECK(jacobi::against_first(rounds, 2) < 0.981);
  // One round of nine may say otherwise, two may not; equal is not faster.
  rounds[3][2] = 9;
  CHECK(faster_than_first(rounds) == 2);
  rounds[5][2] = rounds[5][0];
  CHECK(faster_than_first(rounds) == 1);
  rounds[0][1] = rounds[1][1] = 9;
  CHECK(faster_than_first(rounds) == 0);
  CHECK(faster_than_first({{1}, {1}}) == 0);
}

TEST_CASE("ranks: jacobi's blocks have equal heights, the last no more", "[jacobi][ranks]") {
  const int ranks = all_ranks().size(), rank = all_ranks().rank();
  const std::int64_t rows = 5 * ranks - 1;
  const jacobi::Input input{jacobi::Fields::random, 3, rows, 20, 1};
  const Field<float> field(input, {4, 16, 0.025f}, {Cut::Kind::rows, 1, {Processor{}}},
                           shared_stream(Place::host));
  CHECK_ON_ALL(field.part(0).layout.corners.extent(1) == (rank == ranks - 1 ? 4 : 5));
  if (ranks < 3) return;
  check_throws<UsageError>("Cannot distribute, too many processors", [&] {
    // Blocks of 2 leave nothing for the last.
    const jacobi::Input few{jacobi::Fields::random, 3, 2 * ranks - 2, 20, 1};
    Field<float>(few, {4, 16, 0.025f}, {Cut::Kind::rows, 1, {Processor{}}},
                 shared_stream(Place::host));
  });
}

TEST_CASE("ranks: jacobi's steps say which problems they do not take", "[jacobi][ranks]") {
  const int ranks = all_ranks().size();
  if (ranks == 1) return;
  const auto why_not = [&](std::string_view step, std::int64_t rows) {
    Problem problem =
        problem_of(row(), fmt::format("rows={},columns=1", rows), "depth=8", ElementType::f64);
    problem.ranks = ranks;
    const std::span<const Variant> all = row().over_ranks;
    return std::ranges::find(all, step, &Variant::step)->unfit(problem);
  };
  const std::string many = fmt::format(
      "Cannot distribute, too many processors: {} rows for {} of them", ranks - 1, ranks);
  for (const char* step : {"rows", "overlap", "deep_halos"}) {
    CHECK(why_not(step, ranks - 1).starts_with(many));
    CHECK(why_not(step, 8 * ranks).empty());
  }
  CHECK(why_not("tiles_2d", ranks - 1).starts_with("Cannot distribute, too many processors: "));
  CHECK(why_not("tiles_2d", ranks).empty());
  CHECK(why_not("deep_halos", 8 * ranks - 1) ==
        fmt::format("a halo of 8 rows (`depth`) is wider than a process's block, which has 7 of {}",
                    8 * ranks - 1));
}

// Each way of cutting has four grids; three models find shares of their own, and try some out.
TEST_CASE("ranks: jacobi's footprint is that of all steps, or of one", "[jacobi][ranks]") {
  Problem problem = problem_of(row(), "rows=1000,columns=999,iterations=1", "", ElementType::f64);
  problem.ranks = 4;
  const double grid = 250.0 * 1000 * 8;
  CHECK(row().footprint(problem) > 7 * 4 * grid + 2 * 1000 * 999 * 8);
  CHECK(row().footprint(problem) < 8 * 4 * grid + 2 * 1000 * 999 * 8);
  const double one = row().field_solver->footprint_over_ranks(problem);
  CHECK((one > 4 * grid && one < 5 * grid));
}

TEST_CASE("ranks: a part's edges and inside are the part", "[jacobi][ranks]") {
  const Box domain{{0, 0, 0}, {1, 100, 200}};
  const auto volume = [](const jacobi::Split& split) {
    std::int64_t sum = split.inside.volume();
    for (const Box& edge : split.edges) sum += edge.volume();
    return sum;
  };
  for (const Box& part : {domain, Box{{0, 10, 0}, {1, 20, 200}}, Box{{0, 0, 32}, {1, 9, 61}},
                          Box{{0, 7, 16}, {1, 9, 17}}, Box{{0, 99, 48}, {1, 100, 200}},
                          Box{{0, 5, 16}, {1, 50, 32}}, Box{{0, 5, 16}, {1, 50, 33}}}) {
    const jacobi::Split split = jacobi::split_of(part, domain, 16);
    CHECK(volume(split) == part.volume());
    CHECK((split.inside.empty() || part.contains(split.inside)));
    CHECK(split.edges.size() <= 4);
    for (const Box& edge : split.edges) CHECK(common(edge, split.inside).empty());
    // What is inside ends with whole lines, or at the frame.
    CHECK((split.inside.empty() || split.inside.end[2] == domain.end[2] ||
           split.inside.extent(2) % 16 == 0));
  }
  CHECK(jacobi::split_of(domain, domain, 16).edges.empty());
}

TEST_CASE("ranks: heat2d's distributed step has the reference's bytes", "[heat2d][ranks]") {
  const Algorithm& row = *find_algorithm("heat2d");
  for (const char* size :
       {"nx=131,ny=97,steps=7", "nx=1,ny=9,steps=3", "nx=40,ny=8,steps=4", "nx=33,ny=1,steps=2"}) {
    check_all_steps(row, 3, size);
  }
  check_all_steps(row, 3, "nx=67,ny=30,steps=5", "alpha=0.5,dt=0.3,dx=1.5");
}

}  // namespace portcost::test::test_ranks_jacobi
