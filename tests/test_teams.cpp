// SPDX-License-Identifier: Apache-2.0
// Every Kokkos variant with teams of several threads on a host, where a missing barrier shows. This
// file is built twice: with a host's shapes, and with those of a device (PORTCOST_DEVICE_SHAPES).
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <iterator>
#include <list>
#include <vector>

#include "tests/catalogue_checks.hpp"
#include "tests/host_teams.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_teams {

namespace {

constexpr int most_threads = 4;

// The catalogue with the references and the variants of Kokkos alone.
class KokkosCatalogue {
 public:
  KokkosCatalogue() {
    for (const Algorithm* original : catalogue()) {
      std::vector<Variant>& kept = variants_.emplace_back();
      std::copy_if(original->variants.begin(), original->variants.end(), std::back_inserter(kept),
                   [](const Variant& variant) {
                     return variant.model == Model::reference || variant.model == Model::kokkos;
                   });
      Algorithm& algorithm = algorithms_.emplace_back(*original);
      algorithm.variants = kept;
      pointers_.push_back(&algorithm);
    }
  }
  Algorithms all() const { return pointers_; }
  // The algorithm called `name`, at one size alone.
  Algorithm& at_size(std::string_view name, const Numbers& size) {
    Algorithm& algorithm =
        *std::find_if(algorithms_.begin(), algorithms_.end(),
                      [&](const Algorithm& candidate) { return candidate.name == name; });
    algorithm.drawn.clear();
    for (const std::int64_t number : size) algorithm.drawn.push_back({number, number});
    return algorithm;
  }

 private:
  std::list<std::vector<Variant>> variants_;
  std::list<Algorithm> algorithms_;
  std::vector<const Algorithm*> pointers_;
};

// Sizes are few because threads of a team that share a core wait long for each other.
void agree_with_teams_of(int threads, int sizes) {
  const HostTeams teams(threads);
  const KokkosCatalogue kokkos;
  CHECK(against_reference(kokkos.all(), Place::host, sizes) == Failures{});
}

// One algorithm at one size, whose inputs are drawn so many times.
void agree_at(std::string_view name, const Numbers& size, std::initializer_list<int> threads,
              int draws) {
  KokkosCatalogue kokkos;
  const std::array<const Algorithm*, 1> algorithms{&kokkos.at_size(name, size)};
  for (const int each : threads) {
    const HostTeams teams(each);
    CHECK(against_reference(algorithms, Place::host, draws) == Failures{});
  }
}

// So many keys, most of them in one bin, that the byte counters of lane_private are added up
// several times, and overflow where one is left out.
Numbers many_keys() { return {1'500'003, 256}; }
constexpr std::array<std::string_view, 1> heavy{"heavy"};
constexpr std::array heavily_skewed{ParameterKey::choice("skew", heavy, "as histogram's")};
// Keys that are no full pack, which one team's first item counts: other items wait for it once.
Numbers three_keys() { return {3, 256}; }
// Square matrices of several tiles, which those that are drawn rarely are: in place only such are
// transposed.
Numbers square_matrices() { return {97, 97, 2}; }
// A grid wide and high enough that many_steps has tiles without the frame, in every type.
Numbers wide_grid() { return {200, 1031, 11}; }
// Grids of a row, which is all that counts, and of more rows than a band of residuals has.
Numbers one_row() { return {1, 37, 5}; }
Numbers two_bands() { return {70, 37, 5}; }
// Graphs of several tiles, most of which take paths over vertices of others.
Numbers several_graph_tiles() { return {200}; }
// Equations of several tiles, of which the last are narrow ones in narrow_tiles, and those before
// them two rounds of delayed_updates.
Numbers several_tiles() { return {600}; }
// Two members alone, which two teams of two threads are at the same time, round after round.
Numbers one_group() { return {1, 2, 300, 1000}; }

}  // namespace

TEST_CASE("teams: a host's have one thread, more where asked, never more than there are",
          "[kokkos][teams]") {
  CHECK(host_team_threads() == 1);
  {
    const HostTeams teams(2);
    CHECK(host_team_threads() == 2);
    CHECK(set_host_team_threads(1'000'000) < 1'000'000);
    CHECK(set_host_team_threads(-1) == 1);
  }
  CHECK(host_team_threads() == 1);
}

TEST_CASE("teams: of one thread agree with the reference", "[kokkos][teams][algorithms]") {
  agree_with_teams_of(1, 40);
}

TEST_CASE("teams: of two threads agree with the reference", "[kokkos][teams][algorithms]") {
  agree_with_teams_of(2, 10);
}

// Teams of two or four share out a tile's items by columns, so that in closing a tile each thread
// reads only what it has shown of a row itself.
TEST_CASE("teams: of three threads agree with the reference", "[kokkos][teams][algorithms]") {
  agree_with_teams_of(3, 10);
}

TEST_CASE("teams: of four threads agree with the reference", "[kokkos][teams][algorithms]") {
  agree_with_teams_of(most_threads, 10);
}

TEST_CASE("teams: of several threads agree with the reference where one must wait long",
          "[kokkos][teams][algorithms]") {
  KokkosCatalogue kokkos;
  Algorithm& histogram = kokkos.at_size("histogram", many_keys());
  histogram.parameter_keys = heavily_skewed;
  const std::array<const Algorithm*, 2> algorithms{&histogram,
                                                   &kokkos.at_size("message_passing", one_group())};
  for (const int threads : {2, most_threads}) {
    const HostTeams teams(threads);
    CHECK(against_reference(algorithms, Place::host, 3) == Failures{});
  }
}

TEST_CASE("teams: of four threads agree with the reference on keys that are no pack",
          "[kokkos][teams][algorithms]") {
  agree_at("histogram", three_keys(), {most_threads}, 200);
}

TEST_CASE("teams: of two threads agree with the reference on a grid with inner tiles",
          "[kokkos][teams][algorithms]") {
  agree_at("jacobi", wide_grid(), {2}, 1);
}

TEST_CASE("teams: of two threads agree with the reference on residuals of grids",
          "[kokkos][teams][algorithms]") {
  for (const Numbers& size : {one_row(), two_bands()}) {
    KokkosCatalogue kokkos;
    Algorithm& jacobi = kokkos.at_size("jacobi", size);
    std::vector<ParameterKey> keys(jacobi.parameter_keys.begin(), jacobi.parameter_keys.end());
    for (ParameterKey& key : keys) {
      if (key.key == "check_every") key = ParameterKey::whole("check_every", 2, "as jacobi's");
    }
    jacobi.parameter_keys = keys;
    const std::array<const Algorithm*, 1> algorithms{&jacobi};
    const HostTeams teams(2);
    CHECK(against_reference(algorithms, Place::host, 3) == Failures{});
  }
}

TEST_CASE("teams: of several threads agree with the reference on graphs of several tiles",
          "[kokkos][teams][algorithms]") {
  agree_at("floyd_warshall", several_graph_tiles(), {2, 3, most_threads}, 2);
}

TEST_CASE("teams: of several threads agree with the reference on equations of several tiles",
          "[kokkos][teams][algorithms]") {
  agree_at("gauss", several_tiles(), {3, most_threads}, 1);
}

TEST_CASE("teams: of several threads agree with the reference on square matrices",
          "[kokkos][teams][algorithms]") {
  agree_at("transpose", square_matrices(), {2, most_threads}, 5);
}

}  // namespace portcost::test::test_teams
