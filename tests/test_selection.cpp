// SPDX-License-Identifier: Apache-2.0
// From what users type to what is to be done.
#include "perf/command/selection.hpp"

#include "tests/support.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_selection {

using Filters = std::vector<std::string>;

std::vector<std::string> chosen(const Filters& filters) {
  std::vector<std::string> names;
  for (const Choice& choice : select_variants(filters)) {
    for (const Variant* variant : choice.variants) {
      names.push_back(variant_name(*choice.algorithm, *variant));
    }
  }
  return names;
}

const Algorithm& first() { return *catalogue()[0]; }

// The first algorithm, as in a build that lacks two peers.
constexpr std::array lacking{Absence{"naive_peer", Model::library, "nobody has built it"},
                             Absence{"lost_friend", Model::library, "nor this"}};
std::vector<Choice> choices_where_some_lack(const Filters& filters) {
  static Algorithm algorithm = first();
  algorithm.absent.assign(lacking.begin(), lacking.end());
  static const std::array<const Algorithm*, 1> algorithms{&algorithm};
  return select_variants(algorithms, filters);
}
std::size_t absent_of(const Filters& filters) {
  return choices_where_some_lack(filters).at(0).absent.size();
}

TEST_CASE("selection: no filter chooses all, an algorithm's name all of its", "[selection]") {
  std::size_t all = 0;
  for (const Algorithm* algorithm : catalogue()) all += algorithm->variants.size();

  CHECK(select_variants(Filters{}).size() == catalogue().size());
  CHECK(chosen({}).size() == all);
  CHECK(chosen({"*"}) == chosen({}));
  CHECK(chosen({"heat2d"}) == chosen({"heat2d/*"}));
  CHECK(chosen({"heat2d"}).size() == first().variants.size());
}

TEST_CASE("selection: the default campaign has the headlines' steps", "[selection]") {
  const Place place = GENERATE(Place::host, Place::device);
  CAPTURE(name(place));
  std::vector<Choice> kept = select_variants(Filters{});
  keep_default_campaign(kept, place);

  std::vector<std::string_view> names;
  for (const Choice& choice : kept) {
    const Algorithm& algorithm = *choice.algorithm;
    names.push_back(algorithm.name);
    const auto steps = algorithm.headline(place);
    for (const std::string_view step : steps) {
      CHECK(std::count(algorithm.steps.begin(), algorithm.steps.end(), step) == 1);
    }
    // A host shows no Kokkos without a native side.
    const auto is_bare = [&](const Variant& v) {
      return place == Place::host && v.model == Model::kokkos &&
             std::ranges::none_of(algorithm.variants, [&](const Variant& other) {
               return other.step == v.step && other.model == Model::openmp;
             });
    };
    const auto wanted = [&](const Variant& v) {
      return !is_bare(v) && !explains(v) &&
             (steps.empty() || v.model == Model::library ||
              std::count(steps.begin(), steps.end(), v.step) == 1);
    };
    CHECK(static_cast<std::ptrdiff_t>(choice.variants.size()) ==
          std::count_if(algorithm.variants.begin(), algorithm.variants.end(), wanted));
    for (const Variant* variant : choice.variants) CHECK(wanted(*variant));
  }
  // Others, which this build has from outside, follow.
  REQUIRE(names.size() >= 3);
  CHECK(std::vector<std::string_view>(names.begin(), names.begin() + 3) ==
        std::vector<std::string_view>{"heat2d", "sum", "floyd_warshall"});
  CHECK(std::count(names.begin(), names.end(), "histogram") == 0);
}

TEST_CASE("selection: filters add up, and an empty one is refused", "[selection]") {
  const auto both = chosen({"*/naive/reference", "*/naive/openmp"});

  CHECK(both == chosen({"*/naive/openmp", "*/naive/reference"}));
  CHECK(both == chosen({"*/naive/openmp", "*/naive/reference", "*/naive/openmp"}));
  CHECK(both.size() >= 2);
  CHECK_THROWS_AS(chosen({""}), UsageError);
}

TEST_CASE("selection: what is absent goes along with what is chosen, or is said to be absent",
          "[selection]") {
  CHECK(absent_of({}) == 2);
  CHECK(absent_of({"heat2d"}) == 2);
  CHECK(absent_of({"heat2d/naive*"}) == 1);
  CHECK(absent_of({naive_pair}) == 0);
  CHECK(choices_where_some_lack({}).at(0).variants.size() == first().variants.size());
  const auto refusal = [](const Filters& filters) {
    return message_of<UsageError>([&] { choices_where_some_lack(filters); });
  };

  CHECK(refusal({"heat2d/naive_peer/library"}) ==
        "'heat2d/naive_peer/library' matches only what is absent in this build: "
        "heat2d/naive_peer/library (nobody has built it)");
  CHECK(mentions(refusal({"heat2d", "*/*/library"}),
                 "'*/*/library' matches only what is absent in this build: "
                 "heat2d/naive_peer/library (nobody has built it), "
                 "heat2d/lost_friend/library (nor this)"));
  CHECK(mentions(refusal({"heat2d/lost_pear/library"}), "matches nothing"));
}

#if !PORTCOST_HAS_CUDA
TEST_CASE("selection: CUDA in a build for the host: it is said what it takes", "[selection]") {
  for (const std::string filter : {"heat2d/naive/cuda", "sum/*/cuda", "*/cuda"}) {
    check_throws<UsageError>("'" + filter + "' asks for CUDA, and this build is for the host",
                             [&] { chosen({filter}); });
  }
  check_throws<UsageError>("matches nothing", [] { chosen({"heat2d/nave/cuda"}); });
}
#endif

TEST_CASE("selection: what is left out of a build is named, with how to get it", "[selection]") {
  constexpr std::array missing{LeftOut{"wave", true}, LeftOut{"waves", false}};
  const auto refused = [&](const std::string& filter) {
    return message_of<UsageError>([&] {
      const Filters filters{filter};
      static_cast<void>(select_variants(catalogue(), filters, missing));
    });
  };
  for (const char* filter : {"wave", "wave/*", "wave/naive/cuda"}) {
    CHECK(refused(filter) == "'" + std::string(filter) +
                                 "' asks for wave, which this build leaves out: perf/portcost "
                                 "builds what a filter names, perf/prepare all");
  }
  CHECK(mentions(refused("wav*/naive"), "asks for wave, waves, which"));
  CHECK(mentions(refused("wvae"), "'wvae' matches nothing: did you mean 'wave'?"));
  CHECK(names_of(missing) == "wave, waves");
  CHECK(names_of(missing, true) == "wave");
  CHECK(left_out().empty());  // tests are of all
}

}  // namespace portcost::test::test_selection
