// SPDX-License-Identifier: Apache-2.0
// Every Kokkos variant with teams of several threads on a host, where a missing barrier shows. This
// file is built twice: with a host's shapes, and with those of a device (PORTCOST_DEVICE_SHAPES).
#include <initializer_list>
#include <list>

#include "tests/matrix_checks.hpp"

namespace portcost::test::test_teams {

constexpr int most_threads = 4;

// The catalogue with the references and the variants of Kokkos alone.
class KokkosCatalogue {
 public:
  KokkosCatalogue() {
    for (const Algorithm* original : catalogue()) {
      std::vector<Variant>& kept = variants_.emplace_back();
      std::ranges::copy_if(original->variants, std::back_inserter(kept), [](const Variant& one) {
        return one.model == Model::reference || one.model == Model::kokkos;
      });
      Algorithm& algorithm = algorithms_.emplace_back(*original);
      algorithm.variants = kept;
      pointers_.push_back(&algorithm);
    }
  }
  Algorithms all() const { return pointers_; }
  // The algorithm called `name`, at one size alone, with `key` in place of its parameter.
  const Algorithm& at_size(std::string_view name, const Numbers& size,
                           const std::optional<ParameterKey>& key) {
    Algorithm& algorithm = *std::ranges::find(algorithms_, name, &Algorithm::name);
    algorithm.drawn.clear();
    for (const std::int64_t number : size) algorithm.drawn.push_back({number, number});
    if (key) {
      keys_.assign(algorithm.parameter_keys.begin(), algorithm.parameter_keys.end());
      *std::ranges::find(keys_, key->key, &ParameterKey::key) = *key;
      algorithm.parameter_keys = keys_;
    }
    return algorithm;
  }

 private:
  std::list<std::vector<Variant>> variants_;
  std::list<Algorithm> algorithms_;
  std::vector<const Algorithm*> pointers_;
  std::vector<ParameterKey> keys_;
};

// Sizes are few because threads of a team that share a core wait long for each other.
void agree_with_teams_of(int threads, int sizes) {
  const HostTeams teams(threads);
  const KokkosCatalogue kokkos;
  CHECK(against_reference(kokkos.all(), Place::host, sizes) == Failures{});
}

// One algorithm at one size, whose inputs are drawn so many times.
void agree_at(std::string_view name, const Numbers& size, std::initializer_list<int> threads,
              int draws, const std::optional<ParameterKey>& key = {}) {
  KokkosCatalogue kokkos;
  const std::array<const Algorithm*, 1> algorithms{&kokkos.at_size(name, size, key)};
  for (const int each : threads) {
    const HostTeams teams(each);
    CHECK(against_reference(algorithms, Place::host, draws) == Failures{});
  }
}

TEST_CASE("teams: a host's have one thread, or as many as asked for", "[kokkos][teams]") {
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
  agree_with_teams_of(1, 8);
}

TEST_CASE("teams: of two threads agree with the reference", "[kokkos][teams][algorithms]") {
  agree_with_teams_of(2, 5);
}

// Teams of two or four share out a tile's items by columns, so that in factorising a tile each
// thread reads only what it has published of a row itself.
TEST_CASE("teams: of three threads agree with the reference", "[kokkos][teams][algorithms]") {
  agree_with_teams_of(3, 4);
}

TEST_CASE("teams: of four threads agree with the reference", "[kokkos][teams][algorithms]") {
  agree_with_teams_of(most_threads, 4);
}

TEST_CASE("teams: of several threads agree at sizes that are drawn rarely",
          "[kokkos][teams][algorithms]") {
  // So many keys in one bin that lane_private adds up its byte counters several times.
  constexpr std::array<std::string_view, 1> heavy{"heavy"};
  agree_at("histogram", {1'500'003, 256}, {2, most_threads}, 3,
           ParameterKey::choice("skew", heavy, "as histogram's"));
  // Which are no full pack, and which one team's first item counts: other items wait for it once.
  agree_at("histogram", {3, 256}, {most_threads}, 200);
  constexpr std::array<std::string_view, 1> lecture{"lecture"};
  agree_at("heat2d", {97, 65, 2}, {2, most_threads}, 2,
           ParameterKey::choice("block", lecture, "as heat2d's"));
  // Two members alone, which two teams of two threads are at the same time, round after round.
  agree_at("message_passing", {1, 2, 300, 1000}, {2, most_threads}, 3);
  // So wide and high that many_steps has tiles without the frame, in every type.
  agree_at("jacobi", {200, 1031, 11}, {2}, 1);
  // Of a row, which is all that counts, and of more rows than a band of residuals has.
  const ParameterKey check_every = ParameterKey::whole("check_every", 2, "as jacobi's");
  agree_at("jacobi", {1, 37, 5}, {2}, 3, check_every);
  agree_at("jacobi", {70, 37, 5}, {2}, 3, check_every);
  // Most tiles take paths over vertices of others.
  agree_at("floyd_warshall", {200}, {3, most_threads}, 1);
  // The last tiles are narrow in narrow_tiles, and those before them two rounds of delayed_updates.
  agree_at("gauss", {600}, {3, most_threads}, 1);
  // Of several tiles, which those that are drawn rarely are: in place only such are transposed.
  agree_at("transpose", {97, 97, 2}, {2, most_threads}, 5);
  // The second team of one_pass has half a pair of lines, then a pair.
  for (const std::int64_t lines : {33, 34}) agree_at("fft_derivative", {128, lines}, {2}, 1);
  // The last team of fused_axis has half of its columns, on a split axis too. With two or four
  // threads a thread has whole columns and needs no barrier.
  agree_at("fft_poisson", {30, 5, 64}, {3}, 1);
  agree_at("fft_poisson", {4, 1024, 1}, {3}, 1);
  agree_at("fft_convolution", {94, 64}, {3}, 1);
  agree_at("fft_convolution", {4, 1024}, {3}, 1);
}

}  // namespace portcost::test::test_teams
