// SPDX-License-Identifier: Apache-2.0
// Every Kokkos variant with teams of several threads on a host, where a missing barrier shows. This
// file is built twice: with a host's shapes, and with those of a device (PORTCOST_DEVICE_SHAPES).
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <list>
#include <vector>

#include "tests/catalogue_checks.hpp"
#include "tests/support.hpp"
#include "variants/catalogue.hpp"
#include "variants/kokkos_runtime.hpp"

namespace portcost::test {

namespace {

constexpr int most_threads = 4;

// Teams of so many threads for its lifetime.
class HostTeams {
 public:
  explicit HostTeams(int threads) {
    if (set_host_team_threads(threads) == threads) return;
    set_host_team_threads(1);
    skip_or_fail("Kokkos has fewer threads than such a team: set OMP_NUM_THREADS=4");
  }
  ~HostTeams() { set_host_team_threads(1); }
  HostTeams(const HostTeams&) = delete;
  HostTeams& operator=(const HostTeams&) = delete;
};

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

TEST_CASE("teams: of one thread agree with the reference", "[kokkos][teams]") {
  agree_with_teams_of(1, 40);
}

TEST_CASE("teams: of two threads agree with the reference", "[kokkos][teams]") {
  agree_with_teams_of(2, 10);
}

TEST_CASE("teams: of four threads agree with the reference", "[kokkos][teams]") {
  agree_with_teams_of(most_threads, 10);
}

}  // namespace portcost::test
