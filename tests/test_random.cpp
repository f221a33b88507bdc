// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 against the known answers that its authors publish (Random123, kat_vectors); rule,
// statistics and variants of random.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/random/problem.hpp"
#include "variants/shared/philox_truth.hpp"

namespace portcost::test::test_random {

using namespace portcost::random;

const Algorithm& row() { return algorithm_called("random"); }

void check_words(const RandomWords& words, const std::array<std::uint32_t, 4>& expected) {
  for (int i = 0; i < 4; ++i) CHECK(words.at[i] == expected[i]);
}

TEST_CASE("philox: the published known answers", "[random]") {
  check_words(philox(0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  check_words(philox(~0ull, ~0ull, ~0ull), {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  check_words(philox(0x85a308d3243f6a88, 0x299f31d0a4093822, 0x0370734413198a2e),
              {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: uniform numbers are exact and below 1", "[random]") {
  const RandomWords most{{~0u, ~0u, ~0u, ~0u}}, some{{0x80000000u, 0, 0x00000100u, 0x000007ffu}};
  CHECK(uniform<float>(most, 3) == 1 - 0x1p-24f);
  CHECK(uniform<double>(most, 1) == 1 - 0x1p-53);
  CHECK(uniform<float>(some, 0) == 0.5f);
  CHECK(uniform<float>(some, 2) == 0x1p-24f);
  CHECK(uniform<float>(some, 3) == 7 * 0x1p-24f);
  CHECK(uniform<double>(some, 0) == 0.5);
  CHECK(uniform<double>(some, 1) == 0x1p-24);
}

// The same numbers one at a time and in groups, from counters on both sides of 2^32.
template <class Rule>
void check_groups() {
  const std::uint64_t seed = 0x123456789abcdef;
  for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 16}) {
    const auto together = group<Rule, 32>(first, seed);
    int unequal = 0;
    for (std::uint64_t call = 0; call < 32; ++call) {
      const auto one = group<Rule, 1>(first + call, seed);
      for (std::uint64_t j = 0; j < Rule::of_call; ++j) {
        const auto number = Rule::number((first + call) * Rule::of_call + j, seed);
        unequal += !equal_within(roundings, number, together.at[call * Rule::of_call + j]);
        unequal += !(number == one.at[j]);
      }
    }
    CHECK(unequal == 0);
  }
}

TEST_CASE("random rule: groups hold the numbers of their calls", "[random]") {
  check_groups<Rule<float, Kind::uniform>>();
  check_groups<Rule<float, Kind::normal>>();
  check_groups<Rule<double, Kind::uniform>>();
  check_groups<Rule<double, Kind::normal>>();
}

TEST_CASE("random rule: normal numbers by hand", "[random]") {
  double z[2];
  box_muller(0.0, 0.25, z);
  CHECK(z[0] == 0);
  CHECK(z[1] == 0);
  box_muller(1 - std::exp(-2.0), 0.25, z);  // radius 2, a right angle
  CHECK(std::abs(z[0]) < 1e-15);
  CHECK(z[1] == Catch::Approx(2).epsilon(1e-14));
  box_muller(1 - std::exp(-0.5), 0.5, z);
  CHECK(z[0] == Catch::Approx(-1).epsilon(1e-14));
}

TEST_CASE("random truth: its Philox has the published known answers", "[random]") {
  using Words = std::array<std::uint64_t, 4>;
  CHECK(philox_truth::words(0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  for (const std::uint64_t i : {0ull, 1ull, 5ull, (1ull << 35) + 3}) {
    CHECK(philox_truth::number(i, ~7ull, false) ==
          double{Rule<float, Kind::uniform>::number(i, ~7ull)});
    CHECK(philox_truth::number(i, ~7ull, true) == Rule<double, Kind::uniform>::number(i, ~7ull));
  }
}

// What statistics say of numbers that are `of(i)`.
template <class F>
std::string fault_of(std::int64_t n, const F& of, const std::string& numbers = "uniform") {
  const Reference reference(row(), problem_of(row(), n, "numbers=" + numbers, ElementType::f32),
                            "pool");
  Answer answer = reference.answer();
  auto* const at = reinterpret_cast<float*>(answer.arrays.at(0).bytes.data());
  for (std::int64_t i = 0; i < n; ++i) at[i] = of(static_cast<std::uint64_t>(i), at[i]);
  const std::string fault = reference.fault(answer);
  CHECK(reference.compared(answer, reference.answer()) == fault);
  CHECK(reference.compared(reference.answer(), answer) == fault);
  return fault;
}

TEST_CASE("random statistics: numbers that are not random are told from those that are",
          "[random]") {
  constexpr std::int64_t few = 1000, many = 1 << 18;
  const auto same = [](std::uint64_t, float x) { return x; };
  CHECK(fault_of(0, same) == "");
  CHECK(fault_of(few, same) == "");
  CHECK(fault_of(many, same) == "");
  CHECK(fault_of(many, same, "normal") == "");
  CHECK(fault_of((1 << 20) + 12'345, same) == "");
  const auto last = [](std::uint64_t i, float x) { return i == 1'060'920 ? NAN : x; };
  CHECK(mentions(fault_of((1 << 20) + 12'345, last), "nan is no such number"));
  CHECK(mentions(fault_of(few, [](std::uint64_t, float x) { return x + 0.5f; }), "no such number"));
  CHECK(mentions(fault_of(few, [](std::uint64_t, float x) { return x * x; }), "the mean is"));
  CHECK(mentions(fault_of(
                     few, [](std::uint64_t, float x) { return x + 1; }, "normal"),
                 "the mean is"));
  CHECK(mentions(fault_of(many, [](std::uint64_t, float x) { return x * 0.9f + 0.05f; }),
                 "the variance is"));
  CHECK(mentions(fault_of(
                     many, [](std::uint64_t, float x) { return std::round(x * 8) / 8; }, "normal"),
                 "chi-square of 256 buckets"));
  // A sequence without chance is too even.
  CHECK(mentions(fault_of(many, [](std::uint64_t i, float) { return float(i % 4096) / 4096; }),
                 "chi-square of 256 buckets"));
  float before = 0;
  CHECK(mentions(fault_of(many,
                          [&](std::uint64_t i, float x) {
                            return before = i % 2 == 0 ? x : std::fmod(before + x / 4, 1.f);
                          }),
                 "chi-square of 256 pairs of neighbours"));
  // Two teams with one seed.
  std::vector<float> first(512);
  CHECK(mentions(fault_of(few, [&](std::uint64_t i,
                                   float x) { return i < 500 ? first[i] = x : first[i - 500]; }),
                 "pairs of neighbours stand twice"));
}

// Numbers past the end stay; each launch has other numbers of processors.
template <class T, Kind kind>
void check_ends(Place place) {
  Stream& stream = shared_stream(place);
  constexpr std::size_t margin = 256;
  constexpr T rubbish = T(77);
  const auto found = launches<Fill<T, kind>>("random", place);
  CHECK(found.size() >= 9);
  for (const std::size_t n :
       {0, 1, 2, 3, 5, 127, 129, 255, 257, 1023, 1025, 16383, 16385, 70'001}) {
    Buffer<T> out(n + margin, place);
    for (const auto& [name, launch] : found) {
      for (const int processors : {1, 3}) {
        CAPTURE(name, n, processors);
        out.upload(std::vector<T>(n + margin, rubbish), stream);
        bool own = false;
        launch({out.data(), n, 9, processors, 64, &own}, stream);
        const std::vector<T> made = out.download(stream);
        CHECK(own == (name.find("pool") != std::string::npos));
        CHECK(std::count(made.begin() + static_cast<std::ptrdiff_t>(n), made.end(), rubbish) ==
              margin);
        if (own) continue;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const T right = Rule<T, kind>::number(i, 9);
          wrong += !equal_within(kind == Kind::normal ? roundings : 0, made[i], right);
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE_IN_PLACES("random: {} variants end where the numbers do", "[random][kokkos]") {
  check_ends<float, Kind::uniform>(place);
  check_ends<double, Kind::uniform>(place);
  check_ends<float, Kind::normal>(place);
  check_ends<double, Kind::normal>(place);
}

TEST_CASE_IN_PLACES("random: {} pools go on where they were, one made anew begins again",
                    "[random][kokkos]") {
  Stream& stream = shared_stream(place);
  const std::string pool = GENERATE("pool=64", "pool=1024");
  const Problem problem = problem_of(row(), 50, pool, ElementType::f64);
  const auto instance = row().make(problem, stream);
  for (const Variant& variant : row().variants) {
    if (variant.place != place || variant.model == Model::reference) continue;
    CAPTURE(variant_name(row(), variant), pool);
    const auto execution = variant.make(problem, *instance);
    const Answer first = run_afresh(*instance, *execution);
    const bool same = compare_exact(first, run_afresh(*instance, *execution), stream).agrees();
    CHECK(same == (variant.step != "pool" && variant.model != Model::library));
  }
}

TEST_CASE("random shapes: every tile is one team's", "[random]") {
  for (const Place place : {Place::host, Place::device}) {
    for (const std::uint64_t tiles : {1, 2, 7, 64, 1001}) {
      const int teams = teams_of(place, tiles, 3);
      CHECK(static_cast<std::uint64_t>(teams) <= tiles);
      std::vector<int> taken(tiles, 0);
      for (int team = 0; team < teams; ++team) {
        const Tiles own = tiles_of(place, tiles, team, teams);
        for (std::uint64_t tile = own.first; tile < own.end; tile += own.step) ++taken.at(tile);
      }
      CHECK(std::ranges::count(taken, 1) == static_cast<std::ptrdiff_t>(tiles));
    }
  }
  CHECK(teams_of(Place::device, 0, 3) == 0);
}

TEST_CASE("random: bytes are counted", "[random]") {
  const Problem problem = problem_of(row(), 1000, "", ElementType::f64);
  CHECK(row().cost(problem).at(0).amount == 8000);
  CHECK(row().footprint(problem) >= 24'000);
}

}  // namespace portcost::test::test_random
